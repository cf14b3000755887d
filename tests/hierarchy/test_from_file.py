"""Hierarchy files as ARX writes them."""

import pytest

from toolbox.errors import ConfigurationError
from toolbox.hierarchy.outline import read_hierarchy_file

STATES = "Ohio;Midwest;USA;*\nParis;Île-de-France;France;*\nIowa;Midwest;USA;*\nMaine;East;USA;*\n"


@pytest.fixture
def read(tmp_path):
    def write_and_read(content, kind=None):
        path = tmp_path / "h.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_hierarchy_file(path, kind)

    return write_and_read


@pytest.fixture
def faults(read):
    def collect(content, kind=None):
        with pytest.raises(ConfigurationError) as caught:
            read(content, kind)
        return [str(fault) for fault in caught.value.faults]

    return collect


def nodes(found):
    return [(node.label, str(node.interval), level) for node, level in found.hierarchy.nodes()]


def test_categories_are_numbered_in_the_order_of_the_tree(read):
    states = read(STATES)
    assert (states.kind, states.listed) == ("category", None)
    assert states.categories == {"Ohio": 0, "Iowa": 1, "Maine": 2, "Paris": 3}
    assert nodes(states) == [
        ("*", "[0:3]", 3),
        ("USA", "[0:2]", 2),
        ("Midwest", "[0:1]", 1),
        ("East", "[2]", 1),
        ("France", "[3]", 2),
        ("Île-de-France", "[3]", 1),
    ]


def test_numbers_are_grouped_by_their_order(read):
    ages = read("30;old;*\n-1.5;young;*\n2e1;young;*\n")
    assert (ages.kind, ages.categories, ages.listed) == ("number", None, (-1.5, 20.0, 30.0))
    assert nodes(ages) == [("*", "[-1.5:30]", 2), ("young", "[-1.5:20]", 1), ("old", "[30]", 1)]


@pytest.mark.parametrize(
    "content",
    [
        STATES.replace(";", ","),
        STATES.replace(";", "\t"),
        STATES.replace("\n", "\r\n"),
        STATES.replace("\n", "\r"),
        STATES.replace("\n", "\n\n"),
        STATES.rstrip(),
        STATES.replace("Midwest", '"Midwest"'),
        b"\xef\xbb\xbf" + STATES.encode(),
    ],
)
def test_separators_line_ends_quotes_and_marks_of_other_programs_are_understood(read, content):
    assert nodes(read(content)) == nodes(read(STATES))


def test_the_separator_is_the_one_that_cuts_all_rows_alike(read):
    trades = read("Smith, John;a;*\nDoe, Jane;b;*\n")
    assert trades.categories == {"Smith, John": 0, "Doe, Jane": 1}
    quoted = read('"a;b","x;y",*\n"c;d","x;y",*\n')
    assert [label for label, _ in quoted.hierarchy.labels()] == ["*", "x;y"]


def test_a_root_is_added_where_the_last_labels_differ(read):
    assert nodes(read("a;x\nb;y\n")) == [("*", "[0:1]", 2), ("x", "[0]", 1), ("y", "[1]", 1)]


def test_values_alone_have_the_root_above_them(read):
    assert nodes(read("a\nb\nc\n")) == [("*", "[0:2]", 1)]
    assert read("3\n1\n").listed == (1.0, 3.0)


@pytest.mark.parametrize(
    ("reason", "content"),
    [
        ("a text", "1;*\nn/a;*\n"),
        ("not finite", "1;*\n1e999;*\n"),
        ("leading zeros are those of codes", "01234;*\n99999;*\n"),
        ("two rows are one number", "1;*\n1.0;*\n"),
        ("a label covers numbers that are no neighbours", "1;odd;*\n2;even;*\n3;odd;*\n"),
    ],
)
def test_what_only_looks_like_numbers_are_categories(read, reason, content):
    assert read(content).kind == "category", reason


def test_who_declares_the_kind_decides(read):
    assert read("1;*\n2;*\n", "category").categories == {"1": 0, "2": 1}
    assert read("007;*\n002;*\n", "number").listed == (2.0, 7.0)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("1;*\nx;*\ninf;*\n", ["line 2: The value 'x' is not a number.", "line 3: The value 'inf' is not a number."]),
        ("1;*\n1.0;*\n", ["line 2: The value is the same number as that of line 1."]),
        ("2;a;*\n3;b;*\n4;a;*\n", ["line 1: The label 'a' covers numbers between which others lie."]),
    ],
)
def test_numbers_that_are_declared_so_must_be_some(faults, content, found):
    assert [fault.rpartition(". ")[0] + "." for fault in faults(content, "number")] == found


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", ["The hierarchy is empty. Write a row per value."]),
        ("\n\n", ["The hierarchy is empty. Write a row per value."]),
        (
            "a;x;*\nb;*\nc;x;y;*\n",
            [
                "line 2: The row has 2 columns, that of line 1 has 3. Give every value a label on each level.",
                "line 3: The row has 4 columns, that of line 1 has 3. Give every value a label on each level.",
            ],
        ),
        ("a;*\nb;*\na;*\n", ["line 3: The value occurs in line 1 already. Keep one of the rows."]),
        (
            "a;x;u;*\nb;x;v;*\n",
            [
                "line 2: Lines 1 and 2 agree in column 2 ('x'), but not in column 3 ('u', 'v'). "
                "Give a label one parent only, or two labels different names."
            ],
        ),
        ("a;*\nb;x\0\n", ["line 2: Column 2 holds the control character U+0000. Remove it."]),
        ("a;*\nb;\n", ["line 2: Column 2 is empty. Write a label, or remove the row."]),
        ("a;*\n\xff;*\n".encode("latin-1"), ["line 2: The file is not UTF-8. Save it in that encoding."]),
        ('a;*\n"b;*\n', ["The file is not a table of values (unexpected end of data). Check its quotes."]),
        (";".join("x" * 65), ["line 1: The row has 65 columns. Write at most 64."]),
    ],
)
def test_what_is_no_hierarchy_is_reported_by_line(faults, content, found):
    assert faults(content) == found


def test_the_line_is_that_of_the_file_even_after_a_value_of_several_lines(faults):
    assert faults('"a\nb";*\n\nc;*\nc;*\n') == ["line 5: The value occurs in line 4 already. Keep one of the rows."]


def test_of_very_many_faults_the_first_are_shown(read):
    with pytest.raises(ConfigurationError) as caught:
        read("a;*\n" * 1000)
    lines = str(caught.value).splitlines()
    assert lines[0].endswith(": 999 faults")
    assert (len(lines), lines[-1]) == (52, "  and 949 more of this kind")


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path):
    with pytest.raises(ConfigurationError, match="There is no such file"):
        read_hierarchy_file(tmp_path / "absent.csv")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_hierarchy_file(tmp_path)
