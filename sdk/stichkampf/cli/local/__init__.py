"""The subcommands that need no server."""
