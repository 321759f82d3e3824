"""The supervisor of `make up`: one process starts and watches all programs of an installation.

subreaper        the outermost process: ends every process that a killed supervisor leaves behind
installation     folders, address and database of this installation, read from the environment
redis            the choice of a Redis server
services         the programs, and how each is started, found ready and stopped
worker_programs  which programs take which queues, and how much each does at once
launch           a command as a process: its user, its environment, its end with the supervisor
preparation      database, static files, house bots, administrator, a first tournament
compiled_rules   the compilation of the rules while the site runs
process_manager  starts the services, restarts those that die, stops all in order
health           questions to a running site, arbiter or Redis
output           the lines on the terminal
"""
