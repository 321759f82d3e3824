"""Attacks of a hostile bot on the machine's resources, all bounded and small beside the machine."""

from __future__ import annotations

import pytest
from stichkampf_arbiter.sandbox import output
from stichkampf_arbiter.sandbox.limits import Limits

SECONDS = 60.0
LIMITS = Limits(memory_bytes=64 << 20, wall_seconds=SECONDS)


@pytest.mark.held_by("cgroup", "rlimits")
def test_a_bot_starts_a_limited_number_of_processes(attack, weakened):
    code = """
children = []
def breed():
    for _ in range(100):
        child = os.fork()
        if child == 0:
            time.sleep(600)
            os._exit(0)
        children.append(child)
bred = works(breed)
for child in children:
    os.kill(child, signal.SIGKILL)
end(bred)
"""
    assert attack(code) == weakened


@pytest.mark.held_by("cgroup", "rlimits")
def test_a_bot_starts_a_limited_number_of_threads(attack, weakened):
    code = """
import threading
stop = threading.Event()
threading.stack_size(64 << 10)
bred = True
for _ in range(200):
    try:
        threading.Thread(target=stop.wait, daemon=True).start()
    except RuntimeError:
        bred = False
        break
end(bred)
"""
    assert attack(code) == weakened


@pytest.mark.held_by("rlimits")
def test_a_bot_opens_a_limited_number_of_files(attack, weakened):
    assert attack("end(works(lambda: [os.open('/dev/null', os.O_RDONLY) for _ in range(200)]))") == weakened


GREEDY = {
    "one process": """
memory = bytearray(96 << 20)
memory[::4096] = b"x" * len(memory[::4096])
end(True)
""",
    "eight processes": """
import signal
filled, held = os.pipe(), os.pipe()
signal.signal(signal.SIGCHLD, lambda *_: os._exit(1))
for _ in range(8):
    if os.fork() == 0:
        os.close(held[1])
        memory = bytearray(12 << 20)
        memory[::4096] = b"x" * len(memory[::4096])
        os.write(filled[1], b"x")
        os.read(held[0], 1)
        os._exit(0)
for _ in range(8):
    os.read(filled[0], 1)
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
os.close(held[1])
codes = [os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(8)]
if any(codes):
    sys.exit(1)
end(True)
""",
    "an anonymous shared map": """
import mmap
memory = mmap.mmap(-1, 96 << 20)
for start in range(0, 96 << 20, 4096):
    memory[start] = 1
end(True)
""",
}


@pytest.mark.held_by("cgroup")
@pytest.mark.parametrize("code", GREEDY.values(), ids=GREEDY.keys())
def test_a_bot_that_takes_too_much_memory_is_ended(here, attack, weakened, code):
    if weakened:
        assert attack(code, limits=LIMITS)
    else:
        report = here.run("import os, sys, time\ndef end(through): print('through')\n" + code, limits=LIMITS)
        assert (report.kind, report.limit, report.stderr) == ("limit", "memory", "")


@pytest.mark.held_by("cgroup")
def test_a_bot_that_fills_its_memory_and_reads_its_files_again_and_again_is_ended(here, attack, weakened):
    code = """
memory = bytearray(48 << 20)
memory[::4096] = b"x" * len(memory[::4096])
paths = [os.path.join(folder, name) for folder, _, names in os.walk("/opt") for name in names]
for _ in range(60):
    for path in sorted(paths, key=os.path.getsize)[-20:]:
        with open(path, "rb") as file:
            while file.read(1 << 16):
                pass
end(True)
"""
    if weakened:
        assert attack(code, limits=LIMITS)
    else:
        report = here.run("import os, sys\ndef end(through): print('through')\n" + code, limits=LIMITS)
        assert (report.kind, report.limit, report.stderr) == ("limit", "memory", "")


@pytest.mark.held_by("rlimits")
def test_a_bot_fills_a_limited_number_of_pipes(attack, weakened):
    code = """
def fill():
    for _ in range(64):
        os.write(os.pipe()[1], bytes(1 << 16))
end(works(fill))
"""
    assert attack(code) == weakened


@pytest.mark.held_by("cgroup", "seccomp")
def test_a_bot_hides_no_memory_in_files_without_a_name(attack, weakened):
    code = """
def hide():
    for _ in range(12):
        os.write(os.memfd_create("canary"), bytes(8 << 20))
end(works(hide))
"""
    assert attack(code, limits=LIMITS) == weakened


@pytest.mark.held_by("cgroup")
@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_files_in_memory_count_as_memory(here, attack, weakened, folder):
    code = f"""
for number in range(12):
    with open(f"{folder}/{{number}}", "wb") as file:
        file.write(bytes(8 << 20))
end(True)
"""
    limits = Limits(memory_bytes=64 << 20, tmp_bytes=120 << 20, wall_seconds=SECONDS)
    if weakened:
        assert attack(code, limits=limits)
    else:
        report = here.run("def end(through): print('through')\n" + code, limits=limits)
        assert (report.kind, report.limit) == ("limit", "memory")


@pytest.mark.held_by("cgroup")
def test_four_busy_processes_get_the_share_of_one_bot(here, weakened):
    code = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        break
begun = time.process_time()
while time.process_time() < begun + 0.06:
    pass
try:
    while True:
        os.wait()
except ChildProcessError:
    pass
"""
    # At a twentieth of a core a quarter of a second of CPU takes five.
    report = here.run(code, limits=Limits(cores=0.05, wall_seconds=SECONDS if weakened else 3.5))
    assert (report.kind, report.limit) == (("exited", None) if weakened else ("limit", "wall"))


@pytest.mark.parametrize("is_limited", [True, False], ids=["default", "without flood"])
def test_a_flood_of_output_ends_the_bot(arena, is_limited, monkeypatch):
    if not is_limited:
        monkeypatch.setattr(output, "FLOOD_FACTOR", 1 << 30)
    code = """
import os
for _ in range(64):
    os.write(1, b"x" * 65536)
os.write(1, b"done")
"""
    report = arena.run(code, limits=Limits(output_bytes=16 << 10, wall_seconds=SECONDS))
    if is_limited:
        assert (report.kind, report.limit) == ("limit", "output")
    else:
        assert report.kind == "exited"
        assert report.stderr.endswith("done")
    assert len(report.stderr) < 40 << 10


@pytest.mark.held_by("deadline")
def test_a_bot_that_sleeps_for_ever_is_ended(here, weakened):
    code = f"import time; time.sleep({2 if weakened else SECONDS})"
    report = here.run(code, limits=Limits(wall_seconds=0.5))
    assert (report.kind, report.limit) == (("exited", None) if weakened else ("limit", "wall"))
