"""What closes a sandbox off: mounts, user ids, system calls, limits, and the runtime that applies them."""
