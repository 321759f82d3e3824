"""Storage of archives and match records: Django's storage interface, with an outbox in the database.

outbox            the storage that everything uses
copying           from the outbox into the store
store_label       the file by which an installation knows its store
store_errors      errors of stores, as OSError
compressed_texts  long texts with their digests
"""
