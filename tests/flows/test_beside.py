"""Files beside a release follow it, and never undo it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.small_tables import declared

from toolbox.flows.beside import place_beside
from toolbox.store.store import Store


def finished(store: Store) -> Path:
    path = store.folder / "finished.json"
    path.write_text("{}")
    return path


def test_a_file_gets_its_name(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place_beside({finished(store): tmp_path / "report.json"}, declared("age"), store)
    assert (tmp_path / "report.json").read_text() == "{}"
    assert capsys.readouterr().err == ""


def test_a_file_that_cannot_be_written_is_told(
    store: Store,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = tmp_path / "report.json"
    report.mkdir()
    (report / "something").touch()
    config = declared("age")
    place_beside({finished(store): report}, replace(config, limits=replace(config.limits, lock_timeout=0.1)), store)
    assert "the release is complete, but what stands beside it could not be written" in capsys.readouterr().err
    assert [path.name for path in report.iterdir()] == ["something"]
