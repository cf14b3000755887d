"""Diagnoses of ICD-10."""

from itertools import product
from string import ascii_uppercase, digits

import pytest
from helpers.built import assert_is_hierarchy, assert_is_stable, built

from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.icd10 import find_block, find_chapter

CATEGORIES = [f"{letter}{first}{second}" for letter, first, second in product(ascii_uppercase, digits, digits)]


def test_codes_are_read_however_they_are_written():
    assert built("icd10").rows(["E11.9", "e119", "A29.-", "C50", "U07.1", "A18.0+", "G05.0*", "M54.16!", " I10 "]) == [
        ("A18.0+", "A18", "A15-A19", "A00-B99", "*"),
        ("A29.-", "A29", "A29", "A00-B99", "*"),
        ("C50", "C50", "C50", "C00-D48", "*"),
        ("E11.9", "E11", "E10-E14", "E00-E90", "*"),
        ("e119", "E11", "E10-E14", "E00-E90", "*"),
        ("G05.0*", "G05", "G00-G09", "G00-G99", "*"),
        (" I10 ", "I10", "I10-I15", "I00-I99", "*"),
        ("M54.16!", "M54", "M50-M54", "M00-M99", "*"),
        ("U07.1", "U07", "U00-U49", "U00-U99", "*"),
    ]


@pytest.mark.parametrize("text", ["", "E", "E1", "11.9", "E11.", "E11.12345", "E11-E14", "A00 cholera", "É11"])
def test_what_is_no_code_has_no_place(text):
    with pytest.raises(BuilderError, match="1 value is outside the hierarchy"):
        built("icd10").rows(["A00", text])


@pytest.mark.parametrize(
    ("category", "chapter", "block"),
    [
        ("B99", "A00-B99", "B99"), ("C4A", "C00-D48", "C4A"), ("D48", "C00-D48", "D37-D48"), ("D49", "C00-D48", "D49"),
        ("D50", "D50-D89", "D50-D53"), ("H59", "H00-H59", "H55-H59"), ("H60", "H60-H95", "H60-H62"),
        ("S72", "S00-T98", "S70-S79"), ("T98", "S00-T98", "T90-T98"), ("V00", "V01-Y98", "V00"),
        ("Y10", "V01-Y98", "Y10-Y34"), ("Z3A", "Z00-Z99", "Z3A"), ("X85", "V01-Y98", "X85-Y09"), ("U99", "U00-U99", "U99"),
    ],
)  # fmt: skip
def test_each_category_is_in_its_chapter_and_its_block(category, chapter, block):
    assert (find_chapter(category), find_block(category)) == (chapter, block)


def test_every_category_is_in_one_of_22_chapters_and_in_one_block():
    rows = built("icd10").rows(CATEGORIES)
    assert_is_hierarchy(rows, CATEGORIES)
    assert len({row[3] for row in rows}) == 22
    assert_is_stable(lambda: built("icd10"), CATEGORIES[:50], CATEGORIES[50:])
