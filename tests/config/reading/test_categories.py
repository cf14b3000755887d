"""The ``map`` of an attribute: the codes by which its categories are ordered."""

import pytest
from lxml import etree

from toolbox.config.reading.hierarchies import read_categories
from toolbox.errors import Findings


def read(*entries):
    """Return the categories of a map with one entry a line from line 2, and its faults."""
    findings = Findings()
    mapping = etree.fromstring("\n".join(["<map>", *(f"<entry {entry}/>" for entry in entries), "</map>"]))
    return read_categories(mapping, findings), [str(fault) for fault in findings.faults]


def test_categories_are_ordered_by_their_codes_and_not_by_their_place():
    categories, faults = read("cat='high' int='10'", "cat='low' int='-1'", "cat='middle' int='2'")
    assert list(categories.items()) == [("low", -1), ("middle", 2), ("high", 10)]
    assert faults == []


def test_a_category_may_be_empty_and_blanks_tell_categories_apart():
    categories, faults = read("cat='' int='0'", "cat=' ' int='1'", "cat='a ' int='2'", "cat='a' int='3'")
    assert dict(categories) == {"": 0, " ": 1, "a ": 2, "a": 3}
    assert faults == []


def test_nothing_that_was_read_can_be_changed_later():
    categories, _ = read("cat='a' int='0'")
    with pytest.raises(TypeError):
        categories["b"] = 1


def test_a_category_may_look_like_the_code_of_another():
    assert read("cat='1' int='0'", "cat='0' int='1'") == ({"1": 0, "0": 1}, [])


def test_a_repeated_category_and_a_repeated_code_are_reported_where_they_stand():
    categories, faults = read("cat='a' int='0'", "cat='b' int='1'", "cat='a' int='2'", "cat='c' int='01'")
    assert categories is None
    assert faults == [
        "line 4: The category 'a' is in line 2 already. Keep one of the entries.",
        "line 5: The code 1 is that of line 3 already. Give each category a number of its own.",
    ]


@pytest.mark.parametrize("code", [2**53, -(2**53)])
def test_codes_end_where_a_double_cannot_tell_them_apart(code):
    assert read(f"cat='a' int='{code}'") == ({"a": code}, [])
    beyond = code + (1 if code > 0 else -1)
    assert float(beyond) == float(code)
    categories, (fault,) = read(f"cat='a' int='{beyond}'")
    assert categories is None
    assert fault.startswith(f"line 2: int='{beyond}' is too {'large' if code > 0 else 'small'}.")


def test_an_entry_without_its_parts_leaves_no_half_a_map():
    assert read("cat='a' int='0'", "cat='b'")[0] is None
    assert read("cat='a' int='0'", "int='1'")[0] is None
    assert read()[0] is None
