"""The research wing: see its README."""
