"""The programs that a sandbox shows: named parts of the machine's, each an image in memory."""
