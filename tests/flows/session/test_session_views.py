"""What a session shows: counts and pages that agree with an independent count, and with the release itself."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.session_tables import in_engine
from hypothesis import example, given, settings
from hypothesis import strategies as st

import toolbox

NAMES = ["age", "town", "ill"]
PEOPLE = pd.DataFrame(
    {
        "age": [23, 25, 24, 61, 67, 64, 30, 30, 9],
        "town": ["Graz", "Linz", "Graz", "Wien", "Wien", "Wien", "Linz", "Linz", None],
        "ill": ["flu", "cold", None, "gout", "cold", "flu", "cold", "gout", "flu"],
    }
)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Draw a table whose values repeat, with odd texts and values that are missing."""
    towns = st.sampled_from(["Graz", " ", '"', "a,b", "<b>", "ö", "10", "9", None])
    row = st.tuples(st.sampled_from([-2, 0, 9, 10, 100]), towns, st.sampled_from(["flu", "cold", None]))
    rows = draw(st.lists(row, min_size=1, max_size=25))
    # A release of classes of two needs two records that lack nothing.
    return pd.DataFrame([*rows, *2 * [(5, "Graz", "flu")]], columns=NAMES)


HARD = pd.DataFrame(
    {
        "age": [10, 9, -2, 10, 100, 9, 10, 5, 9, 5, 10],
        "town": ["a,b", None, '"', "a,b", " ", "10", "9", "Graz", "10", "Graz", "a,b"],
        "ill": ["flu", "cold", None, "cold", "flu", "flu", "cold", "flu", "flu", "cold", "flu"],
    }
)
"""Numbers and texts that sort differently, values that are missing, and classes of one, two and three."""


def usable(people: pd.DataFrame) -> pd.DataFrame:
    """Return the records that lack no value, with the size of their class."""
    whole = people.dropna()
    return whole.assign(size=whole.groupby(["age", "town"])["age"].transform("size"))


def counted(people: pd.DataFrame, column: str, k: int) -> list[tuple[str, int, int]]:
    """Count the safe and the risky records of each value, in the order of the values."""
    found = usable(people)
    return [
        (str(value), int((group["size"] >= k).sum()), int((group["size"] < k).sum()))
        for value, group in found.groupby(column)
    ]


def texts(row: object) -> tuple[str | None, ...]:
    return tuple(None if pd.isna(value) else str(value) for value in row)  # type: ignore[attr-defined]


@pytest.mark.slow
@example(HARD, 2, "town", True)
@given(tables(), st.integers(1, 4), st.sampled_from(NAMES), st.booleans())
@settings(max_examples=times(1, slow=200), deadline=None)
@pytest.mark.filterwarnings("ignore:.*not in the release")
def test_random_tables_are_counted_and_paged_as_pandas_does(
    people: pd.DataFrame, k: int, column: str, descending: bool
) -> None:
    columns = {"quasi_identifiers": NAMES[:2], "sensitive": NAMES[2:]}
    with toolbox.open(people, **columns, records=True, on_missing="skip") as session:
        listed = session.values(column, k)
        bars = session.histogram(column, k)
        pages = [session.page(start, 7, sort=column, descending=descending) for start in range(0, 35, 7)]
        small = session.page(0, 100, smaller_than=k)
        missing = session.count_missing()
        variant = session.run(k=2, keep=True)
        shown = session.page(0, 100, variant=variant)
        changed = session.page(0, 100, variant=variant, where="changed")
        classes = [session.class_of(record.record, variant) for record in shown.records if record.released]
    expected = counted(people, column, k)
    assert [tuple(value) for value in listed.values] == expected
    assert listed.total == len(expected)
    lacking = people.isna()
    assert (missing.records, missing.lacking) == (len(people), int(lacking.any(axis=1).sum()))
    assert dict(missing.columns) == {name: int(count) for name, count in lacking.sum().items() if count}
    assert [(bar.label, bar.safe, bar.at_risk) for bar in bars.bars] == expected
    ordered = people.sort_values(column, kind="stable", na_position="last")
    ordered = ordered[::-1] if descending else ordered
    found = [record for page in pages for record in page.records]
    assert [record.record - 1 for record in found] == list(ordered.index)
    assert [record.values for record in found] == [texts(row) for row in ordered.itertuples(index=False)]
    sizes = usable(people)["size"]
    assert [record.class_size for record in found] == [sizes.get(index) for index in ordered.index]
    assert [record.record - 1 for record in small.records] == list(sizes[sizes < k].index)
    # What is shown of a variant is the release of the same arguments.
    release = toolbox.anonymize(**variant.arguments, order="input").release
    shown_rows = [record.released for record in shown.records if record.released is not None]
    assert shown_rows == [texts(row) for row in release.itertuples(index=False)]
    sizes = release.groupby(NAMES[:2], dropna=False)["ill"].transform("size")
    assert [record.class_size for record in shown.records if record.released is not None] == list(sizes)
    assert [each.size for each in classes] == list(sizes)
    assert [r.record for r in changed.records] == [
        r.record for r in shown.records if r.released is not None and r.released != r.values
    ]


@pytest.fixture(scope="module")
def session() -> Iterator[toolbox.Session]:
    """Open one session for all tests that only look."""
    columns = {"quasi_identifiers": ["age", "town"], "sensitive": ["ill"]}
    with toolbox.open(PEOPLE, **columns, records=True, on_missing="keep") as opened:
        yield opened


def test_values_are_sorted_by_count_and_by_the_share_at_risk(session: toolbox.Session) -> None:
    def towns(**asked: object) -> list[str | None]:
        return [value.value for value in session.values("town", 2, **asked).values]

    # Two of three in Linz are not alone; nobody else is safe. What is missing is a category where it is kept.
    assert towns() == ["?", "Graz", "Linz", "Wien"]
    assert towns(sort="count", descending=True) == ["Linz", "Wien", "Graz", "?"]
    assert towns(sort="risk") == ["Linz", "?", "Graz", "Wien"]
    # Of the same share the most records come first.
    assert towns(sort="risk", descending=True) == ["Wien", "Graz", "?", "Linz"]
    page = session.values("town", 2, ["town"], offset=1, limit=2)
    assert (page.total, page.offset, page.values) == (4, 1, (("Graz", 2, 0), ("Linz", 3, 0)))


@pytest.mark.slow
def test_no_view_leaves_anything_but_what_the_next_one_needs(session: toolbox.Session) -> None:
    def look() -> None:
        session.values("age", 2)
        session.histogram("town", 3)
        session.page(sort="town")
        variant = session.run(k=2, keep=True)
        session.page(variant=variant, where="changed")
        session.before_and_after(variant, "age")
        session.class_of(1, variant)
        session.drop(variant)

    look()
    left = in_engine(session._table.store)
    look()
    assert in_engine(session._table.store) == left


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        ("values", {"column": "twon"}, "Did you mean 'town'"),
        ("values", {"column": "town", "k": 0}, "k is 0"),
        ("values", {"column": "town", "sort": "size"}, "write value, count or risk"),
        ("values", {"column": "town", "offset": -1}, "offset is -1"),
        ("values", {"column": "town", "quasi_identifiers": ["ill"]}, "among its candidates"),
        ("histogram", {"column": "town", "bars": 1}, "bars is 1"),
        ("page", {"limit": 0}, "limit is 0"),
        ("page", {"sort": "twon"}, "Did you mean 'town'"),
        ("page", {"having": {"twon": "x"}}, "Did you mean 'town'"),
        ("page", {"having": ["town"]}, r"having is \['town'\]; write a dict, by the names of columns"),
        ("page", {"having": {"age": 5}}, r"having\['age'\] is 5; write a text, as the column has it"),
        ("values", {"column": "town", "offset": 10**30}, "offset is 1000000000000000000000000000000; write a whole"),
        ("page", {"variant": [1]}, r"variant is \[1\]; write a variant that was kept, or its number"),
        ("page", {"where": "changed"}, "asks for a variant"),
        ("page", {"where": "small"}, "write changed or suppressed"),
        ("page", {"variant": 7}, "keeps no variant 7. It keeps: none"),
        ("page", {"smaller_than": 0}, "smaller_than is 0"),
        ("class_of", {"record": 0}, "record is 0"),
        ("class_of", {"record": 10}, "There is no record 10. The session has 9"),
        ("drop", {"variant": 7}, "keeps no variant 7"),
        ("before_and_after", {"variant": 7, "column": "age"}, "keeps no variant 7"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_what_to_write(
    session: toolbox.Session, call: str, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(toolbox.UsageError, match=message):
        getattr(session, call)(**arguments)


@pytest.mark.slow
def test_what_was_not_kept_cannot_be_shown() -> None:
    with toolbox.open(PEOPLE[["age"]], quasi_identifiers=["age"]) as session:
        variant = session.run(k=2)
        with pytest.raises(toolbox.UsageError, match=r"Open the table with records=True"):
            session.page()
        with pytest.raises(toolbox.UsageError, match="Run it with keep=True"):
            session.before_and_after(variant, "age")
        kept = session.run(k=2, keep=True)
        with pytest.raises(toolbox.UsageError, match="among its quasi-identifiers, has no column 'town'"):
            session.before_and_after(kept, "town")
        assert session.before_and_after(kept.number, "age").suppressed == 0


@pytest.mark.slow
def test_a_variant_is_shown_as_it_was_made_whatever_was_loaded_since(session: toolbox.Session) -> None:
    ages = session.run(k=2, quasi_identifiers=["age"], keep=True)
    before = session.page(variant=ages), session.before_and_after(ages, "age")
    for names in (["town"], ["age", "town"], ["town", "age"]):
        session.run(k=3, quasi_identifiers=names)
    assert (session.page(variant=ages), session.before_and_after(ages, "age")) == before
    session.drop(ages)
