"""Remote bots: processes on their authors' machines, which connect, may be disconnected, and reconnect."""
