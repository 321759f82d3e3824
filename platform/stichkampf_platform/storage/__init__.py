"""Where archives and match records lie: Django's storage interface, by default over the database itself."""
