"""A hierarchy that is built, converted and checked by the command line is the one that a run uses."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from helpers.running import run_in_process

import toolbox
from toolbox import hierarchies

CENSUS = Path(__file__).parents[2] / "configs" / "census_5000.csv"


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_text("".join(CENSUS.open(encoding="utf-8").readlines()[:300]), encoding="utf-8")
    return path


def released(people: Path, hierarchy: object) -> list[tuple[object, ...]]:
    table = pd.read_csv(people, dtype={"occupation": "str"})[["age", "occupation"]]
    result = toolbox.anonymize(
        table,
        quasi_identifiers=["age", "occupation"],
        hierarchies=hierarchy,
        method="Datafly",
        k=5,
        suppression_threshold=0,
        order="sorted",
    )
    return list(result.release.itertuples(index=False, name=None))


@pytest.mark.slow
def test_a_run_with_the_built_files_is_the_run_with_the_builders(people: Path, tmp_path: Path) -> None:
    files = {}
    for column, builder in (("age", "quantiles:8,4,2"), ("occupation", "auto:2")):
        files[column] = tmp_path / f"{column}.csv"
        run_in_process("hierarchy", "build", people, builder, "--column", column, "-o", files[column]).succeeded()
        run_in_process("hierarchy", "check", files[column], people, "--column", column).succeeded()
    builders = {"age": hierarchies.quantiles(8, 4, 2), "occupation": hierarchies.auto(2)}
    release = released(people, files)
    assert release == released(people, builders)
    assert len({age for age, _ in release}) > 1


@pytest.mark.slow
def test_a_hierarchy_that_went_through_all_notations_is_the_same_for_a_run(people: Path, tmp_path: Path) -> None:
    ages, towns = tmp_path / "age.csv", CENSUS.parent / "hierarchies" / "occupation.csv"
    run_in_process("hierarchy", "build", people, "intervals:10,20", "--column", "age", "-o", ages).succeeded()
    first = released(people, {"age": ages, "occupation": towns})
    for notation in ("rules", "child-parent", "utd"):
        for name, path in (("age", ages), ("occupation", towns)):
            there = tmp_path / f"{name}.{notation}"
            run_in_process("hierarchy", "export", path, "--to", notation, "-o", there).succeeded()
            data = ("--column", name, people) if (name, notation) == ("age", "utd") else ()
            run_in_process("hierarchy", "import", there, "-o", tmp_path / f"{name}_2.csv", *data).succeeded()
        back = {"age": tmp_path / "age_2.csv", "occupation": tmp_path / "occupation_2.csv"}
        assert [path.read_text() for path in back.values()] == [text_in_order(ages), text_in_order(towns)]
    assert released(people, back) == first


def text_in_order(path: Path) -> str:
    """Return a table with its rows in the order of the tree, which is that of an export."""
    return run_in_process("hierarchy", "export", path).succeeded().stdout


@pytest.mark.real
def test_the_published_hierarchies_of_adult_are_read_checked_and_go_through_all_notations(
    shared: Path, tmp_path: Path
) -> None:
    """The ages of ARX's example are one off: 5 is below 0-4, and so on up to 100 below 80-99."""
    faults = {}
    for path in sorted((shared / "data" / "adult_hierarchies").glob("*.csv")):
        check = hierarchies.check(path)
        faults[path.stem.removeprefix("adult_hierarchy_")] = [found for found in check.findings if found.is_fault]
        rows = hierarchies.read(path)
        for notation in ("arx", "rules", "child-parent"):
            hierarchies.write(rows, tmp_path / "there", notation=notation)
            assert sorted(hierarchies.read(tmp_path / "there", notation=notation)) == sorted(rows)
    ages = faults.pop("age")
    assert len(ages) == 35
    assert ages[0].text.startswith("The label '0-19' covers 20 beyond its bounds.")
    assert {name: found for name, found in faults.items() if found} == {}
    assert len(faults) == 8
