"""Sources of bots: the house process, hosted bots in sandboxes, and remote bots that connect over TCP."""
