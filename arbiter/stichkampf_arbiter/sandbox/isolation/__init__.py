"""Isolation of a sandbox: mounts, user ids, system calls, limits, and the runtime that applies them."""
