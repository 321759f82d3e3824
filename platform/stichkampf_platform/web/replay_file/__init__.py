"""A replay as one HTML file, for `stichkampf view`, which starts this as a program.

It needs Django for its templates, and neither a database nor the site.
"""
