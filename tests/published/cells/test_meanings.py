"""What the texts of a released column stand for."""

from dataclasses import replace

import pytest
from helpers.judged import Meaning, cells_of, domain, meanings, measures
from helpers.small_tables import quasi_identifier

from toolbox.errors import InputError
from toolbox.store.engine.store import Store

AGE = quasi_identifier("age", kind="number")
AGES = ["20", "22", "30", "50"]
BY_TENS = quasi_identifier("age", hierarchy="20 20s *\n21 20s *\n22 20s *\n30 30s *\n31 30s *\n50 50s *")
JOB = quasi_identifier("job", hierarchy="cook kitchen indoors any\nbaker kitchen indoors any\npilot sky sky any")
ZIP = quasi_identifier("zip", kind="category")


def test_values_nodes_and_the_root(store: Store) -> None:
    found = meanings(store, JOB, ["cook", "baker", "pilot"], ["cook", "kitchen", "indoors", "any", "*"])
    everybody = ["cook", "baker", "pilot"]
    assert found == {
        "cook": Meaning("value", 0, ["cook"]),
        "kitchen": Meaning("node", 1, ["cook", "baker"]),
        "indoors": Meaning("node", 2, ["cook", "baker"]),
        "any": Meaning("root", 3, everybody),
        "*": Meaning("root", 3, everybody),
    }


@pytest.mark.slow
def test_a_label_of_several_levels_is_the_lowest_node_of_its_name(store: Store) -> None:
    assert meanings(store, JOB, ["cook", "pilot"], ["sky"]) == {"sky": Meaning("node", 1, ["pilot"])}
    nested = quasi_identifier("n", hierarchy="a north west *\nb south north *\nc south north *")
    assert meanings(store, nested, ["a", "b"], ["north", "south"]) == {
        "north": Meaning("node", 1, ["a"]),
        "south": Meaning("node", 1, ["b", "c"]),
    }


def test_a_node_covers_no_number_that_its_file_does_not_list(store: Store) -> None:
    ages = replace(quasi_identifier("age", hierarchy="10 low all *\n20 low all *\n40 high all *"), other="root")
    found = meanings(store, ages, ["10", "15", "20", "30", "40"], ["low", "all", "*", "15"])
    assert found == {
        "low": Meaning("node", 1, ["10", "20"]),
        "all": Meaning("node", 2, ["10", "20", "40"]),
        "*": Meaning("root", 3, ["10", "15", "20", "30", "40"]),
        "15": Meaning("value", 0, ["15"]),
    }
    assert measures(store, ages, ["10", "15", "15", "20"], ["low"]) == {"low": (10, 20, 2, 2)}
    assert cells_of(store, domain(store, ages, ["10", "15", "20"]), ["low", "*"])[1].ambiguous == 0


@pytest.mark.slow
def test_a_value_comes_before_a_node_or_the_root_of_its_name(store: Store) -> None:
    star = quasi_identifier("n", kind="category")
    assert meanings(store, star, ["*", "a"], ["*"]) == {"*": Meaning("value", 0, ["*"])}
    same = quasi_identifier("n", hierarchy="a a *\nb a *")
    assert meanings(store, same, ["a", "b"], ["a"]) == {"a": Meaning("value", 0, ["a"])}


def test_a_value_that_looks_like_an_interval_a_set_or_a_mask_is_a_value(store: Store) -> None:
    texts = ["[1:2]", "{a,b}", "12*", "a~b", "<=50K"]
    found = meanings(store, ZIP, texts, texts)
    assert found == {text: Meaning("value", 0, [text]) for text in texts}


def test_numbers_are_understood_however_they_are_written(store: Store) -> None:
    found = meanings(store, AGE, AGES, ["20.0", "2.2e1", "[30]", "+50"])
    assert {text: one.labels for text, one in found.items()} == {
        "20.0": ["20"],
        "2.2e1": ["22"],
        "[30]": ["30"],
        "+50": ["50"],
    }
    assert {one.level for one in found.values()} == {0}


def test_intervals_cover_the_values_between_their_bounds(store: Store) -> None:
    found = meanings(
        store, AGE, AGES, ["[20:30]", "[20:30)", "(20:30)", "21-49", "<=22", "30+", "[-1e308:1e308]", "23-29"]
    )
    assert {text: one.labels for text, one in found.items()} == {
        "[20:30]": ["20", "22", "30"],
        "[20:30)": ["20", "22"],
        "(20:30)": ["22"],
        "21-49": ["22", "30"],
        "<=22": ["20", "22"],
        "30+": ["30", "50"],
        "[-1e308:1e308]": AGES,
        "23-29": [],
    }
    levels = {text: one.level for text, one in found.items() if one.level is not None}
    assert levels == {"(20:30)": 0, "[-1e308:1e308]": 1}


def test_an_interval_or_a_set_has_the_level_of_the_lowest_node_with_its_values(store: Store) -> None:
    found = meanings(store, BY_TENS, AGES, ["[20:29]", "{20,21,22}", "[30:31]", "[21:22]", "21", "[19:51]"])
    assert {text: (one.form, one.level) for text, one in found.items()} == {
        "[20:29]": ("range", 1),
        "{20,21,22}": ("set", 1),
        "[30:31]": ("range", 1),
        "[21:22]": ("range", None),
        "21": ("value", 0),
        "[19:51]": ("range", 2),
    }


@pytest.mark.slow
def test_a_set_may_have_nodes_and_numbers_among_its_members(store: Store) -> None:
    assert meanings(store, JOB, ["cook", "pilot"], ["{kitchen,pilot}"])["{kitchen,pilot}"].labels == [
        "cook",
        "baker",
        "pilot",
    ]
    assert meanings(store, AGE, AGES, ["{20.0,50}"]) == {"{20.0,50}": Meaning("set", None, ["20", "50"])}


def test_names_with_quotes_and_commas(store: Store) -> None:
    texts = ['say "a"', "it's", "a,b"]
    found = meanings(store, ZIP, texts, ["it's", '{"say ""a""","a,b"}'])
    assert found["it's"].labels == ["it's"]
    assert found['{"say ""a""","a,b"}'].labels == ["a,b", 'say "a"']


def test_masks_hide_the_end_of_codes(store: Store) -> None:
    codes = ["13053", "13068", "14850", "130"]
    found = meanings(store, ZIP, codes, ["130**", "1****", "13***", "13*"])
    assert {text: one.labels for text, one in found.items()} == {
        "130**": ["13053", "13068"],
        "1****": ["13053", "13068", "14850"],
        "13***": ["13053", "13068"],
        "13*": ["130"],
    }


def test_masks_of_numbers(store: Store) -> None:
    assert meanings(store, AGE, AGES, ["2*"])["2*"].labels == ["20", "22"]


@pytest.mark.slow
def test_an_empty_cell_is_the_missing_value_of_people_or_else_suppressed(store: Store) -> None:
    assert meanings(store, AGE, ["20", None], [None]) == {None: Meaning("value", 0, [None])}
    assert meanings(store, AGE, AGES, [None]) == {None: Meaning("root", 1, AGES)}


def test_the_root_covers_a_missing_value_and_no_interval_does(store: Store) -> None:
    found = meanings(store, AGE, [*AGES, None], ["*", "[0:99]"])
    assert found["*"].labels == [*AGES, None]
    assert found["[0:99]"] == Meaning("range", None, AGES)


def test_bounds_values_and_people(store: Store) -> None:
    """Bounds are those of the text, within what the column can be; of a value or a set, those of what it covers."""
    found = measures(store, AGE, [*AGES, "20"], ["22", "[10:28)", "{20,30}", "*", "40+"])
    assert found == {
        "22": (22, 22, 1, 1),
        "[10:28)": (20, 28, 2, 3),
        "{20,30}": (20, 30, 2, 3),
        "*": (20, 50, 4, 5),
        "40+": (40, 50, 1, 1),
    }


def test_values_that_nobody_has_are_values_of_no_people(store: Store) -> None:
    assert measures(store, BY_TENS, AGES, ["20s", "30s"]) == {"20s": (20, 22, 3, 2), "30s": (30, 31, 2, 1)}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", ["young", "{20,99}", "9*", "[a:b]", "20-29-30"])
def test_an_unknown_text_is_an_error(store: Store, text: str) -> None:
    with pytest.raises(InputError) as caught:
        meanings(store, AGE, AGES, [text, "20"])
    of_a_set = " If only the population has a member of a set, name it for the risk: --population FILE."
    assert str(caught.value) == (
        f"the release: age has values that match no original value, hierarchy node or notation: '{text}'. "
        "Declare the hierarchy that names them, or write an interval [a:b], a set {a,b} or a mask 12***."
    ) + (of_a_set if text.startswith("{") else "")


def test_of_many_unknown_texts_three_are_named(store: Store) -> None:
    with pytest.raises(InputError, match=r": 'a', 'b', 'c' and 2 more\. Declare"):
        meanings(store, JOB, ["cook"], ["a", "b", "c", "d", "e", "cook"])
