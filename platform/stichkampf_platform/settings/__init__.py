"""Django settings: `base` runs as it is on one machine, `production` on servers, `test` is for the suite.

environment    reads numbers from the environment
stored_secret  makes the secret key of a single machine
"""
