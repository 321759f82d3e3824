"""Matches: checked when asked for, seated, played to the record, and found again by their key."""
