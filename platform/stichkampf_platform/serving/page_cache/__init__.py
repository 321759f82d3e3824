"""The cache of public pages: what guests see is made once for all of them, until something in it changes.

changes       stamps of the database's tables, new whenever a table is written
middleware    answers guests out of the cache, with an ETag, and 304 where they have the page
public_pages  the addresses whose answers may be kept
"""
