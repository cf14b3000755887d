"""What the benchmark says that a program used is what it used."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from measure import CommandFailedError, TookTooLongError, measure
from spill import spilled_bytes

MEGABYTE = 1_000_000


def python(source: str) -> list[str]:
    return [sys.executable, "-c", source]


def test_what_it_prints_is_returned():
    assert measure(python("print('done')")).stdout == "done\n"


@pytest.mark.slow
def test_the_peak_is_that_of_a_moment():
    # As much as no test process has, since a child begins as a copy of its parent.
    peak = measure(python("x = b'1' * 1_200_000_000; del x")).peak_bytes
    assert 1_200 * MEGABYTE < peak < 1_240 * MEGABYTE


@pytest.mark.slow
def test_the_peak_of_a_grandchild_counts():
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'x = bytearray(b\"1\") * 400_000_000'])"
    assert measure(python(child)).peak_bytes > 400 * MEGABYTE


def test_processor_time_is_that_of_all_threads_and_not_of_waiting():
    waiting = measure(python("import time; time.sleep(0.3)"))
    assert waiting.wall_seconds >= 0.3
    assert waiting.cpu_seconds < waiting.wall_seconds
    working = measure(python("import time\nwhile time.process_time() < 0.3: pass"))
    assert working.cpu_seconds >= 0.3


def test_a_failure_is_told_with_its_status_and_message():
    with pytest.raises(CommandFailedError) as failed:
        measure(python("import sys; sys.exit('no such table')"))
    assert failed.value.status == 1
    assert failed.value.reason == "status 1:\nno such table"
    assert str(failed.value).startswith(sys.executable)


def test_a_program_that_a_signal_ends_has_failed():
    with pytest.raises(CommandFailedError) as failed:
        measure(python("import os, signal; os.kill(os.getpid(), signal.SIGTERM)"))
    assert failed.value.status == -signal.SIGTERM


def test_a_program_whose_time_is_up_is_killed(tmp_path):
    late = tmp_path / "late"
    started = time.monotonic()
    with pytest.raises(TookTooLongError) as stopped:
        measure(python(f"import time; time.sleep(60); open({str(late)!r}, 'w')"), timeout=0.2)
    assert time.monotonic() - started < 50
    assert stopped.value.reason == "no result in 0.2 s"
    assert not late.exists()


def test_a_program_that_kills_itself_was_not_too_slow():
    with pytest.raises(CommandFailedError) as failed:
        measure(python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"), timeout=100)
    assert not isinstance(failed.value, TookTooLongError)


def test_an_interrupt_ends_the_program_too(tmp_path):
    number, late = tmp_path / "number", tmp_path / "late"
    child = python(
        f"import os, time; open({str(number)!r}, 'w').write(str(os.getpid())); time.sleep(3); open({str(late)!r}, 'w')"
    )
    # Polars, which other tests import, lets a signal interrupt no waiting; the benchmark does without it.
    signal.siginterrupt(signal.SIGINT, True)

    def interrupt() -> None:
        while not (number.exists() and number.read_text()):
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        measure(child)
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)
    assert not late.exists()


# What is spilled


def test_what_the_engine_writes_into_temporary_folders_counts(tmp_path):
    spill = tmp_path / ".toolbox-1" / "spill"
    spill.mkdir(parents=True)
    (spill / "duckdb_temp_storage-0.tmp").write_bytes(os.urandom(2 * 65_536))
    (tmp_path / ".toolbox-1" / "store.duckdb").write_bytes(os.urandom(65_536))
    assert spilled_bytes(tmp_path) == 3 * 65_536


def test_releases_and_what_lies_elsewhere_do_not_count(tmp_path):
    for name in (".toolbox-1/release_0.csv", "release.csv", "other/duckdb_temp_storage-0.tmp", "a.duckdb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(os.urandom(65_536))
    assert spilled_bytes(tmp_path) == 0


def test_no_link_is_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "duckdb_temp.tmp").write_bytes(os.urandom(65_536))
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / ".toolbox-1").symlink_to(tmp_path / "elsewhere")
    assert spilled_bytes(tmp_path / "here") == 0


def test_a_folder_that_is_gone_holds_nothing(tmp_path):
    assert spilled_bytes(tmp_path / "gone") == 0


SPILLING = """
import sys, duckdb
folder, limit = sys.argv[1:]
connection = duckdb.connect(config={"memory_limit": limit, "threads": 1, "temp_directory": folder + "/.toolbox-1"})
connection.execute("create temp table t as select range as a, hash(range) as b, hash(range + 1) as c from range(3_000_000)")
import time; time.sleep(0.3)  # so that somebody looks
"""


def spilled_under(limit: str, folder: Path) -> int:
    return measure([*python(SPILLING), str(folder), limit], spill_folder=folder).spilled_bytes


@pytest.mark.slow
def test_an_engine_with_little_memory_spills_and_one_with_enough_does_not(tmp_path):
    # 3 million rows of 3 numbers of 8 bytes, of which two do not compress, are 72 MB.
    assert 20 * MEGABYTE < spilled_under("30MB", tmp_path) < 150 * MEGABYTE
    assert spilled_under("1GB", tmp_path) == 0
