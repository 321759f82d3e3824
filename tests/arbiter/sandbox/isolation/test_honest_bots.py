"""Programs and packages that an honest bot may rely on."""

from __future__ import annotations

import dataclasses

import pytest
from stichkampf_arbiter.sandbox.contract import PYTHON

PROGRAMS = {
    "numpy": """
import numpy as np
assert (np.ones((50, 50)) @ np.ones((50, 50)))[0, 0] == 50
np.random.default_rng().random(9)
""",
    "the SDK and its engine": """
from stichkampf.games import new_game
from stichkampf.match.match import Match
match = Match(new_game("sticheln", 4, {}), seed=bytes(32))
while match.to_act():
    seat = match.to_act()[0]
    match.play(seat, match.legal(seat)[0])
assert match.over
""",
    "gRPC": "import grpc, grpc.aio; grpc.insecure_channel('unix:/bot/arbiter.sock').close()",
    "threads": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    assert sum(pool.map(abs, range(100))) == 4950
""",
    "processes": """
import multiprocessing
context = multiprocessing.get_context("fork")
here, there = context.Pipe()
child = context.Process(target=there.send, args=(sum(range(100)),))
child.start()
assert here.recv() == 4950
child.join()
assert child.exitcode == 0
""",
    "queues between threads": """
import queue, threading
asked, answered = queue.Queue(), queue.Queue()
workers = [threading.Thread(target=lambda: answered.put(asked.get(timeout=9) ** 2)) for _ in range(20)]
[worker.start() for worker in workers], [asked.put(3) for _ in workers], [worker.join() for worker in workers]
assert [answered.get() for _ in workers] == [9] * 20
""",
    "threads of the C library": """
import ctypes, time
library, thread = ctypes.CDLL(None), ctypes.c_ulong()
run = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: time.sleep(0.2))
assert library.pthread_create(ctypes.byref(thread), None, run, None) == 0
begun = time.monotonic()
assert library.pthread_join(thread, None) == 0 and time.monotonic() - begun > 0.15
""",
    "locks and queues between processes": """
import multiprocessing, os
context = multiprocessing.get_context("fork")
lock, gate, done = context.Lock(), context.Semaphore(0), context.Queue()
def count(number):
    gate.acquire()
    with lock:
        done.put(number)
children = [context.Process(target=count, args=(number,)) for number in range(4)]
[child.start() for child in children], [gate.release() for _ in children]
assert sorted(done.get(timeout=9) for _ in children) == [0, 1, 2, 3]
[child.join() for child in children]
with context.Pool(3) as pool:
    assert pool.map(abs, range(-50, 0)) == list(range(50, 0, -1))
""",
    "other programs": """
import subprocess
done = subprocess.run(["sh", "-c", "echo hello | tr a-z A-Z"], capture_output=True, text=True, check=True)
assert done.stdout == "HELLO\\n"
""",
    "encryption, which the client does not load": """
import sys
from stichkampf import client
assert not {"ssl", "hashlib", "_hashlib"} & sys.modules.keys()
import asyncio, gc, hashlib, ssl
assert ssl.SSLContext and asyncio.sslproto.ssl and hashlib.scrypt and hashlib.new("sha512") and gc.isenabled()
""",
    "compiled modules of the SDK": """
import importlib.util, os, stichkampf.connection.frames as frames
assert os.path.exists(importlib.util.cache_from_source(frames.__file__))
""",
    "asyncio": """
import asyncio
async def main():
    process = await asyncio.create_subprocess_exec("echo", "hello", stdout=-1)
    assert (await asyncio.wait_for(process.communicate(), 5))[0] == b"hello\\n"
    await asyncio.gather(*[asyncio.sleep(0.01) for _ in range(100)])
asyncio.run(main())
""",
    "files in /tmp": """
import os, pathlib, shutil, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "notes"
    path.write_bytes(bytes(1 << 20))
    shutil.copy(path, "/tmp/copy")
assert os.path.getsize("/tmp/copy") == 1 << 20 and os.getcwd() == "/tmp" == os.environ["HOME"]
""",
    "a database in memory": "import sqlite3; sqlite3.connect(':memory:').execute('create table t (x)')",
    "chance and clocks": """
import random, secrets, time
secrets.token_bytes(8), random.random(), time.perf_counter(), time.thread_time()
begun = time.monotonic()
time.sleep(0.01)
assert time.monotonic() > begun
""",
    "its own name": "import getpass, socket; assert getpass.getuser() == socket.gethostname() == 'bot'",
    "signals and timers": """
import os, signal, time
for number in (signal.SIGTERM, signal.SIGHUP):
    child = os.fork()
    if child == 0:
        time.sleep(600)
        os._exit(0)
    os.kill(child, number)
    assert os.waitpid(child, 0)[1] != 0
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
""",
    "most of its memory": "memory = bytearray(150 << 20); memory[::4096] = b'x' * len(memory[::4096])",
}


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_an_honest_bot_can_use(arena, code):
    command = (PYTHON, "-I", "-c", code)
    spec = dataclasses.replace(arena.spec(code), command=command, parts=("sh",))
    report = arena.wait(arena.launch(spec))
    assert (report.kind, report.code, report.stderr) == ("exited", 0, "")


def test_a_program_of_another_language_runs(arena):
    command = ("/bin/sh", "-c", 'test -S "$0" && echo "$PATH" && exit 4', "/bot/arbiter.sock")
    spec = dataclasses.replace(arena.spec(""), command=command, parts=("sh",))
    report = arena.wait(arena.launch(spec))
    assert (report.code, report.stderr) == (4, "/opt/stichkampf/bin:/usr/bin:/bin\n")


def test_a_program_that_is_not_there_is_reported_in_words(arena):
    report = arena.wait(arena.launch(dataclasses.replace(arena.spec(""), command=("/tmp/karl",))))
    assert report.code == 1
    assert "/tmp/karl: No such file or directory" in report.stderr
