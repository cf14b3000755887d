"""Texts by anybody become markup that shows them, and nothing else."""

from xml.etree import ElementTree

from toolbox.charts.markup import Markup, element, escape_text, join_markup, shorten_text


def test_what_could_end_or_begin_markup_is_escaped() -> None:
    assert escape_text("</style><script>'x' & \"y\"") == "&lt;/style&gt;&lt;script&gt;&#x27;x&#x27; &amp; &quot;y&quot;"


def test_characters_that_no_page_may_hold_or_that_turn_the_text_are_shown_as_one_that_stands_for_them() -> None:
    assert escape_text("a\x00b\u202ec\ud800d\u2028e\nf\tg") == "a�b�c�d�e f g"
    assert escape_text("שלום 東京 é") == "שלום 東京 é"


def test_markup_is_not_escaped_twice_and_text_always() -> None:
    assert escape_text(Markup("<b>")) == "<b>"
    assert element("p", "<b>", Markup("<i></i>"), title='"') == '<p title="&quot;">&lt;b&gt;<i></i></p>'


def test_an_element_writes_short_numbers_and_leaves_out_what_is_none() -> None:
    assert element("rect", x=1 / 3, y=2.0, class_="a", aria_label=None) == '<rect x="0.33" y="2" class="a"></rect>'
    assert element("br") == "<br>"


def test_a_long_text_is_cut() -> None:
    assert shorten_text("x" * 10_000) == "x" * 199 + "…"
    assert shorten_text("short") == "short"


def test_whatever_characters_it_holds_an_element_is_wellformed() -> None:
    every = "".join(map(chr, range(0x3000))) + "\ufeff\ufffd\U0001f600"
    assert ElementTree.fromstring(join_markup([element("p", every, title=every)])).tag == "p"
