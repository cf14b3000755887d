"""A run of a sample, where a table has many records of which nearly all are different."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pandas as pd
import pytest

import toolbox
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.session.loads import USUAL_SAMPLE
from toolbox.flows.session.opening import open_table
from toolbox.steps import Steps

RECORDS = 60_000
PLACES = ("Graz", "Linz", "Wien")


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    numbers = range(RECORDS)
    return pd.DataFrame({"number": numbers, "place": [PLACES[number % 3] for number in numbers]})


@pytest.fixture(scope="module")
def session(people: pd.DataFrame) -> Iterator[toolbox.Session]:
    with toolbox.open(people, quasi_identifiers=["number", "place"], records=True) as opened:
        yield opened


@pytest.mark.slow
def test_the_records_of_a_sample_are_looked_at_as_they_stand_in_the_table(session: toolbox.Session) -> None:
    variant = session.run(k=5, sample=500, keep=True)
    assert variant.sampled_from == RECORDS
    drawn = variant.summary.records_read
    # 500 by a lot for each of 60,000: six standard deviations are 134.
    assert 366 < drawn < 634
    page = session.page(0, 1000, variant=variant)
    assert page.total == len(page.records) == drawn
    for one in page.records:
        number = one.record - 1
        assert one.values == (str(number), PLACES[number % 3]) and one.class_size >= 5
    seen = {one.record for one in page.records}
    # Of a table that is sorted each sixth has its share: 83, and six standard deviations are 55.
    sixths = [sum(sixth * 10_000 < record <= (sixth + 1) * 10_000 for record in seen) for sixth in range(6)]
    assert all(28 < count < 139 for count in sixths)
    first, other = min(seen), next(number for number in range(1, RECORDS) if number not in seen)
    assert session.class_of(first, variant).size >= 5
    with pytest.raises(toolbox.errors.UsageError, match=f"Record {other} is not in the sample"):
        session.class_of(other, variant)
    assert sum(bar.records for bar in session.before_and_after(variant, "place").before) == drawn
    session.drop(variant)


def test_a_sample_is_told_wherever_a_variant_is_and_a_release_is_of_all(session: toolbox.Session) -> None:
    variant = session.run(k=5, sample=500)
    words = f"Only {variant.summary.records_read} of 60,000 records were run"
    assert variant.headline().endswith("; a sample of 60,000 records")
    assert variant.summary.notes[0].startswith(words) and words in variant.to_html()
    assert variant.document()["sampled_from"] == 60_000
    assert "sample" not in variant.arguments


@pytest.mark.slow
def test_the_same_table_has_the_same_sample(people: pd.DataFrame, session: toolbox.Session) -> None:
    with toolbox.open(people, quasi_identifiers=["number", "place"], records=True) as again:
        both = [each.page(0, 1000, variant=each.run(k=5, sample=500, keep=True)) for each in (session, again)]
    assert both[0].records == both[1].records


def test_columns_in_which_many_records_are_alike_are_run_as_a_whole(session: toolbox.Session) -> None:
    variant = session.run(k=2, sample=500, quasi_identifiers=["place"])
    assert (variant.sampled_from, variant.summary.records_read) == (None, RECORDS)


@pytest.mark.slow
def test_a_table_of_which_half_of_the_records_are_alike_is_run_as_a_whole(people: pd.DataFrame) -> None:
    alike = pd.DataFrame({"number": [7] * 70_000, "place": ["Graz"] * 70_000})
    with toolbox.open(pd.concat([people, alike]), quasi_identifiers=["number", "place"]) as session:
        assert session.run(k=2, sample=500).sampled_from is None


@pytest.mark.slow
def test_of_records_that_are_alike_a_sample_has_their_share(people: pd.DataFrame) -> None:
    alike = pd.DataFrame({"number": [7] * 30_000, "place": ["Graz"] * 30_000})
    with toolbox.open(pd.concat([people, alike]), quasi_identifiers=["number", "place"]) as session:
        variant = session.run(k=5, sample=900, classes=True)
        # A hundredth of each: 300 records that are alike, one more or less by the lot.
        assert variant.sampled_from == 90_000
        assert variant.sizes_before[-1].size in (300, 301)


def test_the_usual_sample_is_drawn_while_the_table_is_opened(people: pd.DataFrame) -> None:
    """What the first preview asks for is there: finding it makes no table."""
    columns = ColumnArguments(("number", "place"), (), (), {}, {}, {}, {}, {})
    with ExitStack() as stack:
        arguments = AnonymizeArguments.of_nothing(columns, "open")
        table = open_table(stack, people, arguments, Steps(), with_records=True)
        made = int(table.store.fresh("table").split("_")[1])
        sample = table.find_sample(table.declared.config, USUAL_SAMPLE)
        assert table.store.fresh("table") == f"table_{made + 1}"
    assert (sample.sampled_from, sample is table) == (RECORDS, False)
