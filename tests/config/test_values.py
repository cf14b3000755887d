"""From one text to one value, or to the reason why it is none."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toolbox.config import values
from toolbox.config.model import Portion
from toolbox.errors import BadValueError


def reason(read, text, **bounds):
    """Return why a text is refused, and what to write."""
    with pytest.raises(BadValueError) as caught:
        read(text, **bounds)
    return " ".join(caught.value.args)


@given(st.integers(-10, 10), st.integers(-10, 10), st.integers(-10, 10))
@example(3, 3, 3)
def test_a_whole_number_is_read_between_its_bounds_both_included(value, minimum, maximum):
    if minimum <= value <= maximum:
        assert values.parse_integer(f" {value:+} ", minimum=minimum, maximum=maximum) == value
    else:
        assert reason(values.parse_integer, str(value), minimum=minimum, maximum=maximum).startswith("is too ")


@pytest.mark.parametrize("text", ["", " ", "1.0", "1e3", "1_000", "٣", "0x1", "--1", "1 2"])
def test_what_python_may_call_a_whole_number_is_none_here(text):
    assert reason(values.parse_whole_number, text).startswith("is not a whole number")


@pytest.mark.parametrize(
    ("read", "good", "bad"),
    [
        (values.parse_real, {"-2": -2.0, " .5": 0.5, "5.": 5.0, "1e3": 1000.0}, ["nan", "inf", "1e999", "0,5", "1_0", ""]),
        (values.parse_positive_real, {"0.5": 0.5, "1e-300": 1e-300}, ["0", "-1", "-0.0"]),
        (values.parse_seconds, {"0": 0.0, "30": 30.0, "31622400": 31622400.0}, ["-1", "31622401"]),
        (values.parse_positive_or_unset, {"0": None, "-3": None, "2.5": 2.5}, ["none"]),
        (values.parse_proper_fraction, {"0.2": 0.2, "1e-9": 1e-9}, ["0", "1", "1.5", "-0.1", "20%"]),
        (values.parse_boolean, {"Yes": True, "1": True, " TRUE ": True, "no": False, "0": False, "False": False}, ["", "2"]),
        (values.parse_separator, {",": ",", "\\t": "\t", "\t": "\t", "||": "||", " ": " "}, ["", '"', "a\nb", ",\0"]),
        (values.parse_decimal, {".": ".", ",": ","}, ["", ";", ".,"]),
        (values.parse_thousands, {"": "", ".": ".", "'": "'", "\u202f": "\u202f"}, ["..", "0", "a", "-", '"']),
        (values.parse_file_size, {"500MB": 500_000_000, "2 gib": 2 * 1024**3}, ["0GB", "5", "5B", "-1GB"]),
        (values.parse_memory, {"512mb": "512MB", " 2 GIB ": "2GiB", "0.5tb": "0.5TB"}, ["0MB", "512", "80%", "2000000TB"]),
        (values.parse_encoding, {"UTF8": "utf-8", "latin1": "iso8859-1"}, ["base64", "klingon", "", "a\0"]),
        (values.parse_periods, {"day,year": ("day", "year"), " Month ": ("month",)}, ["year,day", "day,day", "week,year", ""]),
        (values.parse_kind, {"Number": "number", "date  %d.%m.%Y": "date %d.%m.%Y"}, ["text", "number %d", "date %d", ""]),
    ],
)  # fmt: skip
def test_each_reader_takes_what_its_users_write_and_refuses_what_would_mislead(read, good, bad):
    assert {text: read(text) for text in good} == good
    for text in bad:
        assert reason(read, text)


def test_words_are_found_in_any_case_and_a_near_miss_is_named():
    assert values.parse_word(" GENVALS ", ("genVals", "anatomy")) == "genVals"
    assert reason(values.parse_word, "anatmy", known=("genVals", "anatomy")) == (
        "is unknown Did you mean 'anatomy'? Write one of: genVals, anatomy."
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("20", Portion(Decimal(20))),
        ("1.5 %", Portion(Decimal("1.5"), is_percentage=True)),
        ("100%", Portion(Decimal(100), is_percentage=True)),
    ],
)
def test_a_portion_is_a_number_of_lines_or_a_percentage(text, value):
    assert values.parse_portion(text) == value


@pytest.mark.parametrize("text", ["1.5", "100.1%", "-1", "", "%", "1e1"])
def test_a_part_of_a_line_and_more_than_all_lines_are_no_portions(text):
    assert reason(values.parse_portion, text).startswith("is neither a number nor a percentage")


def test_the_nodes_of_a_lattice_are_a_list_or_a_picture_by_the_name_of_their_file():
    assert [str(values.parse_lattice_path(name)) for name in ("nodes.json", "here/nodes.SVG")] == [
        "nodes.json",
        "here/nodes.SVG",
    ]
    for name in ("nodes.png", "nodes", ".svg"):
        assert reason(values.parse_lattice_path, name).startswith("is neither a list nor a picture")


def test_a_path_starts_at_a_folder_and_a_url_is_never_fetched():
    folder = Path("/data")
    assert values.parse_path("in.csv", folder) == Path("/data/in.csv")
    assert values.parse_path("/else/in.csv", folder) == Path("/else/in.csv")
    assert values.parse_path("C:/in.csv", folder) == Path("/data/C:/in.csv")
    assert reason(values.parse_path, " https://host/in.csv", folder=folder).startswith("is a URL")
    assert reason(values.parse_path, " ", folder=folder).startswith("names no file")
    assert reason(values.parse_path, "in\0.csv", folder=folder).startswith("names no file")


def test_a_file_that_is_written_has_a_name_and_lies_on_this_machine():
    assert values.parse_output_path("out.csv", Path("/data")) == Path("/data/out.csv")
    for url in ("hdfs://host/release.csv", "https://host/release.csv"):
        said = reason(values.parse_output_path, url, folder=Path())
        assert said.startswith("is a URL")
        assert "download" not in said
        assert "write a path, and copy the file there" in said
    said = reason(values.parse_output_path, "outdir/", folder=Path())
    assert said == "names a folder Write the name of a file in it, such as outdir/release.csv."
    assert reason(values.parse_output_path, " ", folder=Path()).startswith("names no file")


def test_a_share_is_a_number_or_a_percentage() -> None:
    assert [values.parse_share(text) for text in ("0.05", "5%", " 5 % ")] == [0.05, 0.05, 0.05]
    assert (values.parse_share("0", with_zero=True), values.parse_share("100%", with_one=True)) == (0.0, 1.0)
    for text, problem in (
        ("0", "is too small"),
        ("-1", "is too small"),
        ("1", "is too large"),
        ("200%", "is too large"),
    ):
        with pytest.raises(BadValueError, match=problem):
            values.parse_share(text)
    for text in ("5%%", "many", "", "%", "1e999"):
        with pytest.raises(BadValueError, match="is no share"):
            values.parse_share(text)
