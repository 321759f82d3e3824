"""The subcommands that make, check and mend a bot."""
