"""What `make up` starts: one checkout's site, arbiter, worker, beat and Redis, watched over by one process.

guard        outermost process: whatever happens to the supervisor, nothing is left running
place        where this installation lies, which address and database it has; read from the environment
redis        which Redis server is taken
services     the five programs and how each is started, found ready and stopped
preparation  what comes before: tables, static files, house bots, administrator, a first tournament
keeper       starts the services, starts again what died, stops all in order
"""
