"""The queues, and the watchdog of a real worker on a real Redis."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import stichkampf_platform
from celery import Celery, current_app
from stichkampf_platform.celery_app import app
from stichkampf_platform.settings.queues import QUEUES
from stichkampf_platform.supervisor.installation import Installation, checkout
from stichkampf_platform.supervisor.services import redis
from stichkampf_platform.supervisor.worker_programs import WORKERS
from support import free_port, wait_until


def test_every_queue_is_taken_by_one_program_of_make_up():
    taken = [queue for queues in WORKERS.values() for queue in queues]
    assert sorted(taken) == sorted(QUEUES)


def test_the_queues_and_the_schedule_name_tasks_that_there_are():
    named = {task for tasks in QUEUES.values() for task in tasks if not task.endswith("*")}
    named |= {entry["task"] for entry in app.conf.beat_schedule.values()}
    app.loader.import_default_modules()
    assert named <= set(current_app.tasks)


def queued_names():
    """The first argument of every call of `enqueue` in the platform, as it stands in the source."""
    root = Path(stichkampf_platform.__file__).parent
    calls = [
        node
        for path in root.rglob("*.py")
        if path.name != "queue.py"  # which queues any task
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enqueue"
    ]
    return {ast.literal_eval(call.args[0]) for call in calls}


def test_a_worker_whose_redis_is_away_tries_again_every_second_however_long_that_lasts():
    pauses = []

    def note(error, pause):
        pauses.append(pause)
        if len(pauses) == 3:
            raise ZeroDivisionError

    away = app.connection_for_read(f"redis://127.0.0.1:{free_port()}/0")
    with pytest.raises(ZeroDivisionError):
        away.ensure_connection(note)
    assert pauses == [1, 1, 1]


@pytest.mark.slow
def test_every_task_that_is_queued_by_name_is_registered():
    app.loader.import_default_modules()
    assert len(queued_names()) > 5
    assert queued_names() <= set(current_app.tasks)


def test_every_task_ends_and_is_asked_to_before_it_is_killed():
    app.loader.import_default_modules()
    for task in current_app.tasks.values():
        soft = task.soft_time_limit or app.conf.task_soft_time_limit
        hard = task.time_limit or app.conf.task_time_limit
        assert 0 < soft < hard < 3600, f"{task.name}: after an hour Redis sends a task again"


class Broker:
    """A Redis server that can be killed."""

    def __init__(self, installation):
        self.service = redis(installation)
        self.address = f"redis+socket://{installation.redis_socket}"

    def start(self):
        self.server = subprocess.Popen(self.service.command, stdout=subprocess.DEVNULL)
        wait_until(self.service.ready)

    def kill(self):
        self.server.kill()
        self.server.wait()


@pytest.fixture
def broker(tmp_path):
    installation = Installation.from_environment({"STICHKAMPF_VAR": str(tmp_path)}, checkout())
    installation.prepare_folders()
    broker = Broker(installation)
    broker.start()
    yield broker
    broker.kill()


def test_a_sender_whose_redis_is_away_sends_once_it_is_back(broker):
    again = {"max_retries": 9, "interval_start": 0, "errback": lambda error, pause: broker.start()}
    with app.connection_for_write(broker.address) as connection:
        producer = app.amqp.Producer(connection)
        producer.publish({}, routing_key="sent")
        broker.kill()
        producer.publish({}, routing_key="sent", retry=True, retry_policy=again)
        assert connection.default_channel.client.llen("sent") == 1


@pytest.fixture
def client(broker):
    """Somebody who sends tasks and asks workers how they are."""
    with Celery(broker=broker.address, set_as_current=False) as client:
        yield client


@pytest.fixture
def worker(broker, tmp_path):
    """A worker of the platform, without a database."""
    environment = {
        **os.environ,
        "REDIS_URL": broker.address,
        "DJANGO_SETTINGS_MODULE": "stichkampf_platform.settings.test",
    }
    command = [*(sys.executable, "-m", "celery", "--app", "stichkampf_platform.celery_app", "--skip-checks")]
    command += ["worker", "--queues", "ratings", "--concurrency", "1", "--without-gossip"]
    log = tmp_path / "worker.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--loglevel", "INFO"], env=environment, stdout=output, stderr=output
        )
    wait_until(lambda: " ready." in log.read_text())
    process.log = log
    yield process
    process.kill()
    process.wait()


def no_longer_listens(worker, client):
    """Have it take no tasks, as if it were full; only the channel of its remote control is open."""
    client.control.cancel_consumer("ratings")
    wait_until(lambda: "Canceling queue" in worker.log.read_text())


def test_a_worker_that_takes_no_waiting_task_ends_itself(worker, client):
    no_longer_listens(worker, client)
    client.send_task("nothing", queue="ratings")
    assert worker.wait(timeout=180) == 1
    assert "tasks wait, and this worker does not take them" in worker.log.read_text()


def test_a_full_worker_notices_a_redis_that_was_lost_and_back_before_it_looked(worker, client, broker):
    no_longer_listens(worker, client)
    worker.send_signal(signal.SIGSTOP)
    broker.kill()
    broker.start()
    worker.send_signal(signal.SIGCONT)
    wait_until(lambda: client.control.ping(timeout=0.5))
    assert "Connection to broker lost" in worker.log.read_text()
