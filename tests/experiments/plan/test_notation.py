"""What messages say of a plan, as it is written."""

from __future__ import annotations

from toolbox.experiments.plan.plan_file import _TOML, _PlanNotation

XML = _PlanNotation(
    {(): 2, ("data", 0): 7, ("data", 0, "kinds", "a.b"): 9}, {"kinds": "type=", "features": "<feature>"}
)


def test_words_have_the_names_of_their_notation() -> None:
    for word, toml, xml in (
        ("seed", "seed", "seed"),
        ("features", "features", "<feature>"),
        ("kinds.a.b", "kinds.a.b", "type= of 'a.b'"),
    ):
        assert (_TOML.called(word), XML.called(word)) == (toml, xml)
    assert (_TOML.choose_wording("[data]", "<data>"), XML.choose_wording("[data]", "<data>")) == ("[data]", "<data>")


def test_a_word_without_a_line_has_that_of_the_table_where_it_would_stand() -> None:
    places = [("data", 0, "kinds", "a.b"), ("data", 0, "kinds", "c"), ("data", 0), ("data", 1), ("seed",)]
    assert [XML.line(place) for place in places] == [9, 7, 7, 2, 2]
    assert {_TOML.line(place) for place in places} == {0}
