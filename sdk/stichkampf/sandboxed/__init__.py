"""Matches in the sandbox of this machine, played by an arbiter of the command's own: as on the server."""
