"""The operation of an installation: seen, kept and moved.

figures       measured now, each by a bounded query
moving        the movement of work, by which all others judge
metrics       the same for Prometheus
probes        addresses for monitors: liveness, readiness, metrics
beat_signs    signs of life of beats
node_reports  signs of life of nodes
state_texts   the figures in words
page          the operators' page in the administration
doctor        names causes of trouble
backups       backup and restore
draining      what still runs while nothing begins any more
"""
