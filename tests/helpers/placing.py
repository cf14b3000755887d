"""Finished files and the folder of their final names; and processes that are killed while they place files."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from toolbox.release.placing import move_together
from toolbox.store.disk.workspace import Workspace, remove_dead


class Desk:
    """Two finished files, and the folder of their final names."""

    def __init__(self, folder: Path) -> None:
        self.work, self.out = folder / "work", folder / "out"
        self.work.mkdir()
        self.out.mkdir()
        self.finish()

    def finish(self, word: str = "new") -> None:
        for name in ("first", "second"):
            (self.work / name).write_text(f"{word} {name}")

    def move(self, *finals: Path) -> None:
        move_together(dict(zip((self.work / "first", self.work / "second"), finals, strict=True)), self.work)

    def content(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(self.out.rglob("*")) if path.is_file()}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def in_memory(tmp_path: Path) -> Iterator[Path]:
    """Return a folder where nothing has to wait for a disk, if there is one."""
    memory = Path("/dev/shm")
    if not (memory.is_dir() and os.access(memory, os.W_OK)):
        yield tmp_path
        return
    with TemporaryDirectory(prefix="toolbox-test-", dir=memory) as folder:
        yield Path(folder)


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on another file system."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("There is no second file system here, such as /dev/shm.")
    folder = memory / f"toolbox-test-{os.getpid()}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


STEPS = ("replace", "rename", "link", "unlink", "fsync", "rmdir")
"""What changes a file system for good, in the order in which it is done."""


def killed_at(step: int, out: Path, far: Path, tables: Sequence[Path] = ()) -> bool:
    """Place two files in a process that is killed just before its nth step; tell whether it got that far."""
    child = os.fork()
    if child == 0:
        place_until(step, out, far, tables)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


def place_until(dies_at: int, out: Path, far: Path, tables: Sequence[Path]) -> None:
    die_at(dies_at)
    with Workspace(out) as workspace:
        finished = {workspace.folder / name: place / name for name, place in (("a", out), ("b", far))}
        for path in finished:
            path.write_text(f"new {path.name}")
        move_together(finished, workspace.folder, tables=tables)


def die_at(dies_at: int) -> None:
    """Let this process be killed just before its nth step."""
    steps = 0

    def counted(step: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal steps
            steps += 1
            if steps == dies_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*arguments, **options)

        return call

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))


_between: dict[bool, int] = {}
"""Before which step a run was between its two moves at last, in one folder or in two: mostly it is there again."""


def mixed(out: Path, other: Path) -> None:
    """Kill a run between its two moves, so that a new file stands beside an old one."""
    first = _between.get(out == other, 1)
    for step in (*range(first, 60), *range(1, first)):
        (out / "a").write_text("old a")
        (other / "b").write_text("old b")
        killed_at(step, out, other)
        if released(out, other) == {"a": "new a", "b": "old b"}:
            _between[out == other] = step
            return
        for folder in {out, other}:
            remove_dead(folder)
    raise AssertionError("no step lies between the two moves")


def killed_recovering(step: int, folder: Path) -> bool:
    """Bring to an end what is in a folder, in a process that is killed before its nth step; tell if it got that far."""
    child = os.fork()
    if child == 0:
        die_at(step)
        remove_dead(folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


def released(*folders: Path) -> dict[str, str]:
    """Read what stands at the final names; temporary files begin with a dot."""
    paths = (path for folder in folders for path in folder.iterdir() if not path.name.startswith("."))
    return {path.name: path.read_text() for path in paths}
