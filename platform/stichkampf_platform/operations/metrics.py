"""The figures in Prometheus's text format, and the counters of the site's processes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import stichkampf
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from stichkampf_platform.operations.figures import ArbiterFigures, Figures, measure
from stichkampf_platform.operations.schema import schema_is_current
from stichkampf_platform.serving.request_counts import COUNTED

QUANTILES = (0.5, 0.95, 1.0)


class FiguresCollector(Collector):
    """Figures as metrics.

    :param figures: as they were measured.
    """

    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        now = self._figures
        yield _labelled("queue_messages", "Messages in a queue of Redis.", "queue", now.queued)
        yield _gauge("redis_up", "1 if Redis answers.", bool(now.queued))
        yield _gauge("redis_evicts", "1 if a full Redis drops queued work.", now.redis_evicts)
        yield _gauge("redis_installations", "Installations with a beat on it.", now.redis_installations)
        yield _gauge("beats", "Beats of this installation; one is right.", now.beats)
        yield _gauge(
            "blocks_waiting", "Free blocks of running tournaments, at most 1000.", now.blocks_waiting
        )
        yield _gauge("submissions_waiting", "Submissions without a verdict.", now.submissions_waiting)
        yield _gauge("tables_leased", "Tables that a worker holds.", now.tables_leased)
        yield _counter("tables_landed", "Tables landed, by the newest record's number.", now.tables_landed)
        first = now.first_table_seconds
        if first:
            yield _gauge("first_table_seconds", "Newest tournament: from its start to a table.", first[0])
            yield _gauge("first_table_seconds_worst", "The longest of the newest tournaments.", max(first))
        yield _quantiles("table_seconds", "Time of the newest 200 tables.", now.table_seconds)
        yield _labelled("recent_faults", "Faults at the newest 200 tables.", "kind", now.faults)
        ages = now.rating_age_seconds
        yield _labelled("rating_age_seconds", "Wait of the oldest unrated result.", "ladder", ages)
        if now.beat_seconds is not None:
            yield _gauge("beat_seconds", "Since the last sweep that a beat sent.", now.beat_seconds)
        yield _gauge("disk_free_bytes", "Free where the state is.", now.disk_free_bytes)
        yield _gauge("disk_bytes", "Size of the disk where the state is.", now.disk_bytes)
        yield _gauge("database_bytes", "Size of the database.", now.database_bytes)
        still = {kind.name: kind.still_seconds for kind in now.work}
        yield _labelled(
            "work_still_seconds", "Since work that waits last moved; 0: none waits.", "kind", still
        )
        yield _gauge("drained", "1 while nothing may begin.", now.drained_since is not None)
        yield _gauge("parked", "What failed again and again, at most 50.", len(now.parked))
        yield from _of_nodes(now)
        yield _gauge("arbiter_up", "1 if the arbiter answers.", now.arbiter is not None)
        if now.people_connected is not None:
            yield _gauge("hub_up", "1 if people's seats are connected.", now.people_connected)
        if now.arbiter is not None:
            yield from _of_arbiter(now.arbiter)


def exposition() -> bytes:
    """Measure, and return all metrics in the text format.

    With a schema older than this program: only that fact, and what the site itself counted.
    """
    current = schema_is_current()
    registry = CollectorRegistry()
    schema = Gauge("stichkampf_schema_current", "1 if every migration is applied.", registry=registry)
    schema.set(current)
    if current:
        registry.register(FiguresCollector(measure()))
    counted = COUNTED
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):  # the site has several processes; their counts add up
        counted = CollectorRegistry()
        MultiProcessCollector(counted)
    return generate_latest(registry) + generate_latest(counted)


def _of_arbiter(arbiter: ArbiterFigures) -> Iterator[Metric]:
    yield _gauge("arbiter_answer_seconds", "How long its answer took: its lag.", arbiter.answer_seconds)
    yield _gauge("tables_busy", "Tables that the arbiter plays.", arbiter.tables)
    yield _gauge("tables_free", "Further tables that it could play.", arbiter.tables_limit - arbiter.tables)
    yield _gauge("arbiter_draining", "1 while it accepts no new match.", arbiter.draining)
    yield _labelled("sandbox_level", "The level in force.", "level", {arbiter.sandbox_level: 1})
    refused = CounterMetricFamily(
        "stichkampf_arbiter_refused_calls", "Calls that the arbiter refused.", labels=["status"]
    )
    for status, times in sorted(arbiter.refused_calls.items()):
        refused.add_metric([status], times)
    yield refused


def _of_nodes(now: Figures) -> Iterator[Metric]:
    seen = {node.name: (now.at - node.seen_at).total_seconds() for node in now.nodes}
    yield _labelled("node_silent_seconds", "Since the node reported itself.", "node", seen)
    answers = {node.name: node.arbiter_answers for node in now.nodes}
    yield _labelled("node_arbiter_up", "1 if its arbiter answers its worker.", "node", answers)
    current = {node.name: node.version == stichkampf.__version__ for node in now.nodes}
    yield _labelled("node_current", "1 if its worker is of the site's version.", "node", current)
    skew = {node.name: node.clock_skew_seconds for node in now.nodes}
    yield _labelled("node_clock_skew_seconds", "By how much its clock is ahead.", "node", skew)
    tables = {node.name: node.tables for node in now.nodes}
    yield _labelled("node_tables_busy", "Tables that its arbiter plays.", "node", tables)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"stichkampf_{name}", text, value=float(value))


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"stichkampf_{name}", text, value=value)


def _labelled(name: str, text: str, label: str, values) -> Metric:  # type: ignore[no-untyped-def]
    family = GaugeMetricFamily(f"stichkampf_{name}", text, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


def _quantiles(name: str, text: str, values) -> Metric:  # type: ignore[no-untyped-def]
    """Return quantiles of sorted values."""
    places = {str(share): values[round(share * (len(values) - 1))] for share in QUANTILES if values}
    return _labelled(name, text, "quantile", places)
