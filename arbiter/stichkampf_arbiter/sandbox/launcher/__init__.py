"""The launcher: the one process that keeps root, and starts, watches and ends sandboxes."""
