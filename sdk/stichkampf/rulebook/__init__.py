"""The rules of the games in words: pages in each language, examples that the referee plays, plain text."""
