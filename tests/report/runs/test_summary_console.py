"""The tables of `anonymize`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from helpers.printing import printed
from helpers.small_reports import K_2

from toolbox.report.columns import QuasiIdentifierResult
from toolbox.report.runs.summary import print_summary
from toolbox.store.tables import LatticeNode

AGE = QuasiIdentifierResult(
    name="age [years]", level=2, height=3, generalised_values=4, original_values=1074, range="[0:25) .. [75:100)"
)
SEX = QuasiIdentifierResult(name="sex", level=0, height=1, generalised_values=2, original_values=2, range=None)


def shown(*results: QuasiIdentifierResult, nodes: tuple[LatticeNode, ...] = ()) -> list[str]:
    return printed(
        print_summary,
        facts={"method": "Datafly [x]"},
        models=[K_2],
        quasi_identifiers=results,
        minimal_nodes=nodes,
        notes=["nothing else."],
        release=[Path("out/[a].csv"), Path("out/b.csv")],
    )


def test_facts_models_columns_notes_and_files_follow_each_other() -> None:
    assert shown(AGE, SEX) == [
        "method Datafly [x]",
        "proved",
        "model required achieved",
        "k-anonymity 2 2 holds",
        "generalised",
        "quasi-identifier level values before after from .. to",
        "age [years] 2 of 3 1,074 4 [0:25) .. [75:100)",
        "sex 0 of 1 2 2",
        "note nothing else.",
        "released out/[a].csv",
        "released out/b.csv",
    ]


def test_where_classes_differ_there_are_no_levels() -> None:
    lines = shown(replace(AGE, level=None, height=None))
    assert lines[5:7] == ["quasi-identifier values before after from .. to", "age [years] 1,074 4 [0:25) .. [75:100)"]


def test_minimal_generalisations_are_shown_and_the_released_one_is_marked() -> None:
    nodes = (LatticeNode((2, 0), classes=9, released=8, suppressed=3), LatticeNode((1, 1), 7, 7, 0))
    assert shown(replace(AGE, name="age"), SEX, nodes=nodes)[8:12] == [
        "minimal generalisations: 2",
        "age sex classes suppressed",
        "2 0 8 3 released",
        "1 1 7 0",
    ]


def test_of_many_minimal_generalisations_ten_are_shown() -> None:
    nodes = tuple(LatticeNode((number, 0), 1, 1, 0) for number in range(1200))
    lines = shown(replace(AGE, name="age"), SEX, nodes=nodes)
    assert "minimal generalisations: 1,200, of which 10 are shown" in " ".join(lines)
    assert lines[-4:-2] == ["9 0 1 0", "note nothing else."]
