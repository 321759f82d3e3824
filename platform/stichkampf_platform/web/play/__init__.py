"""Tables of people: the pages on which they are begun, played and looked back at."""
