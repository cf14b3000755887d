"""Files beside a release follow it, and never undo it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.small_tables import declared, load

from toolbox.errors import UsageError
from toolbox.flows.release.pipeline import place_beside, request_nodes
from toolbox.store.engine.store import Store


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
    assert "the release is complete, but the files beside it could not be written" in capsys.readouterr().err
    assert [path.name for path in report.iterdir()] == ["something"]


def test_nodes_are_listed_where_they_are_asked_for_and_drawn_where_a_person_can_read_them(store: Store) -> None:
    # 25 levels of each of two columns: 625 nodes.
    tree = "\n".join(" ".join((value, *map(str, range(10, 33)), "*")) for value in "12")
    config = declared("age sex", hierarchies={"age": tree, "sex": tree})
    tables = load(store, "age sex\n1 2\n2 1", config).tables
    as_list, as_picture = (
        replace(config, output=replace(config.output, lattice=Path(name))) for name in ("nodes.json", "nodes.svg")
    )
    assert not request_nodes(tables, config).lists_nodes
    assert request_nodes(tables, as_list).lists_nodes
    with pytest.raises(UsageError, match="the lattice has 625 nodes, and a picture at most 500"):
        request_nodes(tables, as_picture)
