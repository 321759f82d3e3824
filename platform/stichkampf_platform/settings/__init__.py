"""Django settings: `base` runs as it is on one machine, `production` on servers, `test` is for the suite.

environment    reads numbers and names from the environment
object_store   reads where archives and records are kept
redis_cache    reads where the programs share what has changed
stored_secret  makes the secret key of a single machine
"""
