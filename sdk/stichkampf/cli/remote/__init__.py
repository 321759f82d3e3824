"""A bot on its author's machine: connecting it, its token, and language models."""
