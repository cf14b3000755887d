"""What holds for every table: random ones, against Mondrian and Datafly as short programs over plain lists."""

from __future__ import annotations

import csv
from collections import Counter
from io import StringIO

import pandas as pd
import pytest
from helpers import in_order
from helpers.amounts import times
from helpers.brute_datafly import datafly
from helpers.brute_mondrian import mondrian
from helpers.random_tables import Column, Sample, samples
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from toolbox import Limits, Result, UnsatisfiableError
from toolbox.messages import format_count

# The same tables in every run. No shrinking: a failing table is small enough, and each attempt is a run of the toolbox.
RUNS = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
DIMENSIONS = st.sampled_from(["range", "distinct"])
CUTS = st.sampled_from(["fallback", "classic"])


def anonymize(sample: Sample, frame: pd.DataFrame, method: str, *, hierarchies: bool = True, **more: object) -> Result:
    """Run the toolbox, and see that it leaves the caller's table alone."""
    before = frame.copy(deep=True)
    result = in_order.anonymize(
        frame,
        quasi_identifiers=sample.names,
        kinds=sample.kinds,
        hierarchies=sample.hierarchies if hierarchies else {},
        method=method,
        k=sample.k,
        limits=Limits(threads=1),
        **more,
    )
    pd.testing.assert_frame_equal(frame, before)
    return result


def shown(result: Result, sample: Sample) -> list[tuple[str, ...]]:
    return list(result.release[sample.names].itertuples(index=False, name=None))


def rest_is_untouched(result: Result, sample: Sample) -> bool:
    """Whether every record is present once, in its place, with all that is no quasi-identifier."""
    rest = ["record", "note"]
    return result.release[rest].equals(sample.frame[rest]) and list(result.release) == list(sample.frame)


def category_codes(column: Column, *, has_hierarchy: bool) -> dict[str, int]:
    """Order categories by their texts, or so that what a label covers stays together, labels as first listed."""
    if not has_hierarchy:
        return {text: code for code, text in enumerate(sorted(set(column.texts)))}
    first: dict[tuple[str, ...], int] = {}
    for row in column.hierarchy:
        for level in range(len(row)):
            first.setdefault(row[level:], len(first))
    ordered = sorted(column.hierarchy, key=lambda row: [first[row[level:]] for level in reversed(range(len(row)))])
    return {row[0]: code for code, row in enumerate(ordered)}


def class_name(column: Column, values: set[str], *, has_hierarchy: bool) -> str:
    """Name what a class holds in one column, by the documented rule."""
    if len({column.value(text) for text in values}) == 1:
        return column.name(min(values))
    if column.kind == "number":
        return f"[{column.name(min(values, key=float))}:{column.name(max(values, key=float))}]"
    if has_hierarchy:
        for labels in zip(*column.paths.values(), strict=True):
            for label in labels:
                covered = {text for text, path in column.paths.items() if label in path}
                if covered == values:
                    return label
    codes = category_codes(column, has_hierarchy=has_hierarchy)
    special = ['"' + text.replace('"', '""') + '"' if needs_quotes(text) else text for text in values]
    return "{" + ",".join(sorted(special, key=lambda text: codes[unquoted(text)])) + "}"


def needs_quotes(text: str) -> bool:
    return bool(set(text) & set(',{}"\r\n')) or text.strip() != text


def unquoted(text: str) -> str:
    return text if text[0] != '"' else text[1:-1].replace('""', '"')


@pytest.mark.slow
@settings(RUNS, max_examples=times(3, slow=40))
@given(samples(), DIMENSIONS, CUTS, st.booleans())
def test_mondrian_names_each_class_of_a_plain_mondrian_by_the_values_in_it(
    sample: Sample, dimension: str, cut: str, has_hierarchy: bool
) -> None:
    result = anonymize(sample, sample.frame, "Mondrian", hierarchies=has_hierarchy, dimension=dimension, cut=cut)
    numbers = []
    for one in sample.columns:
        codes = category_codes(one, has_hierarchy=has_hierarchy) if one.kind == "category" else {}
        numbers.append([codes[text] if codes else float(text) for text in one.texts])
    classes = mondrian(list(zip(*numbers, strict=True)), sample.k, dimension=dimension, cut=cut)

    assert rest_is_untouched(result, sample)
    rows = shown(result, sample)
    for members in classes:
        values = [{one.texts[number] for number in members} for one in sample.columns]
        name = tuple(
            class_name(one, found, has_hierarchy=has_hierarchy)
            for one, found in zip(sample.columns, values, strict=True)
        )
        assert {rows[number] for number in members} == {name}
    sizes = Counter(rows).values()
    assert min(sizes) >= sample.k
    proof = result.summary.proof
    assert (proof.records, proof.records_suppressed) == (sample.size, 0)
    assert (proof.classes, proof.smallest_class) == (len(sizes), min(sizes))


@pytest.mark.slow
@settings(RUNS, max_examples=times(3, slow=30))
@given(samples(), st.one_of(st.none(), st.integers(0, 6)))
def test_datafly_stops_where_a_plain_datafly_stops_and_suppresses_the_same_records(
    sample: Sample, threshold: int | None
) -> None:
    result = anonymize(sample, sample.frame, "Datafly", suppression_threshold=threshold)
    paths = [{text: (one.name(text), *labels) for text, labels in one.paths.items()} for one in sample.columns]
    rows = list(zip(*(one.texts for one in sample.columns), strict=True))
    expected = datafly(rows, paths, sample.k, sample.k if threshold is None else threshold)

    assert rest_is_untouched(result, sample)
    assert [one.level for one in result.summary.quasi_identifiers] == expected.levels
    assert shown(result, sample) == expected.rows
    proof = result.summary.proof
    assert (proof.records, proof.records_suppressed) == (sample.size, len(expected.suppressed))
    sizes = expected.classes.values()
    assert (proof.classes, proof.smallest_class) == (len(sizes), min(sizes, default=None))
    assert min(sizes, default=sample.k) >= sample.k


@pytest.mark.slow
@settings(RUNS, max_examples=times(2, slow=10))
@given(samples(most_rows=20), DIMENSIONS, CUTS, st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_change_what_mondrian_releases_of_each(
    sample: Sample, dimension: str, cut: str, random
) -> None:
    order = list(range(sample.size))
    random.shuffle(order)
    first = anonymize(sample, sample.frame, "Mondrian", dimension=dimension, cut=cut).release
    second = anonymize(sample, sample.frame.iloc[order], "Mondrian", dimension=dimension, cut=cut).release
    pd.testing.assert_frame_equal(second, first.iloc[order].reset_index(drop=True))


@pytest.mark.slow
@settings(RUNS, max_examples=times(2, slow=5))
@given(samples(most_rows=20), st.sampled_from(["Mondrian", "Datafly"]), st.integers(0, 2**40))
def test_the_same_seed_gives_the_same_anatomy_and_another_one_the_same_groups(
    sample: Sample, method: str, seed: int
) -> None:
    runs = [
        anonymize(sample, sample.frame, method, output_format="anatomy", seed=given) for given in (seed, seed, seed + 1)
    ]
    for once, again in zip(runs[0].parts, runs[1].parts, strict=True):
        pd.testing.assert_frame_equal(once, again)
    for one, other in zip(runs[0].parts, runs[2].parts, strict=True):
        assert Counter(one.itertuples(index=False, name=None)) == Counter(other.itertuples(index=False, name=None))


# By default test_every_model.py compares a file with a table.
@pytest.mark.slow
@settings(RUNS, max_examples=8)
@given(sample=samples(most_rows=20), method=st.sampled_from(["Mondrian", "Datafly"]))
def test_a_file_is_released_like_a_data_frame(
    sample: Sample, method: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("file")
    with (folder / "input.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(sample.frame), *sample.frame.itertuples(index=False, name=None)])
    for name, rows in sample.hierarchies.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter=";").writerows(rows)
    qids = "".join(
        f"<att name='{name}' type='{kind}'><vgh file='{name}.csv'/></att>" for name, kind in sample.kinds.items()
    )
    (folder / "config.xml").write_text(
        f"<config method='{method}' k='{sample.k}'><input filename='input.csv' header='true'/>"
        f"<output order='input' filename='release.csv'/><qid>{qids}</qid></config>"
    )
    in_order.anonymize(folder / "config.xml")
    text = (folder / "release.csv").read_bytes().decode()
    released = list(csv.reader(StringIO(text, newline="")))
    expected = anonymize(sample, sample.frame, method).release
    assert released == [list(expected), *(list(map(str, row)) for row in expected.itertuples(index=False, name=None))]


@settings(RUNS, max_examples=times(3, slow=5))
@given(samples(most_rows=8), st.sampled_from(["Mondrian", "Datafly"]))
def test_fewer_records_than_k_are_refused(sample: Sample, method: str) -> None:
    with pytest.raises(UnsatisfiableError, match=f"{format_count(sample.size, 'record')}, and a class needs at least"):
        anonymize(Sample(sample.columns, sample.size + 1), sample.frame, method)
