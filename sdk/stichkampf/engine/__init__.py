"""The rule engine under every game: cards, hands, tricks, seeds, hidden hands, search.

This folder and the games are what mypyc compiles.
"""
