"""The cache of public pages: what guests see is made once for all of them, until something in it changes.

compression   answers made smaller, once for all
middleware    answers guests out of the cache, with an ETag, and 304 where they have the page
public_pages  the addresses whose answers may be kept
"""
