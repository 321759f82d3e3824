"""One match: played, told to its seats, written down and refereed again."""
