"""The doctor: looks for causes of trouble, and says of each what to do.

cause      a cause, what was seen, what to do
machine    the machine: disk, memory, clock, namespaces, control groups, limits, compiled rules
database   the database: address, schema, clock, connections, stored files
nodes      what nodes report of themselves
programs   the programs around it: Redis, beats, workers, arbiter, mail server
diagnosis  all of them in order
"""
