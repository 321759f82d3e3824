"""The subcommands that talk to a server."""
