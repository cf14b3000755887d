"""The generator of census-like records keeps its promises, and what is committed beside it fits."""

from itertools import pairwise
from pathlib import Path

import census_model as model
import generate_census
import generated_file
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

CONFIGS = Path(__file__).parents[2] / "configs"
NAMES = (
    "person_id age sex race marital-status education native-country workclass occupation salary-class diagnosis visits"
)
QUASI_IDENTIFIERS = NAMES.split()[1:10]


def make(folder: Path, *, records: int, seed: int = 1, name: str = "census.csv") -> Path:
    output = folder / name
    assert generate_census.main([f"--records={records}", f"--seed={seed}", f"--output={output}", "--force"]) == 0
    return output


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return pa.Table.from_batches(generate_census.generate(200_000, seed=1)).to_pandas()


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("thousand"), records=1000)


def hierarchy(name: str) -> list[list[str]]:
    lines = (CONFIGS / "hierarchies" / f"{name}.csv").read_text().splitlines()
    return [line.split(";") for line in lines]


def share(rows: pd.Series) -> float:
    return float(rows.mean())


# What is promised of every file


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_another_one_other_people(thousand, tmp_path):
    assert make(tmp_path, records=1000).read_bytes() == thousand.read_bytes()
    assert make(tmp_path, records=1000, seed=2).read_bytes() != thousand.read_bytes()


@pytest.mark.slow
def test_the_first_records_of_a_larger_file_are_the_smaller_file(thousand, tmp_path):
    small = thousand.read_bytes()
    large = make(tmp_path, records=1500, name="large.csv").read_bytes()
    assert large.startswith(small)
    assert len(large.splitlines()) == 1501


@pytest.mark.slow
def test_a_second_chunk_leaves_the_first_as_it_is_and_differs_from_it():
    one, two = pa.Table.from_batches(generate_census.generate(1_000_100, seed=1)).to_batches()
    (alone,) = generate_census.generate(1_000_000, seed=1)
    assert one.equals(alone)
    assert two.num_rows == 100
    assert two["person_id"].to_pylist() == list(range(1_000_001, 1_000_101))
    assert not two.drop_columns(["person_id"]).equals(one.slice(0, 100).drop_columns(["person_id"]))


@pytest.mark.slow
def test_csv_and_parquet_hold_the_same_records(thousand, tmp_path):
    text = pd.read_csv(thousand, keep_default_na=False)
    table = pa.parquet.read_table(make(tmp_path, records=1000, name="census.parquet"))
    assert table.to_pylist() == text.to_dict(orient="records")


def test_no_record_at_all_is_a_header(tmp_path):
    assert make(tmp_path, records=0).read_text() == NAMES.replace(" ", ",") + "\n"


def test_no_field_needs_quotes_and_none_means_missing():
    words = [word for names in (*model.VOCABULARY.values(), model.DIAGNOSES) for word in names]
    assert not [word for word in words if set(word) & set(',;"\n?') or word != word.strip() or not word]


# What the records look like


@pytest.mark.slow
def test_columns(people):
    assert list(people.columns) == NAMES.split()
    assert people["person_id"].is_unique
    assert (people["age"].min(), people["age"].max()) == (17, 90)
    assert (people["visits"].min(), people["visits"].max()) == (0, 9)
    assert people["diagnosis"].nunique() == 12
    assert not people.isna().any(axis=None)


@pytest.mark.slow
def test_combinations_are_many_and_heavy_tailed(people):
    sizes = people.groupby(QUASI_IDENTIFIERS, observed=True).size()
    assert 15_000 < len(sizes) < 30_000
    assert share(sizes == 1) > 0.4
    assert sizes.max() > 150


@pytest.mark.slow
def test_nine_in_ten_were_born_at_home_and_the_others_in_many_countries(people):
    assert share(people["native-country"] == model.HOME_COUNTRY) == pytest.approx(0.9, abs=0.02)
    assert people["native-country"].nunique() > 40


def test_the_old_are_widowed_and_retired_and_the_young_single(people):
    old, young = people[people["age"] >= 65], people[people["age"] < 23]
    assert share(old["marital-status"] == "Widowed") > 0.15
    assert share(young["marital-status"] == "Single") > 0.8
    assert share(old["workclass"] == "Retired") > 0.7
    assert not (young["workclass"] == "Retired").any()


def test_education_leads_to_occupation_and_to_income(people):
    graduates = people["education"].isin(model.EDUCATION_LEVELS["University"])
    technology = people["occupation"].isin(model.SECTORS["Technology"])
    assert share(technology[graduates]) > 4 * share(technology[~graduates])
    high = people["salary-class"] == "High"
    assert share(high[graduates]) > 3 * share(high[~graduates])


def test_race_follows_the_country_of_birth(people):
    home = people["native-country"] == model.HOME_COUNTRY
    assert share(people["race"][home] == "European") > 0.85
    assert share(people["race"][people["native-country"] == "Turkey"] == "Middle Eastern") > 0.6


def test_the_diagnosis_depends_on_age_but_weakly(people):
    old = people["age"] >= 65
    shares = pd.DataFrame(
        {part: people["diagnosis"][rows].value_counts(normalize=True) for part, rows in [("old", old), ("other", ~old)]}
    )
    assert shares.loc["Arthritis", "old"] > 2 * shares.loc["Arthritis", "other"]
    # Half the sum of the differences is the distance that t-closeness measures.
    assert 0.1 < (shares["old"] - shares["other"]).abs().sum() / 2 < 0.3


# What is committed


@pytest.mark.slow
def test_the_committed_sample_is_seed_1(tmp_path):
    assert (CONFIGS / "census_5000.csv").read_bytes() == make(tmp_path, records=5000, seed=1).read_bytes()


@pytest.mark.parametrize("name", QUASI_IDENTIFIERS)
def test_each_hierarchy_lists_exactly_the_values_that_can_occur(name):
    vocabulary = {**model.VOCABULARY, "age": tuple(str(age) for age in model.AGES)}
    rows = hierarchy(name)
    assert [row[0] for row in rows] == list(vocabulary[name])
    assert {row[-1] for row in rows} == {"*"}
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("name", QUASI_IDENTIFIERS)
def test_in_each_hierarchy_a_label_has_one_parent_and_one_level(name):
    levels = list(zip(*hierarchy(name), strict=True))
    for level, above in pairwise(levels):
        assert len(set(zip(level, above, strict=True))) == len(set(level))
    assert len(set().union(*levels)) == sum(len(set(level)) for level in levels)


# What the command line refuses


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output=census.txt"], "write a name that ends in .csv or .parquet"),
        (["--output=nowhere/census.csv"], "there is no folder nowhere"),
        (["--output=there.csv"], "add --force to replace it"),
        (["--output=new.csv", "--records=-1"], "'-1' is no whole number"),
        (["--output=new.csv", "--seed=x"], "'x' is no whole number"),
    ],
)
def test_a_wrong_command_says_what_to_write(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("there.csv").write_text("older")
    with pytest.raises(SystemExit) as stopped:
        generate_census.main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["there.csv"]
    assert Path("there.csv").read_text() == "older"


def test_a_run_that_breaks_leaves_no_file(tmp_path):
    def broken():
        yield next(generate_census.generate(10, seed=1))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generated_file.write(tmp_path / "census.csv", generate_census.SCHEMA, broken())
    assert list(tmp_path.iterdir()) == []
