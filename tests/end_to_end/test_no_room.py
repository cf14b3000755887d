"""Where nothing more can be written: a full disk, files that may not grow, closed and full standard streams."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from helpers import children
from helpers.hostile import OLDER, configuration, write

pytestmark = pytest.mark.sampled(1)

TOOLBOX = (sys.executable, "-m", "toolbox", "-config", "c.xml")
QID = "<att name='a' type='category'/><att name='b'/>"
RECORDS = 1_200


def shell(script: str, folder: Path, *, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run a script in which ``$T`` starts the toolbox."""
    environment = os.environ | {"T": " ".join(TOOLBOX)}
    command = [*prefix, "sh", "-c", script]
    return children.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Write a table whose release takes half a megabyte, and an earlier release."""
    notes = Random(1)
    rows = "".join(f"{'xyz'[n % 3]},{n % 40},{notes.randbytes(250).hex()}\n" for n in range(RECORDS))
    write(tmp_path / "in.csv", "a,b,c\n" + rows)
    write(tmp_path / "c.xml", configuration(QID, target="out/out.csv"))
    (tmp_path / "out").mkdir()
    write(tmp_path / "out" / "out.csv", OLDER)
    return tmp_path


@pytest.fixture(scope="session")
def own_mounts() -> tuple[str, ...]:
    """Return the command that may mount a small file system, which goes with it."""
    prefix = ("unshare", "-rm")
    if shutil.which("unshare") is None or children.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("This user may not make a mount namespace (unshare -rm).")
    return prefix


@pytest.mark.slow
@pytest.mark.parametrize(
    ("full", "options"),
    [
        ("out", ""),
        ("out", "--temp-dir elsewhere"),
        ("elsewhere", "--temp-dir elsewhere"),
        ("out", "-output out/o.parquet"),
    ],
)
def test_a_full_disk_is_named_with_the_room_that_is_left_and_what_to_do(
    full: str, options: str, desk: Path, own_mounts: tuple[str, ...]
) -> None:
    (desk / "elsewhere").mkdir()
    script = f"""
        mount -t tmpfs -o size=120k tmpfs {full} || exit 99
        test -e out/out.csv || printf 'an older release\\n' > out/out.csv
        $T --quiet {options}
        echo "status $?"
        ls -A out elsewhere
        cat out/out.csv
    """
    run = shell(script, desk, prefix=own_mounts)
    if run.returncode == 99:
        pytest.skip("This user may not mount a small file system.")
    assert run.stdout == f"status 2\nelsewhere:\n\nout:\nout.csv\n{OLDER}"
    assert run.stderr.startswith("toolbox: The disk is full: ")
    # The folder of the temporary files is told with its whole path, that of the release as it was written.
    place = full if options == "--temp-dir elsewhere" and full == "out" else desk / full
    for shown in (f" of 123 kB are left in {place}", "Free some room", "--temp-dir", "Nothing was released."):
        assert shown in run.stderr
    assert run.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_read_only_file_system_is_named(desk: Path, own_mounts: tuple[str, ...]) -> None:
    script = "mount -t tmpfs -o size=100k,ro tmpfs out || exit 99; $T --quiet; echo status $?; ls -A out"
    run = shell(script, desk, prefix=own_mounts)
    if run.returncode == 99:
        pytest.skip("This user may not mount a small file system.")
    assert run.stdout == "status 2\n"
    assert run.stderr == (
        "toolbox: out lies on a file system that is read-only. Make it writable, or name another folder. "
        "Nothing was released.\n"
    )


@pytest.mark.slow
def test_a_limit_on_the_size_of_files_is_named(desk: Path) -> None:
    run = shell("ulimit -f 200; $T --quiet; echo status $?", desk)
    assert run.stdout == "status 2\n"
    assert "would become larger than this process may write, " in run.stderr
    assert "(ulimit -f)" in run.stderr
    assert [path.name for path in (desk / "out").iterdir()] == ["out.csv"]
    assert (desk / "out" / "out.csv").read_text() == OLDER


# Standard streams


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "--json > /dev/full",
            "toolbox: the release is complete, but its summary could not be printed. "
            "Standard output cannot be written: No space left on device.\n",
        ),
        ("2> /dev/full", ""),
    ],
    ids=["standard output", "standard error"],
)
def test_the_release_stands_where_its_summary_cannot_be_printed(options: str, said: str, desk: Path) -> None:
    run = shell(f"$T {options}; echo status $?", desk)
    assert (run.stdout, run.stderr) == ("status 0\n", said)
    assert (desk / "out" / "out.csv").read_text() != OLDER


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", ["--help", "--version", "methods", "methods --json", "--json -k 0 -config c.xml"])
def test_what_is_asked_for_and_cannot_be_printed_is_an_error(arguments: str, desk: Path) -> None:
    run = shell(f"{sys.executable} -m toolbox {arguments} > /dev/full", desk)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert run.stderr.startswith("toolbox: ")


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", "<&-", ">&-", "2>&-"])
def test_closed_streams_do_no_harm(closed: str, desk: Path) -> None:
    run = shell(f"$T --json {closed}; echo status $? > status", desk)
    assert (desk / "status").read_text() == "status 0\n", run.stderr
    assert "Traceback" not in run.stderr
    if ">&-" not in closed.replace("2>&-", ""):
        assert json.loads(run.stdout)["records_read"] == RECORDS
    first = (desk / "out" / "out.csv").read_text().splitlines()[0]
    assert first == "a,b,c"


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["2>/dev/full", "2>&-"] if Path("/dev/full").exists() else ["2>&-"])
def test_an_error_keeps_its_status_where_it_cannot_be_printed(stream: str, desk: Path) -> None:
    run = shell(f"$T -k 99999 {stream}", desk)
    assert (run.returncode, run.stdout) == (3, "")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["--json", "2>&1", "methods", "methods --json"])
def test_a_reader_that_leaves_early_is_no_fault(arguments: str, desk: Path) -> None:
    script = f"({sys.executable} -m toolbox {arguments} -config c.xml; echo $? > status) | true"
    if arguments.startswith("methods"):
        script = script.replace(" -config c.xml", "")
    run = shell(script, desk)
    assert ((desk / "status").read_text(), run.stderr) == ("0\n", "")
