"""What is seen of the processes of a run: driver and engine apart, by step."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import children
from measure import CommandFailedError, TookTooLongError
from process_tree import can_watch, measure_apart, parent

pytestmark = pytest.mark.skipif(not can_watch(), reason="needs /proc of Linux")
MB = 1_000_000
BURN = """
import sys, time
def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
"""
HOLD = "held = b'x' * 120_000_000\n"
PAUSE = "time.sleep(0.3)\n"


def test_cpu_time_goes_to_the_step_that_was_announced() -> None:
    program = f"""{BURN}
print("[  0.1 s] count begins", file=sys.stderr, flush=True)
burn(0.3)
print("[ 10.1 s] count: 1.0 s", file=sys.stderr)
print("[   1:02] write begins", file=sys.stderr, flush=True)
{PAUSE}
print("[   1:03] write, first part begins", file=sys.stderr, flush=True)
"""
    used = measure_apart([sys.executable, "-c", program])
    assert list(used.steps) == ["start", "count", "write"]
    assert used.steps["count"][0] > used.steps["start"][0] + used.steps["write"][0]
    assert sum(driver for driver, _ in used.steps.values()) == pytest.approx(used.driver.cpu_seconds)
    assert used.engine.cpu_seconds == used.engine.peak_bytes == 0


@pytest.mark.slow
def test_java_below_the_driver_is_its_engine(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.symlink_to(Path(sys.executable).resolve())
    engine = f"{BURN}{HOLD}burn(0.3)\n{PAUSE}"
    # A shell stands between, and becomes Java only then, as that which starts Spark.
    program = f"import subprocess; subprocess.run(['sh', '-c', 'exec \"$0\" -c \"$1\"', {str(java)!r}, {engine!r}])"
    used = measure_apart([sys.executable, "-c", program])
    assert used.engine.cpu_seconds >= 0.25
    assert used.engine.peak_bytes >= 120 * MB
    assert used.driver.cpu_seconds < 0.25
    assert used.driver.peak_bytes < 120 * MB


@pytest.mark.slow
def test_java_that_outlives_the_driver_is_waited_for(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.symlink_to(Path(sys.executable).resolve())
    engine = f"{BURN}{PAUSE}burn(0.2)\n"
    program = f"import subprocess, time; subprocess.Popen([{str(java)!r}, '-c', {engine!r}]); time.sleep(0.25)"
    assert measure_apart([sys.executable, "-c", program]).engine.cpu_seconds >= 0.2


@pytest.mark.slow
def test_of_a_server_counts_what_it_uses_meanwhile() -> None:
    # Each line that it gets starts a process, which ends before the run does.
    worker = f"{BURN}burn(0.2)"
    serving = f"{BURN}{HOLD}burn(0.5)\nprint('ready', flush=True)\n"
    serving += f"import subprocess\nfor _ in sys.stdin:\n    subprocess.run([sys.executable, '-c', {worker!r}])\n"
    serving += "    print('done', flush=True)\n"
    server = children.start([sys.executable, "-c", serving], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdout.readline()
    asking = f"open('/proc/{os.getpid()}/fd/{server.stdin.fileno()}', 'w').write('go\\n')"
    program = f"import time; {asking}; open('/proc/{os.getpid()}/fd/{server.stdout.fileno()}').readline()"
    used = measure_apart([sys.executable, "-c", program], servers=[server.pid])
    assert 0.2 <= used.engine.cpu_seconds < 0.5
    assert used.engine.peak_bytes >= 120 * MB
    server.stdin.close()
    server.wait()


def test_a_failure_says_what_the_program_said() -> None:
    with pytest.raises(CommandFailedError, match="status 3:\nnothing works"):
        measure_apart([sys.executable, "-c", "import sys; print('nothing works', file=sys.stderr); sys.exit(3)"])


def test_a_program_whose_time_is_up_is_killed() -> None:
    with pytest.raises(TookTooLongError):
        measure_apart([sys.executable, "-c", "import time; time.sleep(60)"], timeout=0.2)


def test_the_parent_of_a_process_is_known() -> None:
    process = children.start([sys.executable, "-c", "import time; time.sleep(60)"])
    assert parent(process.pid) == os.getpid()
