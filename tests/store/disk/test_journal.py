"""Journals are not trusted: what others have put into a folder moves nothing, anywhere."""

import hashlib
import json
import os
import shutil
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.hostile import run_here
from helpers.placing import mixed, released

from toolbox.store.disk.workspace import remove_dead

HOST = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
OTHER_BOOT = "11111111"


def boot() -> str:
    path = Path("/proc/sys/kernel/random/boot_id")
    text = path.read_text().strip() if path.exists() else socket.gethostname()
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def mark(path: Path) -> list[int]:
    return [path.stat().st_size, path.stat().st_mtime_ns]


def forged(place: Path, final: str, *, start: str) -> Path:
    """Make the folder of a run that seems to have died between two moves, as somebody would who knows our code."""
    folder = place / f".toolbox-{HOST}-{start}-0123456789abcdef"
    folder.mkdir(mode=0o700)
    (folder / "lock").write_text(folder.name)
    (place / "readme.txt").write_text("moved already")
    (folder / "new_1").write_text("evil")
    moves = [
        {"staged": f"{folder.name}/new_0", "final": "readme.txt", "kept": f"{folder.name}/earlier_0",
         "new": mark(place / "readme.txt"), "earlier": None},
        {"staged": f"{folder.name}/new_1", "final": final, "kept": f"{folder.name}/earlier_1",
         "new": mark(folder / "new_1"), "earlier": None},
    ]  # fmt: skip
    (folder / "journal.json").write_text(json.dumps(moves))
    return folder


def everything(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


class Archive:
    """An archive with the folder of a run in it, unpacked beside somebody's own file."""

    def __init__(self, top: Path, final: str, start: str) -> None:
        self.top = top
        self.victim, maker, self.download = (top / name for name in ("victim", "maker", "download"))
        for folder in (self.victim, maker, self.download):
            folder.mkdir()
        forged(maker, str(self.victim / "profile") if final == "absolute" else final, start=start)
        with tarfile.open(top / "archive.tar", "w") as archive:
            archive.add(maker, ".")
        with tarfile.open(top / "archive.tar") as archive:
            archive.extractall(self.download, filter="fully_trusted")


@pytest.mark.parametrize("start", ["this one", "another one"])
@pytest.mark.parametrize("final", ["absolute", "../victim/profile", "profile"])
def test_an_unpacked_archive_writes_nothing(final: str, start: str, tmp_path: Path) -> None:
    """All that its maker has to know is the name of the machine."""
    archive = Archive(tmp_path, final, boot() if start == "this one" else OTHER_BOOT)
    before = everything(tmp_path)
    remove_dead(archive.download)
    assert everything(tmp_path) == before


def test_a_run_beside_an_unpacked_archive_says_once_that_it_leaves_it_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    download = Archive(tmp_path, "absolute", OTHER_BOOT).download
    (download / "in.csv").write_text("a\nx\nx\n")
    (download / "c.xml").write_text(
        "<config k='2'><input filename='in.csv' header='true'/><output filename='out.csv'/>"
        "<qid><att name='a' type='category'/></qid></config>"
    )
    before = everything(tmp_path)
    run = run_here(["-config", download / "c.xml", "--quiet"], capsys)
    assert run.status == 0
    assert everything(tmp_path) == {**before, "download/out.csv": "a\nx\nx\n"}
    assert run.err.count("It is not touched: its journal is not sealed with your key") == 1


def test_a_journal_that_is_a_link_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = forged(tmp_path, "profile", start=boot())
    (folder / "journal.json").rename(tmp_path / "elsewhere.json")
    (folder / "journal.json").symlink_to(tmp_path / "elsewhere.json")
    before = everything(tmp_path)
    remove_dead(tmp_path)
    assert everything(tmp_path) == before
    assert "its journal is no file of yours" in capsys.readouterr().err


def test_a_named_pipe_in_the_place_of_a_journal_or_a_lock_keeps_nobody_waiting(tmp_path: Path) -> None:
    for name in ("journal.json", "lock"):
        folder = forged(tmp_path, "profile", start=boot())
        (folder / name).unlink()
        os.mkfifo(folder / name)
        remove_dead(tmp_path)
        assert (folder / "new_1").read_text() == "evil"
        shutil.rmtree(folder)
    assert everything(tmp_path) == {"readme.txt": "moved already"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", ["journal.json", "lock", "."])
def test_what_belongs_to_another_user_is_not_used(name: str, tmp_path: Path) -> None:
    folder = forged(tmp_path, "profile", start=boot())
    os.chown(folder / name, 65534, 65534)
    before = everything(tmp_path)
    remove_dead(tmp_path)
    assert everything(tmp_path) == before


# What a run has really left


class Mixed:
    """What a run has left that was killed between its two moves: ``a`` is new in one folder, ``b`` old in another."""

    def __init__(self, top: Path) -> None:
        self.out, self.other = top / "out", top / "other"
        for folder in (self.out, self.other):
            folder.mkdir()
        mixed(self.out, self.other)

    def journal(self, place: Path) -> Path:
        (found,) = place.glob(".toolbox-*/journal.json")
        return found

    def content(self) -> dict[str, str]:
        return released(self.out, self.other)


HALF = {"a": "new a", "b": "old b"}
ALL = {"a": "new a", "b": "new b"}


@pytest.fixture
def dead(in_memory: Path) -> Mixed:
    return Mixed(in_memory)


@pytest.mark.slow
def test_a_journal_names_only_files_beside_its_folder(dead: Mixed) -> None:
    for place, name in ((dead.out, "a"), (dead.other, "b")):
        _, _, content = dead.journal(place).read_bytes().partition(b"\n")
        assert [move[1] for move in json.loads(content)["moves"]] == [name]


def renamed_within(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes().replace(b'"new_', b'"now_'))


def unsealed(journal: Path) -> None:
    journal.write_bytes(b"\n" + journal.read_bytes().partition(b"\n")[2])


def torn(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes()[:-20])


def from_another_start(journal: Path) -> None:
    host = journal.parent.name.split("-")[1]
    folder = journal.parent.rename(journal.parent.with_name(f".toolbox-{host}-{OTHER_BOOT}-0123456789abcdef"))
    (folder / "lock").write_text(folder.name)


def from_another_host(journal: Path) -> None:
    folder = journal.parent.rename(journal.parent.with_name(f".toolbox-00000000-{boot()}-0123456789abcdef"))
    (folder / "lock").write_text(folder.name)


def copied(journal: Path) -> None:
    """Bring the same content into a folder of the same name, which is another one all the same."""
    shutil.move(journal.parent, journal.parents[2] / "kept")
    shutil.copytree(journal.parents[2] / "kept", journal.parent)


def open_to_others(journal: Path) -> None:
    journal.parent.chmod(0o777)


def behind_a_link(journal: Path) -> None:
    journal.parent.rename(journal.parents[2] / "kept")
    journal.parent.symlink_to(journal.parents[2] / "kept")


CHANGES = (renamed_within, unsealed, torn, from_another_start, from_another_host, copied, open_to_others, behind_a_link)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["out", "other"])
@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_moved_where_one_of_the_journals_is_not_as_it_was(
    change: Callable[[Path], None], place: str, dead: Mixed, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither by the next run in its folder, nor by one in the folder of the other journal."""
    change(dead.journal(getattr(dead, place)))
    remove_dead(dead.out)
    remove_dead(dead.other)
    assert dead.content() == HALF
    assert "It is not touched" in capsys.readouterr().err


@pytest.mark.slow
def test_nothing_is_moved_without_the_key_with_which_the_journal_was_sealed(
    dead: Mixed, in_memory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for home in (in_memory / "other home", in_memory / "out" / "a"):
        with monkeypatch.context() as patched:
            patched.setenv("XDG_STATE_HOME", str(home))
            remove_dead(dead.out)
            assert dead.content() == HALF
            assert f"not sealed with your key in {home / 'toolbox'}" in capsys.readouterr().err
    remove_dead(dead.out)
    assert dead.content() == ALL


@pytest.mark.slow
def test_a_journal_of_another_run_does_not_stand_in_for_one_that_belongs_to_the_set(dead: Mixed) -> None:
    before = dead.journal(dead.other)
    folder, content = before.parent, before.read_bytes()
    remove_dead(dead.out)
    remove_dead(dead.other)
    assert dead.content() == ALL
    mixed(dead.out, dead.other)
    dead.journal(dead.other).write_bytes(content)
    remove_dead(dead.out)
    assert not folder.exists()
    assert dead.content() == HALF


@pytest.mark.slow
def test_a_folder_that_is_not_there_now_is_waited_for(dead: Mixed, capsys: pytest.CaptureFixture[str]) -> None:
    """As a disk is not that has not been mounted yet."""
    away = dead.other.rename(dead.other.with_name("away"))
    for _ in range(2):
        remove_dead(dead.out)
        dead.other.mkdir(exist_ok=True)
    assert released(dead.out) == {"a": "new a"}
    assert f"it also wrote into {dead.other}, which is not there any more" in capsys.readouterr().err
    dead.other.rmdir()
    away.rename(dead.other)
    remove_dead(dead.out)
    assert dead.content() == ALL


@pytest.mark.slow
def test_after_a_power_cut_the_next_start_of_the_machine_brings_it_to_an_end(
    dead: Mixed, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolbox.store.disk.directory_lock import Machine

    for module in ("directory_lock", "journal", "workspace"):
        monkeypatch.setattr(f"toolbox.store.disk.{module}.describe_machine", lambda: Machine(HOST, "22222222"))
    remove_dead(dead.other)
    assert dead.content() == ALL


def test_a_name_that_leads_elsewhere_is_refused_even_where_it_is_sealed(dead: Mixed, in_memory: Path) -> None:
    from toolbox.store.disk.journal import seal_content

    journal = dead.journal(dead.other)
    whole = journal.read_bytes().partition(b"\n")[2]
    for name in ("../profile", str(in_memory / "profile"), "sub/profile", "..", ".", "", "a\0b"):
        document = json.loads(whole)
        document["moves"][0][1] = name
        content = json.dumps(document).encode()
        journal.write_bytes((seal_content(content) or "").encode() + b"\n" + content)
        remove_dead(dead.out)
        assert dead.content() == HALF
    journal.write_bytes((seal_content(whole) or "").encode() + b"\n" + whole)
    remove_dead(dead.out)
    assert dead.content() == ALL
