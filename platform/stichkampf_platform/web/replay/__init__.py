"""The replay: a stored record, played again by the referee and drawn step by step. It knows no rules."""
