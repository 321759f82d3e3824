"""Light nodes: volunteers' machines that play blocks of house bots, which are then played again here."""
