"""The operation of an installation: seen, kept and moved.

figures     measured now, each by a bounded query
metrics     the same for Prometheus
probes      addresses for monitors: liveness, readiness, metrics
signs       signs of life of beats
page        the operators' page in the administration
"""
