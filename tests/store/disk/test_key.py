"""The key that seals journals: made once, for its user alone, outside the folders of releases."""

import os
import threading
from pathlib import Path

import pytest

from toolbox.store.disk.journal import find_key_folder, is_sealed, seal_content


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def seal(content: bytes) -> str:
    found = seal_content(content)
    assert found is not None
    return found


def test_it_lies_in_the_home_for_its_user_alone(home: Path) -> None:
    assert is_sealed(b"content", seal(b"content"))
    key = home / ".local" / "state" / "toolbox" / "key"
    assert (key.stat().st_mode & 0o777, key.parent.stat().st_mode & 0o777, key.stat().st_size) == (0o600, 0o700, 32)
    assert [path.name for path in key.parent.iterdir()] == ["key"]


def test_a_folder_of_states_that_the_user_names_is_taken_instead(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "states"))
    seal(b"content")
    assert (home / "states" / "toolbox" / "key").exists()
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert find_key_folder() == home / ".local" / "state" / "toolbox"


def test_a_seal_fits_one_content_and_one_key(home: Path) -> None:
    first = seal(b"content")
    assert not is_sealed(b"contents", first)
    assert not is_sealed(b"content", "")
    assert not is_sealed(b"content", "\u00e9")
    (home / ".local" / "state" / "toolbox" / "key").unlink()
    assert not is_sealed(b"content", first)
    assert seal(b"content") != first


def test_of_runs_that_begin_at_once_all_use_the_same(home: Path) -> None:
    seals: list[str | None] = []
    threads = [threading.Thread(target=lambda: seals.append(seal_content(b"content"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(seals), len(set(seals)), None in seals) == (8, 1, False)


@pytest.mark.parametrize("kind", ["readable", "short", "long", "link", "folder"])
def test_a_key_that_others_may_know_is_not_used(kind: str, home: Path) -> None:
    before = seal(b"content")
    key = home / ".local" / "state" / "toolbox" / "key"
    match kind:
        case "readable":
            key.chmod(0o640)
        case "short" | "long":
            key.write_bytes(b"x" * (31 if kind == "short" else 33))
        case "link":
            key.rename(home / "elsewhere")
            key.symlink_to(home / "elsewhere")
        case _:
            key.unlink()
            key.mkdir()
    assert not is_sealed(b"content", before)
    assert seal_content(b"content") is None


def test_a_key_in_a_folder_that_others_may_write_to_is_not_used(home: Path) -> None:
    seal(b"content")
    (home / ".local" / "state" / "toolbox").chmod(0o770)
    assert seal_content(b"content") is None


def test_without_a_home_that_can_be_written_nothing_is_sealed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").touch()
    monkeypatch.setenv("HOME", str(home / "file"))
    assert seal_content(b"content") is None
    assert not is_sealed(b"content", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_makes_no_key_in_the_home_of_somebody_else(home: Path) -> None:
    os.chown(home, 65534, 65534)
    assert seal_content(b"content") is None
    assert list(home.iterdir()) == []
