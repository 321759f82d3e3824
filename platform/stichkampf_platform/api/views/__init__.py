"""The API, one file for each of the nouns that it shows."""
