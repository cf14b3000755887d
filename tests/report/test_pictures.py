"""Pictures come to their names as a whole, and replace a file or nothing."""

import os
from pathlib import Path

import pytest

from toolbox.errors import OutputError
from toolbox.report.plots import require_plotting, save

pytest.importorskip("matplotlib", reason="Pictures need matplotlib: pip install 'anonymisation-toolbox[plot]'.")


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_what_is_no_file_is_refused_before_any_work_and_when_it_appears_meanwhile(kind: str, tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    path = tmp_path / "picture.svg"
    (tmp_path / "mine").write_text("mine")
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("mine")
    shown = "a named pipe" if kind == "pipe" else "a symbolic link to 'mine'"
    with pytest.raises(OutputError) as caught:
        require_plotting(path)
    assert str(caught.value) == f"--plot is {str(path)!r}, which is {shown}. Write the path of a file."
    with pytest.raises(OutputError) as caught:
        save(Figure(), path)
    assert str(caught.value) == f"{path}: the picture cannot be written, as there is {shown}."
    assert sorted(found.name for found in tmp_path.iterdir()) == ["mine", "picture.svg"]
    assert (tmp_path / "mine").read_text() == "mine"


def test_what_others_have_put_beside_a_picture_is_not_written_to(tmp_path: Path) -> None:
    """Where a picture is drawn before it comes to its name can be guessed by nobody."""
    from matplotlib.figure import Figure

    (tmp_path / "mine").write_text("mine")
    (tmp_path / ".picture.svg.new.svg").symlink_to("mine")
    save(Figure(), tmp_path / "picture.svg")
    assert "<svg" in (tmp_path / "picture.svg").read_text()
    assert (tmp_path / "mine").read_text() == "mine"
    assert sorted(found.name for found in tmp_path.iterdir()) == [".picture.svg.new.svg", "mine", "picture.svg"]
