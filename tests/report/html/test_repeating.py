"""How a release is made again, and who signs."""

from dataclasses import replace

from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import words

from toolbox.report.html.page import render_repetition, render_signatures


def test_command_versions_seed_and_configuration_are_told_inside() -> None:
    said = words(render_repetition(INTERNAL))
    assert "Command toolbox -config c.xml Version of toolbox 1.2.3 Version of python 3.12 Seed none" in said
    assert "Seconds to read 0.25" in said
    assert "<config k='2'> </config>" in said
    assert "Seed none: the order is not random" in words(render_repetition(replace(INTERNAL, order="sorted")))
    assert "Seed set" in words(render_repetition(replace(INTERNAL, has_seed=True)))


def test_outside_only_the_version_is_told() -> None:
    assert words(render_repetition(PUBLIC)) == "How to repeat it Version of toolbox 1.2.3"


def test_a_long_configuration_is_cut_and_the_page_says_so() -> None:
    page = render_repetition(replace(INTERNAL, configuration="x\n" * 50_000))
    assert "The first 20,000 characters." in words(page)
    assert len(page) < 400_000


def test_three_people_sign() -> None:
    assert [part for part in ("Made by", "Checked by", "Released by") if part in words(render_signatures())] == [
        "Made by",
        "Checked by",
        "Released by",
    ]
