"""The tables of `toolbox hierarchy`."""

from __future__ import annotations

from helpers.outlines import outline_of
from helpers.printing import printed

from toolbox.hierarchy.checking import make_fault, make_remark
from toolbox.report.explore.hierarchy import Picture, print_hierarchy, print_hierarchy_check

PLACES = outline_of("Graz Styria [Austria]", "Leoben Styria [Austria]", "Wien Vienna [Austria]", "Bonn NRW Germany")


def lines(picture: Picture) -> list[str]:
    return printed(
        print_hierarchy,
        headline="towns.csv",
        outline=PLACES,
        picture=picture,
        coverage=None,
        records=None,
        notes=["A note."],
    )


def test_each_level_has_its_number_of_labels_and_the_first_of_them() -> None:
    assert lines(Picture(3))[:7] == [
        "hierarchy towns.csv",
        "levels",
        "level labels such as",
        "0 4 Graz, Leoben, Wien, ..",
        "1 3 Styria, Vienna, NRW",
        "2 2 [Austria], Germany",
        "3 1 *",
    ]


def test_a_picture_that_is_cut_says_so() -> None:
    assert lines(Picture(3))[-1] == "note A note."
    shown = "note The picture shows 2 levels below the root, of 3. --depth N shows more, --all everything."
    assert lines(Picture(2))[-1] == shown
    assert lines(Picture(2, lists_values=False))[-1] == "note A note."


def test_values_that_are_nobodys_business_are_no_examples() -> None:
    assert "0 4" in lines(Picture(3, lists_values=False))


def test_faults_come_before_remarks_and_many_of_a_kind_are_counted() -> None:
    findings = [make_remark("level", 0, "Odd [x]."), *(make_fault("label", n, "Wrong.") for n in range(1, 60))]
    shown = printed(print_hierarchy_check, "towns.csv", findings)
    assert shown[:2] == ["hierarchy towns.csv", "fault line 1: Wrong."]
    assert shown[-2:] == ["and 9 more of this kind", "remark Odd [x]."]
    assert len(shown) == 1 + 50 + 1 + 1
