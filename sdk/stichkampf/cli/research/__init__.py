"""Commands for research: a protocol for figures in papers, data sets."""
