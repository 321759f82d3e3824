"""Rulings and protests by API."""
