"""The inputs of the benchmark: where they lie, what they need, and with which configuration each method reads them."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from bench_inputs import CENSUS, HARD, NoRoomError, check_room, configuration, prepare

import toolbox

NINE = [
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]


def quasi_identifiers(path: Path) -> list[str | None]:
    return [one.column.name for one in toolbox.load_config(path).quasi_identifiers]


def test_an_input_is_made_once(tmp_path, capsys):
    path = prepare(CENSUS, tmp_path, 100)
    assert len(path.read_text().splitlines()) == 101
    made = path.stat().st_mtime_ns
    assert prepare(CENSUS, tmp_path, 100) == path
    assert path.stat().st_mtime_ns == made
    assert capsys.readouterr().err == f"making {path}\n"


@pytest.mark.parametrize("one", [CENSUS, HARD], ids=lambda one: one.name)
def test_a_record_takes_no_more_room_than_is_counted_on(one, tmp_path):
    # The last records of a hundred million have person numbers of four digits more than those of ten thousand.
    size = prepare(one, tmp_path, 10_000).stat().st_size / 10_000 + 4
    assert 0.8 * one.record_bytes < size <= one.record_bytes


@pytest.mark.parametrize("method", ["Mondrian", "Datafly", "Anatomy"])
def test_most_methods_generalise_all_nine(method, tmp_path):
    path, count = configuration(CENSUS, tmp_path, method)
    assert (quasi_identifiers(path), count) == (NINE, 9)


@pytest.mark.parametrize("method", ["Incognito_k", "incognito_K"])
def test_incognito_generalises_the_first_five_of_the_census(method, tmp_path):
    path, count = configuration(CENSUS, tmp_path, method)
    assert (quasi_identifiers(path), count) == (NINE[:5], 5)
    assert path.parent == tmp_path


def test_incognito_generalises_all_six_of_the_hard_input_whose_configuration_is_made_with_it(tmp_path):
    # An input without its configuration is made again.
    (tmp_path / "hard_10.csv").touch()
    assert len(prepare(HARD, tmp_path, 10).read_text().splitlines()) == 11
    path, count = configuration(HARD, tmp_path, "Incognito_k")
    assert quasi_identifiers(path) == ["zip", "latitude", "longitude", "age", "sex", "marital-status"]
    assert count == 6


def test_too_small_a_disk_is_noticed_before_anything_is_written(tmp_path):
    huge = 10**12
    with pytest.raises(NoRoomError) as refused:
        check_room(tmp_path, [(CENSUS, 10), (CENSUS, huge)])
    # Input, output and as much as twice the input for what is spilled.
    needed = (10 * 115 + huge * 115 * 4) / 1e9
    assert f"{10**12:,} records of census needs about {needed:.1f} GB" in str(refused.value)
    assert "--cache" in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_an_input_that_is_there_needs_no_more_room(tmp_path):
    free = shutil.disk_usage(tmp_path).free
    one = replace(CENSUS, record_bytes=int(free / 3.5))
    with pytest.raises(NoRoomError):
        check_room(tmp_path, [(one, 1)])
    one.path(tmp_path, 1).touch()
    check_room(tmp_path, [(one, 1)])
