"""The tables of a question: each is read as a whole, and nobody writes to it meanwhile."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import toolbox
from toolbox import InputError
from toolbox.detection import search as coded
from toolbox.flows.judge import tables

RELEASE = "age,illness\n[20:29],flu\n[20:29],cold\n"
ORIGINAL = "age,illness\n21,flu\n28,cold\n"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    (tmp_path / "original.csv").write_text(ORIGINAL)
    path = tmp_path / "release.csv"
    path.write_text(RELEASE)
    return path


def wrote_afterwards(read: Callable[..., object], path: Path) -> Callable[..., object]:
    """Read; then somebody adds a record."""

    def reading(*given: object, **options: object) -> object:
        found = read(*given, **options)
        path.write_text(path.read_text() + "[20:29],gout\n")
        return found

    return reading


@pytest.mark.sampled(1)
@pytest.mark.parametrize("changed", ["release.csv", "original.csv"])
def test_a_table_that_changes_while_it_is_judged_is_named(
    changed: str, release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = release.with_name(changed)
    monkeypatch.setattr(tables, "build_release_classes", wrote_afterwards(tables.build_release_classes, path))
    with pytest.raises(InputError, match=f"{changed} changed while it was read"):
        toolbox.measure(release.with_name("original.csv"), release, quasi_identifiers=["age"])


def test_a_table_that_changes_while_identifying_columns_are_looked_for_is_named(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coded, "code_records", wrote_afterwards(coded.code_records, release))
    with pytest.raises(InputError, match=r"release\.csv changed while it was read"):
        toolbox.detect(release)


def test_a_damaged_release_is_named(release: Path) -> None:
    release.write_bytes(gzip.compress(RELEASE.encode()) + bytes(512))
    with pytest.raises(InputError, match=r"release\.csv cannot be read. Other bytes may follow the end"):
        toolbox.check(release, quasi_identifiers=["age"], models=[toolbox.KAnonymity(k=2)])
