"""Columns and models that options declare: what is written into the document, and what is said of faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from toolbox.config.reading.declarations import NO_DECLARATIONS, Declarations, Declarer
from toolbox.config.reading.recoding import SavedRecoding
from toolbox.config.xml.document import find_option, mark_option_elements, read_attribute
from toolbox.config.xml.writing import format_configuration
from toolbox.errors import Findings, RawSetting


def declared(
    declarations: Declarations, document: str = "<config/>", *, has_names: bool = True, k: str | None = None
) -> tuple[list[str], list[str]]:
    """Return the lines of the document within the root, and the faults."""
    root, findings = etree.fromstring(document), Findings()
    Declarer(root, Path(), has_names, findings).declare(declarations, k)
    lines = [line.strip() for line in format_configuration(root).decode().splitlines()[2:-1]]
    return lines, [f"{fault.found} {fault.remedy}" for fault in findings.faults]


def test_nothing_declared_changes_nothing() -> None:
    assert not NO_DECLARATIONS
    assert Declarations(models=["k-map:k=2"])
    assert declared(NO_DECLARATIONS) == ([], [])


def test_each_option_becomes_its_element_in_the_order_in_which_it_was_written() -> None:
    lines, faults = declared(
        Declarations(
            identifiers=["name"],
            quasi_identifiers=["born", "zip", "size"],
            sensitive=["ill"],
            hierarchies={"zip": "zip.csv:header=yes", "born": "dates:month,year", "ill": "prefix:1"},
            kinds={"born": "date:%d.%m.%Y", "ill": "category"},
            priorities={"zip": "2"},
            weights={"zip": "0.5"},
            ordered={"size": ["low", "high"]},
        )
    )
    assert faults == []
    assert lines == [
        *("<id>", "<att name='name'/>", "</id>", "<qid>"),
        "<att name='born' type='date' format='%d.%m.%Y' hierarchy='month,year'/>",
        "<att name='zip' priority='2' weight='0.5'><vgh file='zip.csv' header='yes'/></att>",
        *("<att name='size'>", "<map ordered='true'>"),
        *("<entry cat='low' int='0'/>", "<entry cat='high' int='1'/>", "</map>", "</att>", "</qid>", "<sens>"),
        *("<att name='ill' type='category'><vgh build='prefix' keep='1'/></att>", "</sens>"),
    ]


def test_columns_without_a_header_are_positions() -> None:
    named = Declarations(quasi_identifiers=["0", "column 2"], sensitive=["3"], models=["t-closeness:t=0.2:attribute=3"])
    lines, faults = declared(named, has_names=False)
    assert faults == []
    assert [line for line in lines if "=" in line] == [
        *("<att index='0'/>", "<att index='2'/>", "<att index='3'/>"),
        "<model name='t-closeness' t='0.2' attribute='column 3'/>",
    ]
    assert declared(Declarations(identifiers=["age"]), has_names=False)[1] == [
        "--id names 'age', and the input has no header with names. "
        "Write the position of the column, from 0, or leave out --header no."
    ]


def test_k_beside_models_is_one_more_unless_one_of_them_has_it() -> None:
    models = Declarations(models=["entropy l-diversity:l=3"])
    assert declared(models, k="5")[0][1] == "<model name='k-anonymity' k='5'/>"
    assert declared(Declarations(models=["(alpha,k)-anonymity:alpha=0.5:k=3"]), k="5")[0] == [
        *("<privacy>", "<model name='(alpha,k)-anonymity' alpha='0.5' k='3'/>", "</privacy>")
    ]
    # The k of k-map counts people of the population.
    assert declared(Declarations(models=["k-map:k=3"]), k="5")[0] == [
        *("<privacy>", "<model name='k-anonymity' k='5'/>", "<model name='k-map' k='3'/>", "</privacy>")
    ]
    assert declared(models)[0] == ["<privacy>", "<model name='entropy l-diversity' l='3'/>", "</privacy>"]


FILE = """<config>
<qid><att name='age' type='number' hierarchy='month'/></qid>
<sens><att name='ill'/></sens></config>"""


def test_beside_a_file_columns_are_added_and_details_replaced() -> None:
    more = Declarations(
        identifiers=["name"],
        quasi_identifiers=["age", "zip"],
        kinds={"age": "category"},
        hierarchies={"age": "age.csv"},
    )
    assert declared(more, FILE) == (
        [
            *("<id>", "<att name='name'/>", "</id>", "<qid>"),
            "<att name='age' type='category'><vgh file='age.csv'/></att>",
            *("<att name='zip'/>", "</qid>", "<sens>", "<att name='ill'/>", "</sens>"),
        ],
        [],
    )


@pytest.mark.parametrize(
    ("declarations", "said"),
    [
        (
            Declarations(sensitive=["age"]),
            "--sensitive names 'age', which line 2 declares in <qid>. Remove it there, or leave out the option.",
        ),
        (Declarations(identifiers=["a", "a"]), "--id names 'a' twice. Write it once."),
        (
            Declarations(identifiers=["a"], quasi_identifiers=["a"]),
            "--qi names 'a', and --id does so too. Keep one of the two.",
        ),
        (
            Declarations(kinds={"agee": "date"}),
            "--kind names 'agee', which is no declared column. Did you mean 'age'? "
            "Name it in --qi or --sensitive as well.",
        ),
        (
            Declarations(identifiers=["a"], hierarchies={"a": "x.csv"}),
            "--hierarchy names 'a', an identifier, which is dropped. Leave it out.",
        ),
        (
            Declarations(weights={"ill": "2"}),
            "--weight names 'ill', and only quasi-identifiers have one. "
            "Leave it out, or name the column in --qi instead.",
        ),
        (Declarations(weights={"age": "0"}), "--weight age '0' is not positive. Write a number above 0."),
        (
            Declarations(kinds={"age": "dat"}),
            "--kind age 'dat' is unknown. Did you mean 'date'? Write one of: number, category, date, timestamp.",
        ),
        (
            Declarations(ordered={"age": ["a", "b", "a"]}),
            "--ordered age has one twice. Write each category once, such as size=low,mid,high.",
        ),
        (
            Declarations(ordered={"age": ["a"]}),
            "--ordered age is no order of categories. Write each category once, such as size=low,mid,high.",
        ),
        (
            Declarations(models=["=3"]),
            "--model '=3' does not begin with the name of a model. "
            "Write the model and its parameters: 'entropy l-diversity:l=3:attribute=illness'.",
        ),
        (
            Declarations(quasi_identifiers=["a\x01"]),
            "--qi 'a\\x01' holds the character U+0001. No configuration can hold it. Rename the column or the file.",
        ),
    ],
)
def test_a_fault_is_told_in_the_words_of_the_options(declarations: Declarations, said: str) -> None:
    assert declared(declarations, FILE)[1] == [said]


def test_a_model_beside_the_parameters_of_a_file_would_replace_them() -> None:
    models = Declarations(models=["k-map:k=2"])
    assert declared(models, "<config k='5' t='0.1'/>") == (
        [],
        [
            "--model cannot be combined with k= and t= of <config>, in line 1. "
            "Write what it says as a <model> of <privacy>, or leave out --model."
        ],
    )
    assert declared(models, "<config><privacy><model name='k-anonymity' k='5'/></privacy></config>")[1] == []


def test_messages_about_what_was_made_name_the_options() -> None:
    root, findings = etree.fromstring(FILE), Findings()
    declarations = Declarations(hierarchies={"age": "intervals:5"}, kinds={"age": "number"}, models=["k-map:k=2"])
    made = Declarer(root, Path(), True, findings).declare(declarations, None)
    names = sorted(name for element in made for attribute_, name in made[element].items() if attribute_)
    assert names == ["--hierarchy age, build", "--hierarchy age, width", "--kind age", "--model", "--model k-map, k"]
    vgh = root.find("qid/att/vgh")
    with mark_option_elements(made):
        assert str(read_attribute(root.find("qid/att"), "type")) == "--kind age 'number'"
        assert (str(read_attribute(vgh, "width")), find_option(vgh)) == (
            "--hierarchy age, width '5'",
            "--hierarchy age",
        )
    assert (str(read_attribute(root.find("qid/att"), "type")), find_option(vgh)) == ("type='number'", None)


@pytest.mark.slow
@given(st.lists(st.text(min_size=1, max_size=5), unique=True, max_size=5))
def test_any_name_is_declared_or_refused_and_never_raises(names: list[str]) -> None:
    lines, faults = declared(Declarations(quasi_identifiers=names))
    assert len([line for line in lines if line.startswith("<att")]) + len(faults) == len(names)


# What a saved recoding says of a run that applies it.


def said_of_root(attributes: str) -> tuple[dict[str, str], list[str]]:
    """Insert a recoding whose <config> has some attributes; return those of the run's, and what is wrong."""
    root, findings = etree.Element("config"), Findings()
    recoding = SavedRecoding({"configuration": [f"<config {attributes}/>"]}, "r.json")
    Declarer(root, Path(), True, findings).insert_recoding(recoding, RawSetting("recoding", "r.json"))
    return dict(root.attrib), [fault.found for fault in findings.faults]


def test_a_recoding_says_its_method_its_settings_and_how_records_are_suppressed() -> None:
    said = {"method": "Flash", "objective": "lm", "suppThreshold": "2", "undeclared": "drop", "suppressBy": "person"}
    assert said_of_root(" ".join(f"{name}='{text}'" for name, text in said.items())) == (said, [])


@pytest.mark.parametrize("name", ["seed", "allowNetwork", "recoding", "epsilon", "compatibility", "k", "sampleWeight"])
def test_a_recoding_does_not_say_what_belongs_to_the_run(name: str) -> None:
    """With a seed of theirs, whoever has made it could subtract the noise of a release."""
    found = f"recoding='r.json' says {name}= of <config>, which belongs to the run."
    assert said_of_root(f"method='Flash' {name}='7'") == ({}, [found])
