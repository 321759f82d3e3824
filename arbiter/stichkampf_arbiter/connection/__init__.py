"""The connection to one bot process: its stream, its pending decisions, its clock and its answer limit."""
