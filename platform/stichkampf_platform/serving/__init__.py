"""How the site is served: what visitors may hold of it, and how many of them are served at once.

common       which visitors may share an answer
connections  one visitor's line: how long a request may take to arrive, how many lines there are
places       so many requests at work at once; the others wait a while
site         Django behind these places, as an ASGI application
"""
