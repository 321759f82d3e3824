"""Storage of archives and match records: Django's storage interface, by default on top of the database."""
