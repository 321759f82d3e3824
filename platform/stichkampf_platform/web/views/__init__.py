"""The pages, one module a kind of page."""
