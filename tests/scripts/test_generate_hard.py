"""The generator of records that are hard to anonymise, and the configuration that it writes beside them."""

import hashlib
from math import prod
from pathlib import Path

import generate_hard
import hard_country as country
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import toolbox

FIRST_RECORDS = """\
person_id,zip,latitude,longitude,age,sex,marital-status,diagnosis,visits
1,66585,50.3376,13.1221,66,Male,Married,High blood pressure,5
2,84892,52.3859,11.6442,54,Female,Married,Common cold,2
3,11497,45.8645,6.8860,54,Male,Single,High blood pressure,2
"""
DIGESTS = {
    "hard.xml": "f15e23de62e024f6335bbf680415f04ea48b989e9d6daaed530cf2bd96c7b5c5",
    "hard_zip.csv": "3654c4342c57d951d8720dc52ebbaf85856ace6b08d519c89b032ab13baab93d",
    "hard_10000.csv": "339b272bf2284f994358164b38c7542c1665ce22f9fed4f19ccade903a7e9add",
}


def make(folder: Path, *, records: int, seed: int = 1, name: str = "hard.csv") -> Path:
    output = folder / name
    assert generate_hard.main([f"--records={records}", f"--seed={seed}", f"--output={output}", "--force"]) == 0
    return output


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pa.Table.from_batches(generate_hard.generate(200_000, seed=1)).to_pandas()


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thousand records, with the configuration beside them."""
    return make(tmp_path_factory.mktemp("thousand"), records=1000)


# What is promised of every file


@pytest.mark.slow
def test_seed_1_begins_with_these_records_on_every_machine(thousand):
    assert thousand.read_text().startswith(FIRST_RECORDS)


@pytest.mark.slow
def test_seed_1_gives_these_bytes_on_every_machine(tmp_path):
    make(tmp_path, records=10_000, name="hard_10000.csv")
    assert {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in DIGESTS} == DIGESTS


@pytest.mark.slow
def test_another_seed_gives_other_towns(people):
    others = pa.Table.from_batches(generate_hard.generate(20_000, seed=2)).to_pandas()
    popular = [set(some["zip"].value_counts().index[:20]) for some in (people[:20_000], others)]
    assert len(popular[0] & popular[1]) < 5


@pytest.mark.slow
def test_the_first_records_of_a_larger_file_are_the_smaller_file(thousand, tmp_path):
    small = thousand.read_bytes()
    large = make(tmp_path, records=1500, name="large.csv").read_bytes()
    assert large.startswith(small)
    assert len(large.splitlines()) == 1501


def test_a_second_chunk_leaves_the_first_as_it_is_and_differs_from_it():
    one, two = pa.Table.from_batches(generate_hard.generate(100_100, seed=1)).to_batches()
    (alone,) = generate_hard.generate(100_000, seed=1)
    assert one.equals(alone)
    assert two["person_id"].to_pylist() == list(range(100_001, 100_101))
    assert not two["latitude"].equals(one["latitude"].slice(0, 100))


@pytest.mark.slow
def test_csv_and_parquet_hold_the_same_records(thousand, tmp_path):
    text = pd.read_csv(thousand, dtype=str)
    table = pa.parquet.read_table(make(tmp_path, records=1000, name="hard.parquet")).to_pandas()
    assert table.astype(str).equals(text)


# What the records look like


@pytest.mark.slow
def test_nearly_every_record_has_a_combination_of_its_own(people):
    sizes = people.groupby(list(country.ORDER), observed=True).size()
    assert (sizes == 1).mean() > 0.999


@pytest.mark.slow
def test_zip_codes_are_of_90_000_values_and_unevenly_popular(people):
    counts = people["zip"].value_counts()
    assert people["zip"].between(10_000, 99_999).all()
    assert len(counts) > 50_000
    assert counts.iloc[0] > 10
    assert counts.median() <= 4


@pytest.mark.slow
def test_a_home_lies_in_the_area_of_its_zip_code(people):
    row, column = country.cells(people["zip"].to_numpy(np.int64))
    south, west = 45 + row * 0.03, 6 + column * 0.03
    north_of, east_of = people["latitude"].astype(float) - south, people["longitude"].astype(float) - west
    assert north_of.between(-1e-9, 0.0299 + 1e-9).all()
    assert east_of.between(-1e-9, 0.0299 + 1e-9).all()


def test_zip_codes_and_cells_of_the_grid_are_one_to_one():
    row, column = country.cells(np.arange(10_000, 100_000))
    assert len(set(zip(row.tolist(), column.tolist(), strict=True))) == 300 * 300
    assert {*row.tolist()} == {*column.tolist()} == {*range(300)}


@pytest.mark.parametrize(("digits", "height", "width"), [(1, 100, 100), (2, 50, 20), (3, 10, 10), (4, 5, 2)])
def test_a_prefix_of_zip_codes_is_a_rectangle(digits, height, width):
    codes = np.arange(10_000, 100_000)
    cells = pd.DataFrame(dict(zip(("row", "column"), country.cells(codes), strict=True)))
    areas = cells.groupby(codes // 10 ** (5 - digits)).agg(["min", "max"])
    assert (areas["row"]["max"] - areas["row"]["min"] + 1 == height).all()
    assert (areas["column"]["max"] - areas["column"]["min"] + 1 == width).all()


# What is written beside them


@pytest.mark.slow
def test_the_lattice_has_1440_nodes(thousand):
    config = toolbox.load_config(thousand.with_name("hard.xml"))
    levels = {one.column.name: one.hierarchy.height + 1 for one in config.quasi_identifiers}
    assert levels == country.LEVELS
    assert prod(levels.values()) == 1440


def test_zip_codes_are_masked_digit_by_digit():
    rows = country.zip_rows()
    assert len(rows) == 90_000
    assert "24700;2470*;247**;24***;2****;*" in rows


def test_intervals_are_written_without_rounding():
    lines = country.intervals(450_000, 2_000, (1_000, 500), 10_000)
    assert [line.strip() for line in lines] == [
        "<vgh value='[45:45.2)'>",
        "<node value='[45:45.1)'>",
        "<node value='[45:45.05)'/>",
        "<node value='[45.05:45.1)'/>",
        "</node>",
        "<node value='[45.1:45.2)'>",
        "<node value='[45.1:45.15)'/>",
        "<node value='[45.15:45.2)'/>",
        "</node>",
        "</vgh>",
    ]
