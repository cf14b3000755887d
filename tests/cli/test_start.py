"""A start that is interrupted, at whatever line of code: one line of text, exit status 130, no traceback."""

import os
import subprocess
import sys
from ast import literal_eval
from collections.abc import Sequence
from pathlib import Path

import pytest

# Interrupts itself when so many lines of code have run, in a copy of the process for each of the moments.
INTERRUPTED_AT = """
import os, sys
import _signal  # the module of signals imports others

# Whoever runs the tests in the background has this signal ignored.
_signal.signal(_signal.SIGINT, _signal.default_int_handler)
from toolbox.cli.start import start

def run(moment):
    lines = 0

    def count(frame, event, argument):
        nonlocal lines
        lines += event == "line"
        if lines == moment:
            sys.settrace(None)
            os.kill(os.getpid(), 2)
        return count

    sys.settrace(count)
    status = start()
    sys.settrace(None)
    return lines if moment is None else status

sys.argv = ["toolbox", "methods", "--quiet", "--json"]
for moment in [*map(int, os.environ["MOMENTS"].split())] or [None]:
    reader, writer = os.pipe()
    if not (child := os.fork()):
        os.dup2(writer, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = run(moment)
        if moment is None:
            os.write(2, str(status).encode())
        sys.exit(0 if moment is None else status)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    print(moment, os.waitstatus_to_exitcode(status), repr(os.fdopen(reader).read()), flush=True)
"""
HERE = Path(__file__).parents[2]
TOLD = "toolbox: interrupted; nothing was released.\n"


def interrupted_at(moments: Sequence[int]) -> list[tuple[str, int, str]]:
    """Return for each moment the exit status and what standard error holds; for none, how many lines are run."""
    finished = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT],
        env={**os.environ, "MOMENTS": " ".join(map(str, moments))},
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split(" ", 2) for line in finished.stdout.splitlines()]
    return [(moment, int(status), literal_eval(text)) for moment, status, text in rows]


def wrong(moments: Sequence[int]) -> list[tuple[str, int, str]]:
    return [one for one in interrupted_at(moments) if one[1:] != (130, TOLD)]


def test_an_interrupt_of_the_start_is_told_in_a_line() -> None:
    assert wrong([2, 3, 4, 6, 10, 30, 60, 100, 1000, 3000]) == []


@pytest.mark.slow
def test_an_interrupt_at_any_of_many_moments_is_told_in_a_line() -> None:
    ((_, _, lines),) = interrupted_at([])
    assert wrong([*range(2, 80), *range(80, int(lines), int(lines) // 30)]) == []


def test_little_is_imported_before_the_first_line_that_hears_an_interrupt() -> None:
    code = "import os, sys; known = set(sys.modules); import toolbox.cli.start; print(*set(sys.modules) - known)"
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); {code}"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) - {
        "__future__",
        "importlib",
        "importlib._bootstrap",
        "importlib._bootstrap_external",
        "warnings",
    } == {
        "toolbox",
        "toolbox.cli",
        "toolbox.cli.start",
    }


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", [["--help"], ["-config", "c.xml", "--quiet"]], ids=["help", "run"])
def test_nothing_of_databases_and_clusters_is_imported_where_all_are_files(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("age\n20\n21\n")
    places = "<input filename='in.csv' header='true'/><output filename='out.csv'/>"
    (tmp_path / "c.xml").write_text(f"<config k='2'>{places}<qid><att name='age'/></qid></config>")
    code = (
        "import atexit, sys; from toolbox.cli.main import main; "
        "ours = ('psycopg', 'pyspark', 'grpc', 'toolbox.engines'); "
        "atexit.register(lambda: print(*(name for name in sys.modules if name.startswith(ours)), file=sys.stderr)); "
        "sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == []
    assert (tmp_path / "out.csv").exists() == (words[0] == "-config")
