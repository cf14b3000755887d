"""The builders as functions of Python."""

import inspect
from datetime import date

import pandas as pd
import pytest
from helpers.built import built

import toolbox
from toolbox import hierarchies
from toolbox.errors import UsageError
from toolbox.hierarchy.builders.words import BUILDERS


def test_each_builder_is_a_function_that_says_the_same_as_the_command_line():
    assert {
        name: getattr(hierarchies, name)(*arguments, **settings) == built(text)
        for name, arguments, settings, text in [
            ("intervals", (5, 10.0), {"top": 90, "bottom": "0.5"}, "intervals:5,10:top=90:bottom=0.5"),
            ("cuts", ([18, 65], [65]), {}, "cuts:18,65/65"),
            ("quantiles", (8, 4), {"other": "root"}, "quantiles:8,4:other=root"),
            ("dates", ("month", "year"), {"root": "ever"}, "dates:month,year:root=ever"),
            ("ages", (date(2026, 1, 1),), {"width": [5, 10]}, "ages:2026-01-01:width=5,10"),
            ("prefix", (3, 1), {"mask": "#"}, "prefix:3,1:mask=#"),
            ("suffix", (), {}, "suffix"),
            ("icd10", (), {}, "icd10"),
            ("telephone", (3,), {"country": 43}, "telephone:3:country=43"),
            ("ip", (), {}, "ip"),
            ("countries", (), {}, "countries"),
            ("email", (), {}, "email"),
            ("order", (["low", "a,b"],), {"size": [2]}, 'order:low,"a,b":size=2'),
            ("auto", (2,), {}, "auto:2"),
        ]
    } == dict.fromkeys([name for name in BUILDERS.names if name != "tree"], True)


@pytest.mark.parametrize("name", BUILDERS.names)
def test_every_setting_is_an_argument(name):
    arguments = inspect.signature(getattr(hierarchies, name)).parameters
    lacking = set(BUILDERS[name].list_all_settings()) - set(arguments)
    assert lacking <= {"file"}
    assert name in hierarchies.__all__


def test_a_tree_may_be_a_mapping_pairs_or_a_file(tmp_path):
    pairs = {"Graz": "Styria", "Wien": "Vienna"}
    (tmp_path / "p.csv").write_text("Graz;Styria\nWien;Vienna\n")
    rows = [("Graz", "Styria", "*"), ("Wien", "Vienna", "*")]
    for source in (pairs, list(pairs.items()), tmp_path / "p.csv"):
        assert hierarchies.tree(source).rows([]) == rows


def test_what_is_wrong_is_told_in_the_words_of_the_settings():
    with pytest.raises(UsageError, match="width= has 12 after 5"):
        hierarchies.intervals(5, 12)
    with pytest.raises(UsageError, match="lacks width="):
        hierarchies.intervals()
    with pytest.raises(UsageError, match="circle"):
        hierarchies.tree({"a": "b", "b": "a"})


def test_the_module_is_there_without_being_imported():
    assert toolbox.hierarchies is hierarchies


PEOPLE = pd.DataFrame({"age": [21, 22, 34, 38, 97, 91], "zip": ["247", "249", "101", "105", "99", "91"]})


@pytest.mark.slow
def test_a_call_takes_builders_and_their_words():
    made = [
        toolbox.anonymize(
            PEOPLE, quasi_identifiers=["age", "zip"], hierarchies=trees, method="Datafly", k=2, order="sorted"
        ).release
        for trees in (
            {"age": hierarchies.intervals(10, top=90), "zip": hierarchies.prefix(1, mask="..")},
            {"age": "intervals:10:top=90", "zip": "prefix:1:mask=.."},
        )
    ]
    assert made[0].values.tolist() == [
        [">=90", "9.."], [">=90", "9.."], ["[20:30)", "2.."], ["[20:30)", "2.."], ["[30:40)", "1.."], ["[30:40)", "1.."],
    ]  # fmt: skip
    assert made[0].equals(made[1])


@pytest.mark.parametrize(
    ("trees", "kinds", "message"),
    [
        ({"zip": "intervals:5,12"}, {}, "hierarchies['zip'], intervals: width= has 12 after 5"),
        ({"zip": "prefix"}, {"zip": "number"}, "'zip' is declared as a number, and hierarchies['zip'], prefix, takes texts."),
        ({"zip": "prefix"}, {"zip": "number"}, "Write kinds={'zip': 'category'}, or another hierarchy."),
        ({"age": "ages:2026-01-01"}, {"age": "number"}, "takes dates. Write kinds={'age': 'date'}"),
    ],
)  # fmt: skip
def test_a_builder_that_does_not_fit_is_refused(trees, kinds, message):
    with pytest.raises(UsageError) as caught:
        toolbox.anonymize(PEOPLE, quasi_identifiers=["zip", "age"], hierarchies=trees, kinds=kinds, k=2)
    assert message in str(caught.value)
