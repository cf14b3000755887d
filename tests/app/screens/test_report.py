"""The report of the last release is shown and does nothing, whoever has written the file since."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.asgi import Asking

from toolbox.app.project.documents import FinishedRelease
from toolbox.app.project.open_project import OpenProject
from toolbox.app.screens.judge import _MOST_SHOWN, _REPORT_POLICY
from toolbox.errors import UsageError


@pytest.fixture
def report(current: OpenProject) -> Iterator[Path]:
    path = current.folder / "release.html"
    path.write_text("<!doctype html><p>Proved", encoding="utf-8")
    released_with(current, path)
    yield path
    path.unlink(missing_ok=True)
    current.runs.released = None


def released_with(current: OpenProject, path: Path) -> None:
    current.runs.released = FinishedRelease("f", {}, str(current.folder), str(path))


def test_it_is_shown_as_it_is_and_can_neither_run_nor_load_anything(asking: Asking, report: Path) -> None:
    answer = asking.get("/judge/report")
    assert answer.text == "<!doctype html><p>Proved"
    assert answer.headers["content-security-policy"] == _REPORT_POLICY
    assert {"default-src 'none'", "sandbox", "form-action 'none'"} <= set(_REPORT_POLICY.split("; "))


def test_what_is_no_report_below_the_root_is_not_shown(
    asking: Asking, report: Path, current: OpenProject, tmp_path: Path
) -> None:
    outside = tmp_path / "secret.html"
    outside.write_text("secret", encoding="utf-8")
    link, pipe = report.with_name("link.html"), report.with_name("pipe.html")
    link.symlink_to(outside)
    os.mkfifo(pipe)
    for path in (outside, link, report.with_name("people.csv"), Path("/etc/passwd"), Path("a\0b.html")):
        released_with(current, path)
        assert asking.get("/judge/report").status == 404, path
    # Nobody writes into it, and nobody waits for that.
    released_with(current, pipe)
    with pytest.raises(UsageError):
        asking.get("/judge/report")
    for path in (link, pipe):
        path.unlink()
    current.runs.released = None
    assert asking.get("/judge/report").status == 404


def test_a_report_that_was_moved_is_missed_in_plain_words(asking: Asking, report: Path) -> None:
    report.unlink()
    with pytest.raises(UsageError, match=r"Release again, and it is made again\."):
        asking.get("/judge/report")


def test_a_file_that_is_larger_than_any_report_is_not_shown(asking: Asking, report: Path) -> None:
    os.truncate(report, _MOST_SHOWN + 1)
    with pytest.raises(UsageError, match="larger than any report of ours"):
        asking.get("/judge/report")
