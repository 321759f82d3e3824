"""Classes for programs of their teachers."""
