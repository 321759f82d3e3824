"""Control groups: bounds of memory, processes and CPU, and the freezer."""
