"""The last release is remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.app.project.documents import FinishedRelease, UnreadableError


def test_its_notes_have_what_answers_them_unless_that_is_nothing_that_a_run_writes() -> None:
    drop = {"setting": "undeclared", "value": "drop", "columns": []}
    told = {"note": "Say undeclared='drop'.", "finding": "Nobody declared a.", "remedies": [drop]}
    document = {"notes": ["Say undeclared='drop'.", "b"], "remedies": [told, {"note": "b", "remedies": "x"}]}
    assert FinishedRelease("f", document, "").notes == [("Nobody declared a.", [drop]), ("b", [])]
    assert FinishedRelease("f", {"notes": ["c"]}, "").notes == [("c", [])]


def test_it_is_there_after_a_restart(tmp_path: Path) -> None:
    counts = ("records_read", "records_skipped", "records_released", "records_suppressed", "classes")
    document = {
        **dict.fromkeys(counts, 1),
        **{"method": "Datafly", "models": [], "timings": {"total": 0.1}, "notes": []},
        **{"release": ["out/release.csv"], "sha256": {"release": {"out/release.csv": "ab"}}},
    }
    released = FinishedRelease("f", document, str(tmp_path))
    released.write(tmp_path / "released.json")
    again = FinishedRelease.read(tmp_path / "released.json")
    assert again == released
    assert (released.files, released.checksums) == ((tmp_path / "out/release.csv",), [("out/release.csv", "ab")])
    for wrong in ("[]", (tmp_path / "released.json").read_text().replace('"notes": []', '"notes": [1]')):
        (tmp_path / "released.json").write_text(wrong)
        with pytest.raises(UnreadableError):
            FinishedRelease.read(tmp_path / "released.json")
    assert FinishedRelease.read(tmp_path / "nothing.json") is None
