"""Which files an input is, and in which order."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from toolbox.config.file_names import is_table_with_names, list_input_files
from toolbox.config.model import Input
from toolbox.errors import InputError

Listing = Callable[..., list[str]]


@pytest.fixture
def listing(tmp_path: Path) -> Listing:
    """Return a function from what is named to the names of the files, all relative to one folder."""

    def names(*given: str) -> list[str]:
        first, *more = (tmp_path / name for name in given)
        return [str(path.relative_to(tmp_path)) for path in list_input_files(Input(path=first, more=tuple(more)))]

    return names


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a\n1\n")


def refusal(listing: Listing, *given: str) -> str:
    with pytest.raises(InputError) as caught:
        listing(*given)
    return str(caught.value)


def test_a_file_is_itself_even_if_it_is_not_there(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "a.csv")
    assert listing("a.csv") == ["a.csv"]
    assert listing("absent.csv") == ["absent.csv"]


def test_files_come_in_the_order_in_which_they_are_named(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "a.csv", "b.csv", "c.csv")
    assert listing("c.csv", "a.csv", "b.csv") == ["c.csv", "a.csv", "b.csv"]


def test_a_pattern_stands_for_its_files_in_natural_order(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "part-10.csv", "part-2.csv", "part-1.csv", "part-002.csv", "other.csv", "part-3.txt", "part-x.csv")
    assert listing("part-*.csv") == ["part-1.csv", "part-002.csv", "part-2.csv", "part-10.csv", "part-x.csv"]
    assert listing("part-[23].*") == ["part-2.csv", "part-3.txt"]
    assert listing("part-?.csv", "other.csv") == ["part-1.csv", "part-2.csv", "part-x.csv", "other.csv"]


def test_a_pattern_reaches_folders_and_all_below_them(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "x/year=9/a.csv", "x/year=10/a.csv", "x/a.csv")
    assert listing("x/*/a.csv") == ["x/year=9/a.csv", "x/year=10/a.csv"]
    assert listing("x/year=*") == ["x/year=9/a.csv", "x/year=10/a.csv"]
    assert listing("x/**/a.csv") == listing("x/**") == listing("x")


def test_a_folder_stands_for_all_files_below_it(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "d/y=2/10.parquet", "d/y=2/9.parquet", "d/y=10/1.parquet", "d/0.parquet")
    assert listing("d") == ["d/0.parquet", "d/y=2/9.parquet", "d/y=2/10.parquet", "d/y=10/1.parquet"]


def test_what_other_programs_put_beside_the_data_is_no_data(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "d/part-0.csv", "d/.part-0.csv.crc", "d/_SUCCESS", "d/_temporary/part-1.csv", "d/.git/x.csv")
    assert listing("d") == ["d/part-0.csv"]


def test_a_file_that_is_called_like_a_pattern_is_taken_as_it_is_called(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "part[1].csv", "part1.csv", "*", "a?.csv", "ab.csv")
    assert listing("part[1].csv") == ["part[1].csv"]
    assert listing("*") == ["*"]
    assert listing("a?.csv") == ["a?.csv"]
    (tmp_path / "part[1].csv").unlink()
    assert listing("part[1].csv") == ["part1.csv"]


def test_a_pattern_may_lie_in_a_folder_that_is_called_like_one(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "data[1]/b*/part-1.csv", "data[1]/b*/part-2.csv", "data1/bb/part-3.csv")
    assert listing("data[1]/b*/part-*.csv") == ["data[1]/b*/part-1.csv", "data[1]/b*/part-2.csv"]
    assert listing("data[1]/b*/absent.csv") == ["data[1]/b*/absent.csv"]


@pytest.mark.parametrize(
    "name", ["a,b.csv", "it's.csv", 'say "hi".csv', "two\nlines.csv", "Ärzte 🦆.csv", "%s{}.csv", "#x.csv"]
)
def test_hostile_names_are_names(listing: Listing, tmp_path: Path, name: str) -> None:
    make(tmp_path, f"d/{name}", f"d/{name}.2")
    assert listing("d/*") == listing("d") == [f"d/{name}", f"d/{name}.2"]


def test_links_to_folders_are_followed_but_not_in_circles(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "elsewhere/b.csv", "d/a.csv")
    (tmp_path / "d/linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/back").symlink_to(tmp_path / "d")
    (tmp_path / "d/self").symlink_to(tmp_path / "d")
    assert listing("d") == ["d/a.csv", "d/linked/b.csv"]


def test_what_stands_for_no_file_is_refused(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "d/_SUCCESS")
    assert (
        refusal(listing, "part-*.csv")
        == f"{tmp_path}/part-*.csv: no file has a name of this pattern. Is the folder right?"
    )
    assert (
        refusal(listing, "d")
        == f"{tmp_path}/d is a folder without files that could be read. Name another one, or a file."
    )


@pytest.mark.parametrize("second", ["a.csv", "*.csv", "./a.csv", ".", "hard.txt", "soft.txt"])
def test_a_file_that_comes_twice_is_refused(listing: Listing, tmp_path: Path, second: str) -> None:
    make(tmp_path, "a.csv")
    if second == "hard.txt":
        os.link(tmp_path / "a.csv", tmp_path / second)
    if second == "soft.txt":
        (tmp_path / second).symlink_to("a.csv")
    assert "so that its records would be doubled. Name every file once." in refusal(listing, "a.csv", second)


def test_parquet_and_text_are_no_table_together(listing: Listing, tmp_path: Path) -> None:
    make(tmp_path, "d/a.csv", "d/b.parquet")
    for given in (["d"], ["d/b.parquet", "d/a.csv"]):
        assert refusal(listing, *given) == (
            f"{tmp_path}/d/b.parquet is Parquet, and {tmp_path}/d/a.csv is not. A table has files of one kind; name the files "
            f"that belong to it, such as {tmp_path}/d/*.csv."
        )


def test_an_input_names_its_columns_if_it_is_parquet_or_has_a_header(tmp_path: Path) -> None:
    make(tmp_path, "p/x/1.parquet", "c/1.csv")
    assert is_table_with_names(Input(path=tmp_path / "p"))
    assert is_table_with_names(Input(path=tmp_path / "p/*/*"))
    assert not is_table_with_names(Input(path=tmp_path / "c"))
    assert is_table_with_names(Input(path=tmp_path / "c", header=True))
    assert is_table_with_names(Input(path=tmp_path / "absent-*.parquet"))
