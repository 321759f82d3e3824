"""The machines of an installation, and what they are told. `core.clock` is the time for all of them.

nodes           which there are, and which of them live
expiring_tasks  tasks whose messages expire
draining        the order to begin nothing more
database_turns  how many blocks begin at once, each with a connection to the database
"""
