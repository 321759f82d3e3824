"""The games in the shapes of other libraries: `pettingzoo` (an extra) and `openspiel` (without one)."""
