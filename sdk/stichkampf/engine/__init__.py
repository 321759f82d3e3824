"""The rule engine under every game: cards, hands, tricks, seeds, hidden hands, search.

`deal` holds `Deal`, the state of one deal; `game` holds `Game`, the rules between deals; `policy` what
a search may be given in place of chance. The modules of this
folder and of `games` that count in `i64` are compiled by mypyc where a compiler is at hand.
"""
