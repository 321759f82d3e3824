"""Matches: checked requests, seating, play up to the record, and the registry of all matches."""
