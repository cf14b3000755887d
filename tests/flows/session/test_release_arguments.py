"""The arguments that make the release of a variant: only what was said, and only of the columns that take part."""

from __future__ import annotations

from toolbox.config.model import Config, Output
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments, describe
from toolbox.flows.session.variants import Declared, make_run_request, release_arguments
from toolbox.privacy.models.k_anonymity import KAnonymity

SOURCE = object()
TOWNS = {"Graz": "*"}
COLUMNS = ColumnArguments(
    ["age", "town"], ["ill"], ["name"], {"town": TOWNS, "ill": {"flu": "*"}}, {"age": "number"}, {"town": 1}, {"age": 2}
)
OPENED = AnonymizeArguments.of_nothing(COLUMNS, "open", on_missing="keep")


def arguments(names: list[str], trees: dict[str, object], **said: object) -> dict[str, object]:
    config: Config = describe(OPENED)
    declared = Declared(config=config, asks=False, kinds={"age": "number"}, said=frozenset({"age"}), dates=())
    run = AnonymizeArguments.of_nothing(ColumnArguments(names, (), (), trees, {}, {}, {}), "run", **said)
    return dict(release_arguments(declared, {"source": SOURCE}, OPENED, run, make_run_request(declared, run)))


ILL = {"sensitive": ["ill"], "identifiers": ["name"], "on_missing": "keep"}


def test_what_was_said_of_columns_that_take_no_part_is_left_out() -> None:
    assert arguments(["age"], {}, k=3) == {
        "source": SOURCE,
        "quasi_identifiers": ["age"],
        **ILL,
        "hierarchies": {"ill": {"flu": "*"}},
        "kinds": {"age": "number"},
        "weights": {"age": 2},
        "k": 3,
    }


def test_what_the_run_says_wins_over_what_was_said_before() -> None:
    new = [["Graz", "Austria", "*"]]
    found = arguments(
        ["town"], {"town": new, "ill": None}, models=(KAnonymity(k=2),), method="Mondrian", settings={"cut": "classic"}
    )
    assert found == {
        "source": SOURCE,
        "quasi_identifiers": ["town"],
        **ILL,
        "hierarchies": {"town": new},
        "priorities": {"town": 1},
        "models": (KAnonymity(k=2),),
        "method": "Mondrian",
        "cut": "classic",
    }


def test_levels_of_a_run_are_those_of_its_release() -> None:
    town = {"town": [["Graz", "Styria", "*"]], "ill": None}
    columns = ColumnArguments(["town"], (), (), town, {}, {}, {}, {"town": (1, 1)})
    run = AnonymizeArguments.of_nothing(columns, "run", k=2, method="Incognito")
    declared = Declared(config=describe(OPENED), asks=False, kinds={}, said=frozenset(), dates=())
    asked = make_run_request(declared, run)
    assert (asked.config.quasi_identifiers[0].min_level, asked.config.quasi_identifiers[0].max_level) == (1, 1)
    assert release_arguments(declared, {"source": SOURCE}, OPENED, run, asked)["levels"] == {"town": (1, 1)}


def test_nothing_suppressed_is_said_too() -> None:
    assert arguments([], {}, suppression_threshold=0, k=2)["suppression_threshold"] == 0


def test_of_a_configuration_the_changed_configuration_says_all() -> None:
    config = Config(
        source="c.xml",
        path=None,
        input=None,
        output=Output(path=None),
        quasi_identifiers=describe(OPENED).quasi_identifiers,
    )
    declared = Declared(config=config, asks=True, kinds={}, said=frozenset(), dates=())
    nothing = ColumnArguments(["town"], (), (), {}, {}, {}, {})
    run = AnonymizeArguments.of_nothing(nothing, "run", models=(KAnonymity(k=2),))
    asked = make_run_request(declared, run)
    assert dict(release_arguments(declared, {"source": "c.xml"}, OPENED, run, asked)) == {"source": asked.config}
