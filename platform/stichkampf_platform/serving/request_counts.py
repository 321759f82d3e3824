"""Counters of requests, kept by each process of the site and added up where they are read."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

COUNTED = CollectorRegistry()
REFUSED_STATUSES = {413: "too large", 429: "too many", 503: "crowded", 507: "disk full"}
"""Statuses of requests that are refused for want of room, with the reasons."""

_answers = Counter(
    "stichkampf_requests", "Requests answered.", ["kind", "status"], registry=COUNTED
)  # fmt: skip
_refused = Counter(
    "stichkampf_requests_refused", "Requests refused for want of room.", ["reason"], registry=COUNTED
)
_seconds = Histogram(
    "stichkampf_request_seconds",
    "Time from a whole request to its answer.",
    ["kind"],
    registry=COUNTED,
    buckets=(0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
)

# an increase from nothing to one would not count
for _kind in ("page", "api"):
    for _status in (500, 503):
        _answers.labels(_kind, str(_status))


def note_answer(path: str, status: int, seconds: float) -> None:
    """Count one answered request.

    :param path: of its address; only whether it is one of the API is kept.
    """
    kind = "api" if path.startswith("/api/") else "page"
    _answers.labels(kind, str(status)).inc()
    _seconds.labels(kind).observe(seconds)
    if status in REFUSED_STATUSES:
        _refused.labels(REFUSED_STATUSES[status]).inc()
