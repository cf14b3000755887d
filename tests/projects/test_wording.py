"""Kinds and paths as a configuration writes them."""

from pathlib import Path

import pytest

from toolbox.errors import UsageError
from toolbox.projects.settings import format_column_kind, make_relative_path


def test_kinds_are_known_in_any_case() -> None:
    assert [format_column_kind(" Number "), format_column_kind("date:%d.%m.%Y")] == ["number", "date %d.%m.%Y"]
    with pytest.raises(UsageError, match="kind='dat'"):
        format_column_kind("dat")


def test_paths_are_relative_to_the_folder() -> None:
    assert make_relative_path(Path("/a/b/c.csv"), Path("/a/d")) == "../b/c.csv"
