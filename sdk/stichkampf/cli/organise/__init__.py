"""The subcommands that run tournaments of a server: `stichkampf organise …`."""
