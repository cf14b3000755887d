"""How a release is made again, and who signs."""

from dataclasses import replace

from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import words

from toolbox.report.html.page import render_page, render_repetition, render_signatures


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
    assert words(render_signatures(INTERNAL)) == (
        "Decision and signatures Organisation Purpose Decides on it Made by Name, date, signature "
        "Checked by Name, date, signature Decided by Name, date, signature"
    )


def test_who_decides_and_what_for_stands_at_the_head_and_where_they_sign() -> None:
    told = replace(INTERNAL, decision=("A & B", "the yearly <table>", "Ada"))
    assert words(render_signatures(told)) == (
        "Decision and signatures Organisation A & B Purpose the yearly <table> Decides on it Ada "
        "Made by Name, date, signature Checked by Name, date, signature Decided by: Ada Date, signature"
    )
    page = render_page(told)
    assert "the yearly &lt;table&gt;" in page.partition("Verdict</h2>")[0] and "<table> Decides" not in page
