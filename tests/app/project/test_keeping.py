"""The folder beside a project is made, and taken up only if it is ours alone; `test_security.py` attacks it."""

from __future__ import annotations

from pathlib import Path

from toolbox.app.project.past import FOLDER, make_past_folder


def test_it_is_made_and_found_again(tmp_path: Path) -> None:
    made = make_past_folder(tmp_path / "new")
    assert made == tmp_path / "new" / FOLDER
    assert made.stat().st_mode & 0o777 == 0o700
    (made / "history").mkdir()
    (made / "history/0.json").write_text("{}")
    assert make_past_folder(tmp_path / "new") == made
    (made / "history/0.json").chmod(0o662)
    assert make_past_folder(tmp_path / "new") is None


def test_a_file_in_its_place_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("")
    assert make_past_folder(tmp_path) is None
