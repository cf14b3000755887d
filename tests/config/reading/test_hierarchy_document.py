"""A hierarchy as XML of its own."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from helpers.amounts import times
from helpers.outlines import ANY, outline_of, outlines
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.config.reading.hierarchies import format_hierarchy_document, is_configuration, read_hierarchy_document
from toolbox.errors import ConfigurationError
from toolbox.hierarchy.outline import Outline, build_tree_outline

AGES = outline_of("17 15-19 *", "18 15-19 *", "21 20-24 *", "24 20-24 *", "25 25-29 *")


def written(folder: Path, text: str) -> Path:
    path = folder / "tree.xml"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(ConfigurationError) as error:
        read_hierarchy_document(path)
    return [str(fault) for fault in error.value.faults]


def test_numbers_become_intervals_that_end_where_the_next_begins() -> None:
    assert format_hierarchy_document(AGES, "number", "age", "ages.csv").splitlines() == [
        "<att name='age'>",
        "  <vgh value='[17:25]' label='*'>",
        "    <node value='[17:21)' label='15-19'/>",
        "    <node value='[21:25)' label='20-24'/>",
        "    <node value='[25]' label='25-29'/>",
        "  </vgh>",
        "</att>",
    ]


def test_categories_get_codes_in_the_order_of_the_tree() -> None:
    places = outline_of("Graz Styria", "Wien Vienna", "Leoben Styria")
    assert format_hierarchy_document(places, "category", "town", "towns.csv").splitlines() == [
        "<att name='town'>",
        "  <map>",
        "    <entry cat='Graz' int='0'/>",
        "    <entry cat='Leoben' int='1'/>",
        "    <entry cat='Wien' int='2'/>",
        "  </map>",
        "  <vgh value='[0:2]' label='*'>",
        "    <node value='[0:1]' label='Styria'/>",
        "    <node value='[2]' label='Vienna'/>",
        "  </vgh>",
        "</att>",
    ]


def test_what_xml_cannot_hold_is_told_all_at_once() -> None:
    with pytest.raises(ConfigurationError) as error:
        format_hierarchy_document(outline_of(["a\x01", "\x02"], ["b", " "]), "category", "x", "tree.csv")
    assert [fault.found for fault in error.value.faults] == [
        "A label is blank, and XML allows no blank labels.",
        "XML cannot hold '\\x02', which has a control character.",
        "XML cannot hold 'a\\x01', which has a control character.",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "<vgh value='[0:9]'>\n<node value='[0:3]'/>\n<node value='[5:9]'/></vgh>",
            "line 3: (3:5) lies in [0:9], but in no child",
        ),
        (
            "<vgh value='[0:9]'>\n<node value='[0:6]'/>\n<node value='[5:9]'/></vgh>",
            "line 3: [0:6] and [5:9], both below [0:9], overlap",
        ),
        ("<vgh/>", "line 1: <vgh> has no value=."),
        ("<tree/>", "line 1: The root element is <tree>, and no <vgh>, nor <att> with one."),
        ("<att name='a'/>", "line 1: The root element is <att>, and no <vgh>"),
        (
            "<att><map><entry cat='a' int='x'/></map><vgh value='[0:1]'/></att>",
            "line 1: int='x' is not a whole number.",
        ),
        ("<vgh", "line 1: "),
        ("", "The file is empty."),
    ],
)
def test_a_document_that_is_wrong_says_where(tmp_path: Path, text: str, said: str) -> None:
    assert faults(written(tmp_path, text))[0].startswith(said)


def test_a_shared_boundary_is_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path, "<vgh value='[0:9]'><node value='[0:5]'/><node value='[5:9]'/></vgh>")
    assert read_hierarchy_document(path).warnings == (
        "line 1: [5] lies in both [0:5] and [5:9]; the first of them takes it.",
    )


def test_a_configuration_is_known_by_its_root(tmp_path: Path) -> None:
    assert is_configuration(written(tmp_path, "<config/>"))
    assert not is_configuration(written(tmp_path, "<vgh value='[0:9]'/>"))


def read(text: str, values: dict[str, float] | None = None) -> list[tuple[str, ...]]:
    with TemporaryDirectory() as folder:
        document = read_hierarchy_document(written(Path(folder), text))
    ground = values if document.categories is None else document.categories
    outline, outside = build_tree_outline(
        document.hierarchy, [(name, float(code)) for name, code in (ground or {}).items()]
    )
    assert outside == []
    return list(outline.paths())


@pytest.mark.slow
@settings(max_examples=times(40, slow=1000), deadline=None)
@given(outlines(ANY))
def test_categories_are_refused_or_read_as_the_same_tree(outline: Outline) -> None:
    try:
        text = format_hierarchy_document(outline, "category", "x", "tree.csv")
    except ConfigurationError:
        return
    assert read(text) == list(outline.paths())


@settings(max_examples=times(40, slow=1000), deadline=None)
@given(st.data())
def test_numbers_are_read_as_the_same_tree(data: st.DataObject) -> None:
    numbers = sorted(
        data.draw(st.sets(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8)) - {0.0}
    )
    if not numbers:
        return
    cuts = [data.draw(st.booleans()) for _ in numbers]
    coarse = [cut and data.draw(st.booleans()) for cut in cuts]
    rows = [
        [repr(number), f"a{sum(cuts[: n + 1])}", f"b{sum(coarse[: n + 1])}", "*"] for n, number in enumerate(numbers)
    ]
    outline = outline_of(*rows)
    text = format_hierarchy_document(outline, "number", "x", "tree.csv")
    assert read(text, {repr(number): number for number in numbers}) == [tuple(row) for row in rows]
