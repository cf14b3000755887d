"""Headers, file names, numbers and categories may be anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pyarrow as pa
import pyarrow.parquet
import pytest
from helpers.amounts import some
from helpers.hostile import Release, configuration, quoted_field, read_fields, run_here, write

pytestmark = pytest.mark.sampled(2)

# Headers.


HEADERS = [
    *("a b", " c ", "d\te", "", "", "x" * 5_000, "b; DROP TABLE records; --", "1", "2.5", "-", "*", "?"),
    *("select", "from", "group", "order", "table", "rowid", "c0", "size", "text_1", "missing", "h0", "label_1"),
    *("record_id", "equivalence_id", "combination_id", "key", "b", "b", "b", "A", "B", "b'c", "a:b"),
    *('"', 'say "b"', "''", "`b`", "[b]", "last, first", "two\nlines", "three\r\nlines"),
    *("100%", "%s", "%(x)s", ":b", "{b}", "$1", "\\", "größe", "größe 😀", "日本語", "😀", "ß", "ẞ", "İ", "i"),
]


@pytest.mark.slow
def test_headers_are_released_as_they_were_read(release: Release) -> None:
    header = ["a", *HEADERS]
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows([header, ["x"] * len(header), ["x"] * len(header)])
    shown = list(csv.reader(io.StringIO(release(buffer.getvalue()).decode(), newline="")))
    assert shown == [header, ["x"] * len(header), ["x"] * len(header)]


@pytest.mark.slow
def test_quasi_identifiers_may_have_any_headers(release: Release) -> None:
    headers = ["last, first", 'say "b"', "select", "100%", "größe 😀", " b ", "two\nlines", "b'c", "a:b"]
    names = [header.replace('"', "&quot;").replace("\n", "&#10;") for header in headers]
    config = configuration("".join(f'<att name="{name}" type="category"/>' for name in names))
    row = ["x"] * len(headers)
    data = release("".join(f"{','.join(map(quoted_field, line))}\n" for line in (headers, row, row)), config)
    assert read_fields(data.decode(), ",") == [headers, row, row]


@pytest.mark.slow
def test_of_headers_that_differ_in_case_the_named_one_is_meant(release: Release) -> None:
    data = release("A,a\n1,5\n2,6\n", configuration("<att name='a' type='number'/>"))
    assert data == b"A,a\n1,[5:6]\n2,[5:6]\n"


# File names.


NAMES = ["it's", "a b", "[x]*?", "x*", "größe 😀", "100%", "{x}", "a;b", "b=7", "-k", "~", "$HOME", "a#b", "a?b", "..."]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "place"),
    [
        *((name, "file") for name in some(NAMES, every=4)),
        *((name, "folder") for name in some(NAMES, every=4, start=2)),
    ],
)
def test_files_and_folders_may_have_any_name(
    name: str, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / name if place == "folder" else tmp_path
    folder.mkdir(exist_ok=True)
    stem = name if place == "file" else "in"
    write(folder / f"{stem}.csv", "a,b\nx,1\nx,2\n")
    write(folder / f"{stem}2.csv", "a,b\nx,3\nx,4\n")  # would be read as well if the name were a pattern
    config = configuration(source=f"{stem}.csv", target=f"{stem}.out")
    assert run_here(["-config", write(folder / "c.xml", config), "--quiet"], capsys).status == 0
    assert (folder / f"{stem}.out").read_bytes() == b"a,b\nx,1\nx,2\n"
    pa.parquet.write_table(pa.table({"a": ["x", "x"], "b": [5, 6]}), folder / f"{stem}.parquet")
    config = configuration(source=f"{stem}.parquet", target=f"{stem}.out.parquet")
    assert run_here(["-config", write(folder / "c.xml", config), "--quiet"], capsys).status == 0
    # A file is handed over open: by its name, some readers would take a folder such as b=7 as a column.
    with (folder / f"{stem}.out.parquet").open("rb") as file:
        assert pa.parquet.read_table(file).to_pydict() == {"a": ["x", "x"], "b": [5, 6]}


# Numbers, categories and missing values.


@pytest.mark.slow
def test_the_range_of_the_largest_numbers_does_not_overflow(release: Release) -> None:
    data = "a,b\n1e308,1\n-1e308,2\n-1e308,3\n1e308,4\n"
    assert release(data, configuration("<att name='a'/>")) == data.encode()
    whole = b"a,b\n[-1e308:1e308],1\n[-1e308:1e308],2\n[-1e308:1e308],3\n[-1e308:1e308],4\n"
    assert release(data, configuration("<att name='a'/>"), "-k", "4") == whole


@pytest.mark.slow
def test_mean_and_variance_of_large_numbers_are_finite(release: Release) -> None:
    shown = release("a\n1e150\n-1e150\n", configuration("<att name='a'/>", output="format='genValsDist'"))
    name, statistics = shown.decode().splitlines()[1].split(",")
    mean, variance = map(float, statistics.split(":"))
    assert (name, mean, variance) == ("[-1e150:1e150]", 0.0, pytest.approx(1e300))


@pytest.mark.slow
def test_minus_zero_and_zero_are_one_number(anonymised: Callable) -> None:
    run, data = anonymised("a,b\n-0,1\n0,2\n0.0,3\n", configuration("<att name='a'/>"))
    assert data == b"a,b\n0,1\n0,2\n0,3\n"
    assert run.document["classes"] == 1


@pytest.mark.slow
def test_spellings_of_one_number_are_one_value_and_shown_as_the_shortest(release: Release) -> None:
    data = release("a,b\n007,1\n7.0,2\n 7 ,3\n+7,4\n7,5\n", configuration("<att name='a' type='number'/>"), "-k", "5")
    assert data == b"a,b\n7,1\n7,2\n7,3\n7,4\n7,5\n"


@pytest.mark.slow
def test_integers_of_twenty_digits_are_no_numbers_where_two_would_become_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in.csv", "a,b\n12345678901234567890,1\n12345678901234567891,2\n")
    refused = run_here(["-config", write(tmp_path / "c.xml", configuration("<att name='a'/>"))], capsys)
    assert refused.status == 4
    assert "lines 2, 3" in refused.err
    assert "type='category'" in refused.err
    assert run_here(["-config", write(tmp_path / "c.xml", configuration(root="k='1'")), "--quiet"], capsys).status == 0
    assert (tmp_path / "out.csv").read_text() == "a,b\n12345678901234567890,1\n12345678901234567891,2\n"


CATEGORIES = ["*", "{x,y}", "100%", "%s", ":a", "it's", '"', "NULL", "", " ", "😀", "[1:2]"]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("category", some(CATEGORIES, every=3))
def test_a_category_may_be_any_text(category: str, release: Release) -> None:
    name = category.replace('"', "&quot;")
    att = f"""<att name='a'><map><entry cat="{name}" int='0'/><entry cat='y' int='1'/></map>
              <vgh value='[0:1]' label='100% all'/></att>"""
    data = f"a,b\n{quoted_field(category)},1\n{quoted_field(category)},2\ny,3\ny,4\n"
    shown = [["a", "b"], [category, "1"], [category, "2"], ["y", "3"], ["y", "4"]]
    assert read_fields(release(data, configuration(att)).decode(), ",") == shown
    all_one = [["a", "b"], *(["100% all", number] for number in "1234")]
    assert read_fields(release(data, configuration(att), "-k", "4").decode(), ",") == all_one


@pytest.mark.slow
def test_categories_of_many_records_may_be_any_text_too(release: Release) -> None:
    """What many records show is sorted as a number that stands for its text."""
    entries = "".join(f"<entry cat={quoteattr(name)} int='{code}'/>" for code, name in enumerate(CATEGORIES))
    records = [[name, str(number)] for number in range(100) for name in CATEGORIES]
    data = "a,b\n" + "".join(f"{quoted_field(name)},{number}\n" for name, number in records)
    shown = release(data, configuration(f"<att name='a'><map>{entries}</map></att>")).decode()
    assert read_fields(shown, ",") == [["a", "b"], *records]


@pytest.mark.slow
def test_missing_is_a_category_of_its_own_also_beside_negative_codes(release: Release) -> None:
    att = "<att name='a'><map><entry cat='x' int='-1'/></map></att>"
    config = configuration(att, given="header='true' onMissing='keep'")
    assert release("a,b\nx,1\n?,2\n,3\nx,4\n", config) == b"a,b\nx,1\n?,2\n?,3\nx,4\n"


def test_a_question_mark_that_the_map_declares_is_a_category(release: Release) -> None:
    att = "<att name='a'><map><entry cat='?' int='0'/><entry cat='x' int='1'/></map></att>"
    assert release("a,b\n?,1\nx,2\n?,3\nx,4\n", configuration(att)) == b"a,b\n?,1\nx,2\n?,3\nx,4\n"


@pytest.mark.slow
def test_missing_may_be_a_text_with_special_characters(anonymised: Callable) -> None:
    run, data = anonymised(
        "a,b\n%,1\nx,2\n%,3\nx,4\n", configuration(given="header='true' missing='%' onMissing='skip'")
    )
    assert data == b"a,b\nx,2\nx,4\n"
    assert run.document["records_skipped"] == 2
