"""Backups: one file with the database, the stored files, and a manifest.

databases      a dump of PostgreSQL or SQLite, and its way back
stored_files   the files of a store outside the database
backup         makes the file
restore        fills an empty installation from it, and deals unfinished blocks from new seeds
"""
