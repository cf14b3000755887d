"""The summary of a run is made from what its steps have left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest
from helpers.small_tables import declared, load, shared_store

from toolbox.config.formats import FORMATS
from toolbox.config.model import Config
from toolbox.methods.anonymizer import Anonymization
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.report.judges.risk import SolvedResult
from toolbox.report.runs.summary import Summary, WrittenRelease, summarise_run
from toolbox.store.engine.store import Store
from toolbox.store.load.loading import Loaded

__all__ = ["shared_store"]

METHOD = Mondrian(models=(KAnonymity(k=2),))
TOWNS = "Graz south *\nLinz north *\nWels north *\n"
WRITTEN = WrittenRelease(
    files=(Path("out.csv"),),
    leftovers=(),
    digests={"input": "aa", "configuration": None, "release": {"out.csv": "bb"}},
    formulas=(),
    solved=(),
)


@dataclass(frozen=True)
class Run:
    """What the steps of a run have left."""

    config: Config
    loaded: Loaded
    anonymization: Anonymization

    def summary(self, written: WrittenRelease = WRITTEN, **changes: object) -> Summary:
        config = replace(self.config, **changes)  # type: ignore[arg-type]
        return summarise_run(config, METHOD, self.loaded, self.anonymization, written, passed=(), timings={})

    def notes(self, **changes: object) -> tuple[str, ...]:
        return self.summary(replace(WRITTEN, **changes)).notes


@pytest.fixture(scope="module")
def run(shared_store: Store) -> Run:
    """Two of Graz and two of Linz; nobody lives in Wels, and nobody declares the column of notes."""
    config = declared("town", hierarchies={"town": TOWNS})
    config = replace(config, output=replace(config.output, order="sorted"))
    loaded = load(shared_store, "town note\nGraz a\nGraz b\nLinz c\nLinz d\n", config)
    return Run(config, loaded, METHOD.run(loaded.tables))


def test_the_order_of_the_input_joins_two_releases_but_for_anatomy(run: Run) -> None:
    assert run.summary().advice == ()
    in_order = replace(run.config.output, order="input")
    (advice,) = run.summary(output=in_order).advice
    assert advice.finding.startswith("The records are in the order of the input")
    assert run.summary(output=in_order).notes[-1] == advice.in_words()
    assert run.summary(output=replace(in_order, format=FORMATS["anatomy"])).advice == ()


def test_it_counts_and_names_what_took_part(run: Run) -> None:
    summary = run.summary()
    assert (summary.method, summary.k, summary.records_read, summary.records_skipped) == ("Mondrian", 2, 4, 0)
    assert summary.settings == {"dimension": "range", "cut": "fallback", "naming": "values"}
    assert (summary.proof.classes, summary.release) == (2, (Path("out.csv"),))
    assert set(summary.versions) == {"toolbox", "duckdb", "sqlalchemy", "duckdb-sqlalchemy", "lxml", "python"}
    assert summary.versions["duckdb"] == duckdb.__version__


@pytest.mark.parametrize(
    ("kind", "plain", "keyed"), [("plain", "aa", None), ("keyed", None, "aa"), ("none", None, None)]
)
def test_the_checksum_of_the_input_is_told_as_what_it_is(
    kind: str, plain: str | None, keyed: str | None, run: Run
) -> None:
    summary = run.summary(output=replace(run.config.output, input_digest=kind))
    assert summary.sha256 == {"input": plain, "configuration": None, "release": {"out.csv": "bb"}}
    assert summary.hmac_sha256 == {"input": keyed}


def test_columns_that_nobody_declared_are_listed_where_they_are_left_out(run: Run) -> None:
    assert run.summary(undeclared="pass").left_out == ()
    assert run.summary(undeclared="drop").left_out == ("note",)


def test_what_a_hierarchy_names_and_nobody_has_is_noted(run: Run) -> None:
    assert run.notes() == ("town: 1 value ('Wels') of its hierarchy never occurs in the data.",)


def test_files_of_an_earlier_release_that_are_removed_are_named(run: Run) -> None:
    paths = tuple(Path("folder") / f"out-0000{number}.csv" for number in range(2, 9))
    assert run.notes(leftovers=paths[:2])[1:] == (
        "An earlier release had more files, which are removed: out-00002.csv, out-00003.csv.",
    )
    assert run.notes(leftovers=paths)[1:] == (
        "An earlier release had more files, which are removed: out-00002.csv, out-00003.csv, out-00004.csv, "
        "out-00005.csv, out-00006.csv, ....",
    )


def test_classes_that_give_their_values_back_are_noted(run: Run) -> None:
    (_, note) = run.notes(solved=(SolvedResult("age", classes=3, looked_at=3, solved=1),))
    assert note.startswith("The statistics of age give values back: in 1 of 3 classes")
    assert note.endswith("leaves at least 2.")
