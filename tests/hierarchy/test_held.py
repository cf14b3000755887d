"""A text stands for its file only while it is held, for all ways to write the path."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import ConfigurationError
from toolbox.hierarchy.rows import read_text, replace_file_texts


def test_a_held_text_is_read_instead_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("on disk")
    with replace_file_texts({tmp_path / "new.csv": "\ufeffheld", tmp_path / "old.csv": "edited"}):
        assert read_text(tmp_path / "x" / ".." / "new.csv") == "held", "as from a file, without the mark of UTF-8"
        assert read_text(tmp_path / "old.csv") == "edited"
    assert read_text(tmp_path / "old.csv") == "on disk"
    with pytest.raises(ConfigurationError, match="no such file"):
        read_text(tmp_path / "new.csv")
