"""What was done is undone and done again, in any order, and after a restart."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from toolbox.app.project import past as module
from toolbox.app.project.documents import UnreadableError
from toolbox.app.project.past import History
from toolbox.projects.state import Snapshot


def of(folder: Path | None) -> History:
    return History(folder, asdict, lambda document: Snapshot(**document))


def test_undo_and_redo_go_back_and_forth(tmp_path: Path) -> None:
    history = of(tmp_path)
    assert (history.undoes, history.redoes, history.undo(), history.redo()) == (None, None, None, None)
    for words in ("Opened", "First", "Second"):
        history.add(words, Snapshot(f"<{words}/>"))
    assert (history.undoes, history.redoes) == ("Second", None)
    entry = history.undo()
    assert entry is not None
    assert (entry.words, history.now.xml, history.undoes, history.redoes) == ("Second", "<First/>", "First", "Second")
    history.redo()
    assert history.now.xml == "<Second/>"
    history.undo()
    history.undo()
    assert (history.now.xml, history.undo()) == ("<Opened/>", None)
    # What was undone is forgotten as soon as something else is done.
    history.add("Third", Snapshot("<Third/>"))
    assert (history.redoes, history.undoes) == (None, "Third")


def test_it_is_there_again_after_a_restart_and_belongs_to_its_owner(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    history = of(folder)
    for words in ("Opened", "First", "Second"):
        history.add(words, Snapshot(f"<{words}/>", {"hierarchies/a.csv": "é;*"}))
    history.undo()
    again = of(folder)
    assert again.load()
    assert (again.now, again.redoes) == (Snapshot("<First/>", {"hierarchies/a.csv": "é;*"}), "Second")
    assert again.knows(lambda snapshot: snapshot.xml == "<Second/>")
    assert not again.knows(lambda snapshot: snapshot.xml == "<Third/>")
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700
    again.clear()
    assert [path.name for path in folder.iterdir()] == ["position.json"]


def test_the_oldest_are_forgotten_with_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    history = of(tmp_path)
    for number in range(5):
        history.add(str(number), Snapshot(f"<a n='{number}'/>"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2.json", "3.json", "4.json", "position.json"]
    again = of(tmp_path)
    assert again.load() and again.undoes == "4"


def test_what_was_not_kept_by_us_is_no_history(tmp_path: Path) -> None:
    assert not of(None).load() and not of(tmp_path).load()
    first = '{"words": "Opened", "snapshot": {"xml": "<a/>", "hierarchies": 5}}'
    for text, entry in (
        ("{", first),
        ("[]", first),
        ('{"first": 0, "at": 5, "count": 1}', first),
        ('{"first": 0, "at": 0, "count": 1000000000000}', first),
        ('{"first": 0, "at": 0, "count": 1}', first),
        ('{"first": 0, "at": 0, "count": 2}', first.replace("5", "{}")),
        ('{"first": "x"}', first),
    ):
        (tmp_path / "position.json").write_text(text)
        (tmp_path / "0.json").write_text(entry)
        with pytest.raises(UnreadableError):
            of(tmp_path).load()
