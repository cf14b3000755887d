"""The order of a release: by default none that tells anything about the order of the input."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers.amounts import some

from toolbox import Result, anonymize, load_config
from toolbox.queries.dialect import make_block_keys
from toolbox.release.returned import ReleasedPart, sort_by_value
from toolbox.store.engine.store import Store

COUNT = 2500
PEOPLE = pd.DataFrame({"age": [number % 7 for number in range(COUNT)], "n": range(COUNT)})
INPUT = list(range(COUNT))


def released(**options: object) -> Result:
    return anonymize(PEOPLE, quasi_identifiers=["age"], sensitive=["n"], k=3, **options)


@pytest.fixture(scope="module")
def usual() -> Result:
    return released()


@pytest.fixture(scope="module")
def seeded() -> Result:
    return released(seed=4)


def order(result: Result) -> list[int]:
    return [int(number) for number in result.release["n"]]


def notes(result: Result) -> tuple[str, ...]:
    """Return all notes but the one that every n is of its own, by which these tests know the records."""
    own, *others = sorted(result.summary.notes, key=lambda note: "a different value for each record" not in note)
    assert own.startswith("n is declared sensitive, and has a different value for each record")
    return tuple(others)


def moved(one: list[int], other: list[int]) -> float:
    """Return the correlation of the places that records have in two releases: near 0 if neither tells the other."""
    places = pd.Series(range(COUNT), index=one), pd.Series(range(COUNT), index=other)
    return float(places[0].corr(places[1]))


@pytest.mark.slow
def test_two_releases_of_one_table_cannot_be_joined_line_by_line(usual: Result) -> None:
    first, second = order(usual), order(released())
    assert sorted(first) == sorted(second) == INPUT
    for one, other in ((first, second), (first, INPUT), (second, INPUT)):
        assert abs(moved(one, other)) < 0.1
        # By chance one record is in its place.
        assert sum(a == b for a, b in zip(one, other, strict=True)) < 10
    # No trace of the blocks that share their keys: neighbours are as far apart as any two.
    assert sum(abs(a - b) < 10 for a, b in pairwise(first)) < 60


def test_the_order_of_the_input_is_kept_on_demand_and_a_note_says_what_that_means(usual: Result) -> None:
    result = released(order="input")
    assert order(result) == INPUT
    (note,) = notes(result)
    assert note.startswith("The records are in the order of the input: anybody who has another release of this table")
    assert notes(usual) == ()


def test_an_index_is_new_where_rows_are_shuffled(usual: Result) -> None:
    """The old one would tell each row's place in the input."""
    assert list(usual.release.index) == INPUT


@pytest.mark.slow
def test_a_seed_makes_the_order_reproducible_for_whoever_knows_it(seeded: Result) -> None:
    again, other = released(seed=4), released(seed=2)
    assert order(seeded) == order(again) != order(other)
    assert notes(seeded) == (
        "Somebody who knows or guesses the seed can put the records into the order of the input again. Publish without one.",
    )


def test_values_stay_with_their_record_when_it_is_shuffled(usual: Result) -> None:
    shown = usual.release
    assert [age for age, n in zip(shown["age"], shown["n"], strict=True)] == [str(n % 7) for n in shown["n"]]


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    path = tmp_path / "c.xml"
    path.write_text(
        "<config k='3' seed='4'><input filename='people.csv' header='true'/><output filename='out.csv'/>"
        "<qid><att name='age'/></qid><sens><att name='n'/></sens></config>"
    )
    return path


@pytest.mark.slow
def test_text_split_packed_parquet_and_tables_in_memory_have_the_same_order(
    configuration: Path, seeded: Result
) -> None:
    """What is cut into files is cut after it was shuffled."""
    expected = order(seeded)
    folder = configuration.parent
    ways = (("out.csv", None), ("split.csv", "5KB"), ("out.csv.gz", None), ("out.parquet", None))
    for name, split in some(ways, every=2, start=1):
        config = load_config(configuration, output=str(folder / name), split_size=split)
        assert order(anonymize(config)) == expected


@pytest.mark.slow
def test_a_file_of_several_threads_tells_nothing_about_the_order_of_the_input_either(
    configuration: Path, usual: Result
) -> None:
    configuration.write_text(configuration.read_text().replace(" seed='4'", ""))
    files = []
    for name in ("one.csv", "other.csv"):
        output = str(configuration.parent / name)
        files.append(order(anonymize(load_config(configuration, output=output, threads="2"))))
    assert sorted(files[0]) == sorted(files[1]) == INPUT
    for one, other in ((files[0], INPUT), (files[1], INPUT), (files[0], files[1]), (files[0], order(usual))):
        assert abs(moved(one, other)) < 0.1
    assert sum(abs(a - b) < 10 for a, b in pairwise(files[0])) < 60


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("output", ["out.csv", "out.parquet"])
def test_a_sorted_release_is_the_same_whatever_the_order_of_the_input(configuration: Path, output: str) -> None:
    folder = configuration.parent
    files = []
    for table in (PEOPLE, PEOPLE.sample(frac=1, random_state=3)):
        table.to_csv(folder / "people.csv", index=False)
        result = anonymize(load_config(configuration, order="sorted", output=str(folder / output)))
        files.append((folder / output).read_bytes())
        assert notes(result) == ()
    assert files[0] == files[1]
    shown = list(result.release.itertuples(index=False, name=None))
    assert shown == sorted(shown)


@pytest.mark.slow
def test_a_sorted_table_in_memory_is_sorted_by_all_columns_that_have_an_order() -> None:
    table = pa.table(
        {
            "list": [[3], [1], [2], [0]],
            "word": pa.array(["b", "a", "b", None]).dictionary_encode(),
            "number": [1, 2, 0, 5],
        }
    )
    part = ReleasedPart(
        headers=("list", "word", "made"), passed=(0, 1, None), made=table.select([2]), rows=np.arange(4)
    )
    found = sort_by_value(part, table)
    assert found.made["number"].to_pylist() == [2, 0, 1, 5]
    assert found.rows.tolist() == [1, 2, 0, 3]
    assert order(released(order="sorted")) == sorted(INPUT, key=lambda n: (n % 7, n))


def test_as_in_2010_the_order_is_kept_unless_another_one_is_asked_for(configuration: Path) -> None:
    output = str(configuration.parent / "out.csv")
    kept = load_config(configuration, compatibility="utd", output=output)
    assert (kept.output.order, load_config(configuration).output.order) == ("input", "shuffled")
    assert load_config(configuration, compatibility="utd", order="sorted").output.order == "sorted"


def test_anatomy_has_an_order_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("1,a\n2,b\n")
    path = tmp_path / "c.xml"
    path.write_text(
        "<config method='Anatomy' l='2'><input filename='people.csv'/><output order='input' filename='out.csv'/>"
        "<qid><att index='0'/></qid><sens><att index='1'/></sens></config>"
    )
    assert load_config(path).warnings == (
        "order=input is ignored: anatomy orders its tables by class, and shuffles within.",
    )


def test_the_keys_of_blocks_are_secret_and_all_different() -> None:
    with Store() as store:
        first, second, seeded = (store.rows(make_block_keys(5000, seed, "order")) for seed in (None, None, 7))
        assert seeded == store.rows(make_block_keys(5000, 7, "order"))
    keys = [key for rows in (first, second, seeded) for _, *both in rows for key in both]
    assert [block for block, *_ in first] == [0, 1, 2, 3, 4]
    assert len(set(keys)) == len(keys) == 30
