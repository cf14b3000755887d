"""`singletons` of tables in memory and of files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import toolbox

PEOPLE = pd.DataFrame({"town": ["Graz", "Graz", "Linz", "Wels"], "sex": ["f", "f", "f", "f"]})
TOWNS = [("Graz", "south", "*"), ("Linz", "north", "*"), ("Wels", "north", "*")]
CONFIG = """<config k='2'><input filename='people.csv' header='true'/><output filename='out.csv'/>
<qid><att name='town' type='category'/></qid></config>"""


@pytest.mark.slow
def test_a_frame_and_a_file_say_the_same(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    first, second = (
        toolbox.singletons(table, quasi_identifiers=["town", "sex"]) for table in (PEOPLE, tmp_path / "people.csv")
    )
    assert (first.best.name, first.best.below_k, first.best.modified) == ("town any (local)", 0, 2)
    assert first.variants == second.variants


@pytest.mark.slow
def test_hierarchies_scope_rules_and_k_are_as_the_call_says() -> None:
    report = toolbox.singletons(
        PEOPLE,
        quasi_identifiers=["town"],
        hierarchies={"town": TOWNS},
        k=3,
        scope="global",
        rules={"town": ["parent"]},
    )
    assert [(variant.name, variant.below_k) for variant in report.variants] == [("as it is", 4), ("town parent", 4)]


def test_a_configuration_leaves_no_place_for_other_declarations_but_for_limits(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CONFIG)
    config = toolbox.load_config(tmp_path / "c.xml")
    with pytest.raises(toolbox.UsageError, match="quasi_identifiers= cannot be combined with it"):
        toolbox.singletons(PEOPLE, config=config, quasi_identifiers=["town"])
    assert toolbox.singletons(PEOPLE, config=config, limits=toolbox.Limits(threads=1)).unchanged.below_k == 2


def test_a_call_without_quasi_identifiers_is_refused() -> None:
    with pytest.raises(toolbox.UsageError, match="quasi_identifiers is empty"):
        toolbox.singletons(PEOPLE)


@pytest.mark.slow
@pytest.mark.parametrize(("said", "incomplete"), [({}, 2), ({"missing": "NA"}, 3)])
def test_a_question_mark_is_a_missing_value_if_nothing_else_is_said(
    tmp_path: Path, said: dict[str, str], incomplete: int
) -> None:
    (tmp_path / "people.csv").write_text('town\nGraz\nGraz\n?\nNA\nNA\n""\n')
    assert toolbox.singletons(tmp_path / "people.csv", quasi_identifiers=["town"], **said).incomplete == incomplete
