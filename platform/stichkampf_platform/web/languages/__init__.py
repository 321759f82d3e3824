"""The languages of the site: which one a request gets, and how a visitor's choice is remembered.

middleware   activates the language of a request
choice       the switch, and the cookie that remembers it
"""
