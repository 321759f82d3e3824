"""Storage of archives and match records: Django's storage interface, with an outbox in the database.

outbox            the storage that everything uses
copying           from the outbox into the store
label             by which a store is known
compressed_texts  long texts with their digests
"""
