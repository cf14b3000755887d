"""The folder in which the engine works: beside the release where it can be, else where the system has room."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest

from toolbox.config.model import Limits
from toolbox.errors import OutputError, UsageError
from toolbox.store.engine import connection as module
from toolbox.store.engine.connection import make_engine_folder

NAMED = "data*"


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder for the system's temporary files."""
    folder = tmp_path / "system"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def made_in(beside: Path | None, limits: Limits | None = None) -> Path:
    """Return the folder in which the engine's own was made; that is gone afterwards."""
    with make_engine_folder(beside, limits or Limits()) as workspace:
        assert workspace.folder.is_dir()
    assert not workspace.folder.exists()
    return workspace.folder.parent


def test_it_is_made_beside_what_is_named_or_in_the_system_s_folder(tmp_path: Path, system: Path) -> None:
    beside = tmp_path / "release"
    beside.mkdir()
    assert made_in(beside) == beside
    assert made_in(None) == system


def test_a_relative_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands before a colon there is a name of an extension to the engine."""
    (tmp_path / "a:b").mkdir()
    monkeypatch.chdir(tmp_path)
    assert made_in(Path("a:b")) == tmp_path / "a:b"


@pytest.mark.parametrize("character", "*?[]#")
def test_beside_a_release_whose_path_the_engine_cannot_read_it_is_not_made(
    tmp_path: Path, system: Path, character: str
) -> None:
    beside = tmp_path / f"data{character}" / "release"
    beside.mkdir(parents=True)
    assert made_in(beside) == system


def test_where_the_user_has_named_it_such_a_path_is_refused(tmp_path: Path) -> None:
    named = tmp_path / NAMED
    named.mkdir()
    with pytest.raises(UsageError, match=r"data\*'\. Name a folder without \* \? \[ \] and # in its path\."):
        make_engine_folder(named, Limits(temp_dir=named))
    assert list(named.iterdir()) == []


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (errno.EACCES, r"release: no folder for temporary files can be made here \(Permission denied\)"),
        (errno.ENOSPC, "The disk is full"),
        (errno.EROFS, "release lies on a file system that is read-only"),
    ],
    ids=["no permission", "no room", "read-only"],
)
def test_where_none_can_be_made_the_user_is_told_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int, said: str
) -> None:
    def refuse(parent: Path | None, timeout: float) -> None:
        raise OSError(reason, "Permission denied")

    monkeypatch.setattr(module, "Workspace", refuse)
    with pytest.raises(OutputError, match=said):
        make_engine_folder(tmp_path / "release", Limits())


def test_a_folder_that_does_not_exist_is_told() -> None:
    with pytest.raises(OutputError, match="no folder for temporary files can be made here"):
        make_engine_folder(Path("/nowhere/at/all"), Limits())


@pytest.mark.skipif(os.name != "posix", reason="permissions of this kind are those of POSIX")
def test_where_everybody_may_rename_folders_it_is_made_elsewhere_or_refused_if_it_was_named(
    tmp_path: Path, system: Path
) -> None:
    """Whoever put a folder of his own in the place of ours would get the original values."""
    shared = tmp_path / "shared"
    shared.mkdir()
    for mode, place in ((0o777, system), (0o1777, shared), (0o775, shared), (0o755, shared)):
        shared.chmod(mode)
        assert made_in(shared) == place
    shared.chmod(0o777)
    with pytest.raises(UsageError, match=r"--temp-dir is '.*', where everybody .* Run chmod \+t '.*', or name"):
        make_engine_folder(shared, Limits(temp_dir=shared))
    assert list(shared.iterdir()) == []
