"""The whole road over real programs. A package, so that its installations end with its last test."""
