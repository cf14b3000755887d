"""The processes that tests start hear every signal, and none outlives its test."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

import pytest
from helpers import children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Only Linux ties a process to the one that started it.")
FOREVER = [sys.executable, "-c", "import time; print(flush=True); time.sleep(1000)"]
TELLS_SIGNALS = """
import signal
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    print(signal.getsignal(getattr(signal, name)) is signal.SIG_IGN)
"""
STARTS_ANOTHER = """
import sys
from helpers import children
children.prepare()
process = children.start([sys.executable, "-c", "import time; time.sleep(1000)"])
print(process.pid, flush=True)
process.wait()
"""


@pytest.fixture
def all_ignored() -> Iterator[None]:
    """Ignore the signals that a process in the background may begin with ignored."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    earlier = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    yield
    for number, handler in earlier.items():
        signal.signal(number, handler)


def is_alive(number: int) -> bool:
    """Tell whether a process runs; one that is dead may not have been waited for yet."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def dies(number: int) -> bool:
    until = time.monotonic() + 60
    while is_alive(number) and time.monotonic() < until:
        time.sleep(0.01)
    return not is_alive(number)


def test_a_child_hears_what_is_ignored_in_the_background(all_ignored: None) -> None:
    children.prepare()
    told = children.run([sys.executable, "-c", TELLS_SIGNALS], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "False", "False"]


def test_this_process_survives_a_hangup_as_it_did_before(all_ignored: None) -> None:
    children.prepare()
    os.kill(os.getpid(), signal.SIGHUP)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_child_that_is_left_behind_ends_with_its_test() -> None:
    process = children.start(FOREVER, stdout=PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    children.end_all()
    assert process.returncode == -signal.SIGKILL
    process.stdout.close()


@pytest.mark.parametrize("last", ["wait", "exit"])
def test_so_does_what_it_has_started_even_where_it_has_ended_itself(last: str, tmp_path: Path) -> None:
    script = f"sleep 1000 & echo $! > number.part; mv number.part number; {last}"
    process = children.start(["sh", "-c", script], cwd=tmp_path)
    while not (tmp_path / "number").exists():
        time.sleep(0.001)
    if last == "exit":
        process.wait()
    number = int((tmp_path / "number").read_text())
    assert is_alive(number)
    children.end_all()
    assert not is_alive(number)


def test_a_child_is_killed_when_its_time_is_up() -> None:
    assert children.start(FOREVER, limit=0.1, stdout=DEVNULL).wait(timeout=60) == -signal.SIGKILL
    assert children.run(FOREVER, limit=0.1, capture_output=True).returncode == -signal.SIGKILL


def test_a_child_dies_with_the_process_of_its_test() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    process = children.start([sys.executable, "-c", STARTS_ANOTHER], stdout=PIPE, env=environment)
    assert process.stdout is not None
    number = int(process.stdout.readline())
    assert is_alive(number)
    process.kill()
    process.wait()
    process.stdout.close()
    assert dies(number)


def test_a_child_that_is_to_last_does_so() -> None:
    process = children.start(FOREVER, lasting=True, stdout=DEVNULL)
    try:
        children.end_all()
        assert process.poll() is None
    finally:
        process.kill()
        process.wait()


def test_what_something_else_has_started_for_several_tests_lives_on_if_it_is_named() -> None:
    process = Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    children.let_last(process.pid)
    children.end_all()
    assert process.poll() is None
    process.kill()
    process.wait()
