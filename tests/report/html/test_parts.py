"""The parts of sections are escaped, short, and can be reached."""

from toolbox.charts.markup import Markup
from toolbox.report.html.parts import all_of, facts, listed, paragraph, scrolling, section


def test_texts_are_escaped_and_long_ones_cut() -> None:
    assert paragraph("<b>", "small") == '<p class="small">&lt;b&gt;</p>'
    assert len(paragraph("x" * 5000)) < 1100
    assert listed(["a & b"]) == "<ul><li>a &amp; b</li></ul>"


def test_facts_without_words_are_left_out() -> None:
    assert facts([("Command", ""), ("Seed", "none")]) == (
        '<dl class="facts"><div><dt>Seed</dt><dd>none</dd></div></dl>'
    )


def test_a_section_is_named_by_its_heading_and_may_lack_parts() -> None:
    shown = section("data", "Data", Markup("<hr>"), None)
    assert shown == '<section aria-labelledby="data-heading"><h2 id="data-heading">Data</h2><hr></section>'
    assert all_of(None, Markup("a"), Markup("b")) == "ab"


def test_a_table_scrolls_within_the_page_also_by_keyboard() -> None:
    assert scrolling("<table></table>", "Models").startswith('<div class="c-scroll" tabindex="0" role="group" aria')
