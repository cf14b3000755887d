"""Tables that somebody changes."""

from __future__ import annotations

import os
from pathlib import Path

from toolbox.app.children.project_session import list_file_stamps


def test_each_change_of_a_file_a_folder_or_a_pattern_has_another_stamp(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    first, second = folder / "part-1.csv", folder / "part-2.csv"
    first.write_text("town\nGraz\n")
    for source in (first, folder, folder / "part-*.csv"):
        before = list_file_stamps([source])
        assert [Path(name).name for name, *_ in before] == ["part-1.csv"]
        assert list_file_stamps([source]) == before
        first.write_text(first.read_text() + "Wien\n")
        longer = list_file_stamps([source])
        # The same size and the same time, but another file.
        other, status = folder / "other", first.stat()
        other.write_text(first.read_text())
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
        other.replace(first)
        assert len({before, longer, list_file_stamps([source])}) == 3
    second.write_text("town\n")
    assert [len(list_file_stamps([source])) for source in (first, folder, folder / "part-*.csv")] == [1, 2, 2]


def test_what_is_not_there_has_no_stamp(tmp_path: Path) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / ".toolbox-app").mkdir()
    (tmp_path / ".toolbox-app" / "log").write_text("GET /data\n")
    names = ("people.csv", "gone", "x*.csv", "", "x" * 300, "a\0b")
    assert list_file_stamps(tmp_path / name for name in names) == list_file_stamps([]) == ()
