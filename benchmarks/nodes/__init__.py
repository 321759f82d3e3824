"""Several nodes on hosts that are made of network namespaces."""
