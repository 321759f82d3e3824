"""The subcommands that enter bots in the tournaments of a server."""
