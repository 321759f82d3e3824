"""Django settings: `base` runs as it is on one machine, `production` on servers, `test` is for the suite.

object_store   reads where archives and records are kept
queues         names the queues and the tasks that go through each
redis_cache    reads where the programs share what has changed
stored_secret  makes the secret key of a single machine
"""
