"""The inputs of the benchmark: where they lie, what they need, and with which configuration each method reads them."""

import shutil
from contextlib import redirect_stderr
from dataclasses import replace
from io import StringIO
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


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both inputs with ten thousand records, and what was said while they were made."""
    folder = tmp_path_factory.mktemp("cache")
    # An input without its configuration is made again.
    HARD.path(folder, 10_000).touch()
    with redirect_stderr(StringIO()) as said:
        for one in (CENSUS, HARD):
            assert len(prepare(one, folder, 10_000).read_text().splitlines()) == 10_001
    (folder / "said").write_text(said.getvalue())
    return folder


@pytest.mark.slow
def test_an_input_is_made_once(cache, capsys):
    path = CENSUS.path(cache, 10_000)
    assert f"making {path}\n" in (cache / "said").read_text()
    made = path.stat().st_mtime_ns
    assert prepare(CENSUS, cache, 10_000) == path
    assert path.stat().st_mtime_ns == made
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("one", [CENSUS, HARD], ids=lambda one: one.name)
def test_a_record_takes_no_more_room_than_is_counted_on(one, cache):
    # The last records of a hundred million have person numbers of four digits more than those of ten thousand.
    size = one.path(cache, 10_000).stat().st_size / 10_000 + 4
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


@pytest.mark.slow
def test_incognito_generalises_all_six_of_the_hard_input_whose_configuration_is_made_with_it(cache):
    path, count = configuration(HARD, cache, "Incognito_k")
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
