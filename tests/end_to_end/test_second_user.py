"""A second user of the machine, who may write to the folder of a release, reads nothing and breaks nothing."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.hostile import configuration, write

from toolbox.cli.main import main

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="Only root can be two users. Run it as root."
)
NOBODY = 65534
SECRET = "what only its owner may read\n"


def as_another_user(act: Callable[[], Any]) -> Any:
    """Do something as an unprivileged user, in a process of his own, and return what he has found."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(writing, json.dumps(act()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        found = file.read()
    os.waitpid(child, 0)
    return json.loads(found)


class Desk:
    """A folder that both may write to, and one that only the first user may enter."""

    def __init__(self, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.shared, self.own, self._capsys = top / "shared", top / "own", capsys
        self.shared.mkdir()
        self.shared.chmod(0o1777)
        self.own.mkdir(mode=0o700)
        write(self.own / "profile", SECRET)
        write(self.own / "in.csv", "a,b\nx,1\nx,2\nwithout a second\n")
        write(self.own / "c.xml", configuration(target=str(self.out)))

    @property
    def out(self) -> Path:
        return self.shared / "out.csv"

    def run(self, *options: str, placed: Callable[[], None] = lambda: None) -> tuple[int, str]:
        self._capsys.readouterr()
        status = main(["-config", str(self.own / "c.xml"), "--quiet", *options], placed=placed)
        return status, self._capsys.readouterr().err

    def names(self) -> list[str]:
        return sorted(path.name for path in self.shared.iterdir())


@pytest.fixture
def desk(capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    # Not in the folder of pytest, which others may not enter.
    top = Path(tempfile.mkdtemp(prefix="toolbox-test-"))
    top.chmod(0o755)
    yield Desk(top, capsys)
    shutil.rmtree(top)


def readable(folder: Path) -> list[str]:
    """List the files that can be read, however deep they lie."""
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                (Path(place) / name).read_bytes()
            except PermissionError:
                continue
            found.append(name)
    return sorted(found)


@pytest.mark.slow
def test_while_a_run_is_at_work_and_afterwards_only_what_it_releases_can_be_read(desk: Desk) -> None:
    beside = [str(desk.shared / name) for name in ("report.json", "rejects.txt", "store.duckdb")]
    seen: list[tuple[bool, list[str]]] = []

    def look() -> None:
        at_work = any(name.startswith(".toolbox-") for name in desk.names())
        seen.append((at_work, as_another_user(lambda: readable(desk.shared))))

    options = zip(("--report", "--rejects", "--store"), beside, strict=True)
    status, _ = desk.run(*(word for option in options for word in option), placed=look)
    # The report in JSON tells the least class and the risks: it is for its owner alone.
    released = ["out.csv"]
    assert (status, seen) == (0, [(True, released)])
    assert as_another_user(lambda: readable(desk.shared)) == released
    assert desk.names() == ["out.csv", "rejects.txt", "report.json", "store.duckdb"]


@pytest.mark.slow
def test_the_key_cannot_be_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    states = desk.shared / "states"
    monkeypatch.setenv("XDG_STATE_HOME", str(states))
    desk.run("--report", str(desk.shared / "report.json"))
    assert (states / "toolbox" / "key").exists()
    assert as_another_user(lambda: readable(states)) == []


def machine() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return "-".join(hashlib.sha256(text.encode()).hexdigest()[:8] for text in (socket.gethostname(), boot))


@pytest.mark.slow
def test_the_folder_of_a_run_that_he_forges_is_not_used(desk: Desk) -> None:
    folder = desk.shared / f".toolbox-{machine()}-0123456789abcdef"

    def forge() -> None:
        folder.mkdir()
        (folder / "lock").write_text(folder.name)
        (folder / "new_1").write_text("evil")
        there = (folder / "new_1").stat()
        mark = [there.st_size, there.st_mtime_ns]
        done = {"staged": "x", "final": f"{folder.name}/new_1", "kept": "x", "new": mark, "earlier": None}
        evil = {
            "staged": f"{folder.name}/new_1",
            "final": str(desk.own / "made"),
            "kept": "x",
            "new": mark,
            "earlier": None,
        }
        (folder / "journal.json").write_text(json.dumps([done, evil]))

    as_another_user(forge)
    assert desk.run()[0] == 0
    assert desk.names() == [folder.name, "out.csv"]
    assert sorted(path.name for path in desk.own.iterdir()) == ["c.xml", "in.csv", "profile"]


@pytest.mark.slow
def test_a_lock_that_he_holds_for_ever_ends_the_run_in_time(desk: Desk) -> None:
    lock = desk.shared / ".toolbox-lock"

    def hold() -> int:
        descriptor = os.open(lock, os.O_CREAT | os.O_RDWR, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return os.getpid()

    as_another_user(hold)
    status, errors = desk.run("--lock-timeout", "0.05")
    assert (status, desk.names()) == (2, [".toolbox-lock"])
    assert f"waiting for user number {NOBODY}" in errors
    assert "Nothing was released." in errors
    assert lock.lstat().st_uid == NOBODY


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [".toolbox-lock", "out.csv", "report.json", "rejects.txt"])
def test_a_pipe_that_he_has_put_there_is_refused(name: str, desk: Desk) -> None:
    as_another_user(lambda: os.mkfifo(desk.shared / name, 0o666))
    beside = [("--report", "report.json"), ("--rejects", "rejects.txt")]
    status, errors = desk.run(*(word for option, path in beside for word in (option, str(desk.shared / path))))
    assert (status, desk.names()) == (2, [name])
    assert "a named pipe" in errors


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["profile", "absent"])
@pytest.mark.parametrize("option", ["-output", "--report", "--rejects", "--store"])
def test_a_link_that_he_has_put_there_leads_nowhere(option: str, target: str, desk: Desk) -> None:
    link = desk.shared / "result"
    as_another_user(lambda: link.symlink_to(desk.own / target))
    status, errors = desk.run(option, str(link))
    assert status == 2
    assert "is a symbolic link to" in errors
    assert (desk.own / "profile").read_text() == SECRET
    assert not (desk.own / "absent").exists()
    assert desk.names() == ["result"]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("end", [".dead", ""])
def test_a_folder_of_ours_that_he_renames_is_not_removed(end: str, desk: Desk) -> None:
    """Where a folder is not sticky, its users may rename what is not theirs."""
    desk.shared.chmod(0o777)
    precious = desk.shared / "precious"
    precious.mkdir(mode=0o755)
    for name in ("thesis", "lock"):
        write(precious / name, SECRET)
    renamed = desk.shared / f".toolbox-{machine()}-0123456789abcdef{end}"
    as_another_user(lambda: str(precious.rename(renamed)))
    assert desk.run()[0] == 0
    assert sorted(path.name for path in renamed.iterdir()) == ["lock", "thesis"]
