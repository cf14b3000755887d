"""Which column of the input is what: found by position, or by header."""

from dataclasses import replace

import pyarrow as pa
import pytest
from helpers.small_tables import quasi_identifier

from toolbox.config.model import Attribute, Column, Config, Output, QuasiIdentifier
from toolbox.errors import ConfigurationError, UnknownColumnError
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import find_columns, require_weights
from toolbox.store.input.source import Source, open_arrow_source


class PlainText(Source):
    """A source without a header, as far as a layout asks."""

    def __init__(self, width: int, headers: list[str] | None = None) -> None:
        super().__init__("in.csv", headers, [None] * width)

    def relation(self):
        raise AssertionError("a layout reads no record")

    def account(self, read):
        raise AssertionError("a layout reads no record")

    def places(self, position, known):
        raise AssertionError("a layout reads no record")


def at(index: int | None = None, name: str | None = None, line: int = 0) -> Column:
    return Column(index=index, name=name, line=line)


def config(
    *quasi_identifiers: Column, sensitive: tuple[Column, ...] = (), identifiers: tuple[Column, ...] = ()
) -> Config:
    return Config(
        source="c.xml",
        path=None,
        input=None,
        output=Output(path=None),
        identifiers=identifiers,
        quasi_identifiers=tuple(QuasiIdentifier(column=column, kind=None) for column in quasi_identifiers),
        sensitive=tuple(Attribute(column=column, kind=None) for column in sensitive),
    )


def faults(given: Config, source: Source) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        find_columns(given, source)
    return [str(fault) for fault in caught.value.faults]


def test_columns_are_found_by_position_and_by_header() -> None:
    given = config(at(3), at(name="age"), sensitive=(at(name="illness"),), identifiers=(at(0),))
    layout = find_columns(given, PlainText(5, ["id", "age", "illness", "zip", "note"]))
    assert (layout.identifiers, layout.quasi_identifiers, layout.sensitive) == ((0,), (3, 1), (2,))
    assert (layout.released, tuple(layout.treated)) == ((1, 2, 3, 4), (2, 4))
    assert (layout.has_header, layout.names) == (True, ("id", "age", "illness", "zip", "note"))


def test_without_a_header_declared_names_are_used_and_the_others_numbered() -> None:
    layout = find_columns(config(at(2, "age"), at(0)), PlainText(4))
    assert (layout.has_header, layout.names) == (False, ("column_0", "column_1", "age", "column_3"))


def test_a_position_wins_over_the_name_it_is_given() -> None:
    layout = find_columns(config(at(1, "age")), PlainText(2, ["age", "zip"]))
    assert (layout.quasi_identifiers, layout.names) == ((1,), ("age", "zip"))


def test_the_kind_is_the_declared_one_or_the_input_s_or_number(store: Store) -> None:
    table = pa.table({"n": [1], "s": ["x"], "m": [2]})
    asked = (quasi_identifier("n"), quasi_identifier("s"), quasi_identifier("m", kind="category"))
    given = Config(source="c", path=None, input=None, output=Output(path=None), quasi_identifiers=asked)
    assert find_columns(given, open_arrow_source(store, table)).quasi_identifier_kinds == (
        "number",
        "category",
        "category",
    )
    plain = find_columns(config(at(0), sensitive=(at(1),)), PlainText(2))
    assert (plain.quasi_identifier_kinds, plain.sensitive_kinds) == (("number",), (None,))


@pytest.mark.parametrize(
    ("column", "headers", "fault"),
    [
        (at(3, "age", 7), ["a", "b"], "line 7: age has index 3, but in.csv has 2 columns, numbered from 0. Write an index of at most 1."),
        (at(1), ["a"], "column 1 has index 1, but in.csv has 1 column, numbered from 0. Is the separator right?"),
        (at(name="age"), None, "in.csv has no header that could name 'age'. Write index=, or header='true' on input."),
        (at(name="age"), ["agee", "b"], "in.csv has no column 'age'. Did you mean 'agee'? None of the names is among the 2 values of its first line: is that a header?"),
        (at(name="a"), ["a", "b", "a"], "in.csv has 2 columns named 'a'. Write index= to say which is meant."),
        (at(name="A"), ["a", "b"], "in.csv has no column 'A'. Did you mean 'a'? None of the names is among the 2 values of its first line: is that a header?"),
    ],
)  # fmt: skip
def test_a_column_that_is_not_there_is_reported(column: Column, headers: list[str] | None, fault: str) -> None:
    assert faults(config(column), PlainText(2 if headers is None else len(headers), headers)) == [fault]


def test_the_column_of_the_weights_is_looked_for_though_a_run_does_not_read_it() -> None:
    source = PlainText(2, ["age", "weight"])
    for name in (None, "weight"):
        require_weights(replace(config(at(name="age")), others={"sample_weight": name}), source)
    with pytest.raises(UnknownColumnError, match=r"in\.csv has no column 'weihgt'\. Did you mean 'weight'\?"):
        require_weights(replace(config(at(name="age")), others={"sample_weight": "weihgt"}), source)


def test_a_column_is_declared_once() -> None:
    given = config(at(0, line=3), at(name="a", line=4), sensitive=(at(1, line=6),), identifiers=(at(1, line=2),))
    assert faults(given, PlainText(2, ["a", "b"])) == [
        "line 4: a and column 0 are the same column 0 of in.csv. Declare it once.",
        "line 6: column 1 is declared twice, and is one column of in.csv. Declare it once.",
    ]


def test_all_faults_are_reported_together() -> None:
    assert len(faults(config(at(7), at(name="x"), at(8)), PlainText(2, ["a", "b"]))) == 3
