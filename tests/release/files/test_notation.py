"""How delimited text writes values: what is quoted, what is not, and what is known to need no look."""

import csv
import io

import pytest
from helpers import amounts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import String, column, select

from toolbox.queries.cells import escape_name
from toolbox.release.files.part import Notation
from toolbox.store.engine.store import Store
from toolbox.treatments.treatment import ESCAPE

VALUES = ["plain", "a,b", 'say "hi"', "two\nlines", "old\rmac", "#1", "", None, " x ", "é", ";"]
WRITTEN = ["plain", '"a,b"', '"say ""hi"""', '"two\nlines"', '"old\rmac"', '"#1"', '""', "", " x ", "é", ";"]


def written(store: Store, notation: Notation, rows: list[list[str | None]], *, passed: bool = False) -> list[str]:
    """Write rows as records."""
    columns = {f"c{place}": (str, list(values)) for place, values in enumerate(zip(*rows, strict=True))}
    table = store.create_constant("rows", columns)
    write = notation.passed if passed else notation.values
    return [text for (text,) in store.rows(select(notation.record(write(list(table.c)))))]


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("width", [1, 2, 20, 21, 400])
def test_values_are_quoted_where_they_must_be_however_many_stand_side_by_side(store: Store, width: int) -> None:
    rows = [[value] * width for value in VALUES]
    assert written(store, Notation(","), rows) == [",".join([text] * width) for text in WRITTEN]


def test_any_character_of_a_long_separator_is_quoted(store: Store) -> None:
    assert written(store, Notation("|:"), [["a:b", "c,d", "e|"]]) == ['"a:b"|:c,d|:"e|"']


def test_the_least_is_quoted_where_that_is_asked_for(store: Store) -> None:
    assert written(store, Notation(",", quotes_least=True), [['say "hi"', "#1", "a,b"]]) == ['say "hi",#1,"a,b"']


def test_values_that_are_known_to_be_plain_are_passed_as_they_are(store: Store) -> None:
    notation = Notation(",", passes_plain=True)
    assert written(store, notation, [["a", None, "#b", "c"]], passed=True) == ["a,,#b,c"]


def test_what_stands_for_a_class_is_quoted_all_the_same(store: Store) -> None:
    assert written(store, Notation(",", passes_plain=True), [["{a,b}", "c"]]) == ['"{a,b}",c']


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [1, 2, 3, 18, 21])
@pytest.mark.parametrize("separator", [",", "'", "=", "';"])
def test_formulas_are_escaped_and_quoted_however_many_stand_side_by_side(
    store: Store, separator: str, width: int
) -> None:
    notation, formulas = Notation(separator, treatment=ESCAPE), [*VALUES, "=1,2", "-5", "'=a", '@"', "it's"]
    found = written(store, notation, [[value] * width for value in formulas])
    for value, line in zip(formulas, found, strict=True):
        shown = "" if value is None else escape_name(value)
        special = {*separator, '"', "#", "\r", "\n"}
        quoted = '"' + shown.replace('"', '""') + '"'
        is_quoted = value is not None and (not shown or any(character in special for character in shown))
        assert line == separator.join([quoted if is_quoted else shown] * width)


def test_escaping_adds_little_that_has_to_be_planned() -> None:
    """The time to plan grows with the square of the expressions: 18 texts with statistics once took 28 seconds."""
    texts = [column(f"c{place}", String) for place in range(18)]

    def length(notation: Notation) -> int:
        return len(str(notation.record(notation.values(texts))))

    assert length(Notation(",", treatment=ESCAPE)) < length(Notation(","))


@pytest.mark.parametrize("name", ["plain", "a,b", 'say "hi"', "two\nlines", "", "#1"])
def test_headers_are_written_as_values_are(store: Store, name: str) -> None:
    notation = Notation(",")
    assert notation.header(["id", name]) == written(store, notation, [["id", name]])[0]


@settings(
    max_examples=amounts.times(10, slow=30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.text(st.sampled_from('ab,"#\n\r é'), max_size=5), min_size=1, max_size=30))
def test_a_reader_of_csv_finds_every_value(store: Store, values: list[str]) -> None:
    (record,) = written(store, Notation(","), [values])
    assert next(csv.reader(io.StringIO(record, newline=""))) == values
