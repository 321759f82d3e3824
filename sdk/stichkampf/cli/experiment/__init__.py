"""Commands of experiments: unrated blocks on a server, of which only their author sees."""
