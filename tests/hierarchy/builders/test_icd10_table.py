"""The chapters and blocks of ICD-10."""

import itertools
import re

from toolbox.hierarchy.builders.icd10 import CHAPTERS

BLOCKS = [(chapter, block) for chapter, blocks in CHAPTERS for block in blocks.split()]
ENDS = re.compile(r"([A-Z]\d\d)(?:-([A-Z]\d\d))?")


def ends(name: str) -> tuple[str, str]:
    match = ENDS.fullmatch(name)
    assert match is not None
    return match[1], match[2] or match[1]


def test_there_are_22_chapters_and_their_known_numbers_of_blocks():
    assert len(CHAPTERS) == 22
    assert {name: len(blocks.split()) for name, blocks in CHAPTERS if name[0] in "AEFQ"} == {
        "A00-B99": 21,
        "E00-E90": 8,
        "F00-F99": 11,
        "Q00-Q99": 11,
    }


def test_blocks_lie_in_their_chapters_one_behind_the_other():
    for chapter, block in BLOCKS:
        (first, last), (begin, end) = ends(chapter), ends(block)
        assert first <= begin <= end <= last
    ordered = sorted(ends(block) for _, block in BLOCKS)
    assert all(last < first for (_, last), (first, _) in itertools.pairwise(ordered))
    chapters = sorted(ends(chapter) for chapter, _ in CHAPTERS)
    assert all(last < first for (_, last), (first, _) in itertools.pairwise(chapters))


def test_each_chapter_begins_and_ends_with_a_block():
    """But the last, which has room for more."""
    for chapter, blocks in CHAPTERS[:-1]:
        names = blocks.split()
        assert (ends(names[0])[0], ends(names[-1])[1]) == ends(chapter)
