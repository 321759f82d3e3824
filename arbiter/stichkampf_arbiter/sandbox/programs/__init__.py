"""What a sandbox shows of the machine's programs: named parts, each an image in memory."""
