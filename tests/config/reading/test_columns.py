"""The column of an ``att``, and that no column is declared twice."""

import pytest
from lxml import etree

from toolbox.config.model import Column
from toolbox.config.reading.attributes import check_distinct, read_column
from toolbox.errors import Findings


def read(attributes, *, has_names=True):
    findings = Findings()
    column = read_column(etree.fromstring(f"<att {attributes}/>"), has_names=has_names, findings=findings)
    return (column.index, column.name), [str(fault) for fault in findings.faults]


def repeated(*columns):
    """Return the faults of columns, each a section, an index and a name; the first one stands in line 1."""
    findings = Findings()
    declared = [
        (section, Column(index=index, name=name, line=line)) for line, (section, index, name) in enumerate(columns, 1)
    ]
    check_distinct(declared, findings)
    return [fault.found for fault in findings.faults]


@pytest.mark.parametrize(
    ("attributes", "column"),
    [
        ("index='0'", (0, None)),
        ("index='12' name='sex'", (12, "sex")),
        ("name=' sex '", (None, " sex ")),
        ("index=' +3 '", (3, None)),
    ],
)
def test_a_column_has_a_position_or_a_header_or_both(attributes, column):
    assert read(attributes) == (column, [])


def test_a_name_alone_finds_no_column_in_an_input_without_header():
    _, (fault,) = read("name='sex'", has_names=False)
    assert fault.startswith("line 1: The column 'sex' is named by its header, but the input has none. Add index='...'")
    assert read("index='1' name='sex'", has_names=False) == ((1, "sex"), [])


@pytest.mark.parametrize(
    ("attributes", "fault"),
    [
        ("", "line 1: <att> names no column. Add index='...', the column's position from 0, or name='...'."),
        ("name=' '", "line 1: name=' ' is empty. Write the column's header, or remove name=."),
        ("index='-1'", "line 1: index='-1' is too small. Write a whole number of at least 0."),
        ("index='one'", "line 1: index='one' is not a whole number. Write a whole number of at least 0."),
    ],
)
def test_what_names_no_column_is_one_fault(attributes, fault):
    assert read(attributes)[1] == [fault]


def test_a_column_that_stands_in_two_sections_is_reported_with_both():
    assert repeated(("id", 0, None), ("qid", 1, "age"), ("sens", 1, None)) == [
        "The column 1 is declared twice: in line 2 (qid) and line 3 (sens)."
    ]
    assert repeated(("qid", None, "age"), ("qid", None, "age")) == [
        "The name 'age' is declared twice: in line 1 (qid) and line 2 (qid)."
    ]


def test_two_names_of_one_position_and_two_positions_of_one_name_are_reported():
    assert repeated(("qid", 1, "age"), ("sens", 1, "years")) == [
        "The column 1 is declared twice: in line 1 (qid) and line 2 (sens)."
    ]
    assert repeated(("qid", 1, "age"), ("sens", 2, "age")) == [
        "The name 'age' is declared twice: in line 1 (qid) and line 2 (sens)."
    ]


def test_a_column_with_position_and_name_is_reported_once():
    assert len(repeated(("qid", 1, "age"), ("sens", 1, "age"))) == 1


def test_a_name_that_reads_like_a_nameless_column_is_reported():
    assert repeated(("qid", 1, None), ("sens", 2, "column 1")) == [
        "The name 'column 1' is declared twice: in line 1 (qid) and line 2 (sens)."
    ]


def test_names_in_other_letters_are_other_columns():
    assert repeated(("qid", None, "Age"), ("qid", None, "age"), ("qid", 0, "AGE"), ("qid", 1, None)) == []
