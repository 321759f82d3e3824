"""The wire: committed code, generated from `proto/` by `proto/generate.py`."""
