"""Models as JSON. Nothing here decides what is shown: views hand in only objects that may be shown.

Seats, deals, moves, blocks and lanes count from 0 in the API, as in the match record; pages count from 1.
"""
