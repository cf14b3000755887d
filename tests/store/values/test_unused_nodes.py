"""Nodes and values of a hierarchy that never occur in the data are said, by the names of the hierarchy."""

from __future__ import annotations

import pytest
from helpers.amounts import some
from helpers.running import run_in_process
from helpers.small_tables import declared, load, quasi_identifier

from toolbox.config.model import Column, QuasiIdentifier
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.store.engine.store import Store
from toolbox.store.values.generalisations import format_unused_note

TOWNS = "Graz Styria *\nLinz Upper *\nWels Upper *\nWien Vienna *"


def noted(store: Store, attribute: QuasiIdentifier, *values: object) -> str | None:
    loaded = load(store, "\n".join([str(attribute.column), *map(str, values)]), declared([attribute]))
    return format_unused_note(store, attribute, loaded.tables.quasi_identifiers[0])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("towns", "note"),
    [
        (["Graz", "Linz", "Wels", "Wien"], None),
        (["Graz", "Linz", "Wien"], "town: 1 value ('Wels') of its hierarchy never occurs in the data."),
        (
            ["Linz", "Wels"],
            "town: 2 nodes ('Styria', 'Vienna') and 2 values ('Graz', 'Wien') of its hierarchy never occur in the data.",
        ),
        (["Graz"], "town: 2 nodes ('Upper', 'Vienna') and 3 values ('Linz', 'Wels', 'Wien') of its hierarchy never"),
    ],
)
def test_categories_that_nobody_has_and_nodes_above_none(store: Store, towns: list[str], note: str | None) -> None:
    found = noted(store, quasi_identifier("town", hierarchy=TOWNS), *towns)
    assert found == note or (note is not None and found is not None and found.startswith(note))


def test_of_many_the_first_are_named(store: Store) -> None:
    hierarchy = "\n".join(f"v{number} *" for number in range(10))
    found = noted(store, quasi_identifier("code", hierarchy=hierarchy), "v9")
    assert found == "code: 9 values ('v0', 'v1', 'v2', ...) of its hierarchy never occur in the data."


def tree(*, is_uniform: bool) -> QuasiIdentifier:
    """Intervals of numbers, of which none are lists; written in a configuration, so that they have a text."""
    low = Node(
        Interval(0, 50), "low", () if is_uniform else (Node(Interval(0, 9), "least"), Node(Interval(10, 50), "less"))
    )
    root = Node(Interval(0, 100), "all", (low, Node(Interval(51, 100), "high")), text="[0:100]")
    return QuasiIdentifier(column=Column(index=None, name="age"), kind="number", hierarchy=Hierarchy(root))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("is_uniform", [True, False])
def test_intervals_without_a_number(store: Store, is_uniform: bool) -> None:
    assert noted(store, tree(is_uniform=is_uniform), 5, 20, 60) is None
    missing = "1 node ('high')" if is_uniform else "2 nodes ('least', 'high')"
    verb = "occurs" if is_uniform else "occur"
    assert (
        noted(store, tree(is_uniform=is_uniform), 20, 30)
        == f"age: {missing} of its hierarchy never {verb} in the data."
    )


def test_without_a_hierarchy_there_is_nothing_to_say(store: Store) -> None:
    assert noted(store, quasi_identifier("town"), "Graz", "Linz") is None


@pytest.mark.slow
def test_a_run_says_it(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "towns.csv").write_text("Graz;Styria;*\nLinz;Upper Austria;*\n")
    (tmp_path / "in.csv").write_text("Graz\nGraz\n")
    (tmp_path / "c.xml").write_text(
        "<config k='2' method='Datafly'><input filename='in.csv'/><output filename='out.csv'/>"
        "<qid><att index='0' name='town'><vgh file='towns.csv'/></att></qid></config>"
    )
    note = "town: 1 node ('Upper Austria') and 1 value ('Linz') of its hierarchy never occur in the data."
    for method in some(("Mondrian", "Datafly"), every=2):
        run = run_in_process("-config", "c.xml", "-method", method, "--json", "-suppThreshold", "0").succeeded()
        assert run.document["notes"] == [note]
    run = run_in_process("-config", "c.xml", "--json", "--compatibility", "utd").succeeded()
    assert note not in run.document["notes"]
