"""The words of builders."""

import pytest
from helpers.built import wrong

from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.words import BUILDERS, format_builder_words, make_builder, parse_builder_words


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("intervals:5,10,20:top=90", {"build": "intervals", "width": "5,10,20", "top": "90"}),
        ("intervals:width=5", {"build": "intervals", "width": "5"}),
        ("prefix:3,1:other=root", {"build": "prefix", "keep": "3,1", "other": "root"}),
        ("prefix:mask=:", {"build": "prefix", "mask": ":"}),
        ("ages:2026-01-01:width=5,10", {"build": "ages", "at": "2026-01-01", "width": "5,10"}),
        ("tree:C:\\places.csv:other=root", {"build": "tree", "file": "C:\\places.csv", "other": "root"}),
        ("tree:a=b.csv", {"build": "tree", "file": "a=b.csv"}),
        ("order:low=1,mid:high,top", {"build": "order", "values": "low=1,mid:high,top"}),
        ("ip", {"build": "ip"}),
        ("ip:", {"build": "ip"}),
        ("auto:2", {"build": "auto", "levels": "2"}),
        ("icd10:root=all: of them", {"build": "icd10", "root": "all: of them"}),
    ],
)
def test_the_command_line_says_the_same_as_attributes(text, attributes):
    assert parse_builder_words(text) == attributes
    assert parse_builder_words(format_builder_words(attributes)) == attributes


@pytest.mark.parametrize("text", ["zip.csv", "./ip", "intervals.csv", "C:\\ip.csv", "", "Prefix:3", "months:3"])
def test_what_begins_with_no_builder_is_a_file(text):
    assert parse_builder_words(text) is None


def test_what_is_said_twice_is_refused():
    with pytest.raises(BuilderError, match=r"says width= twice. Say it once."):
        parse_builder_words("intervals:5:width=10")


def test_every_name_is_that_of_its_builder():
    assert sorted(BUILDERS.names) == list(BUILDERS.names)
    assert [BUILDERS[name].name for name in BUILDERS.names] == list(BUILDERS.names)


def test_each_message_says_what_to_write():
    assert wrong("intervals:5:topp=90") == [
        "build='intervals' has no topp=. Did you mean 'top'? It takes: width=, origin=, bottom=, top=, other=, root=."
    ]
    assert wrong("icd10:5") == ["build='icd10' has no values=. It takes: other=, root=."]
    assert wrong("ip:other=maybe") == ["other='maybe' is unknown. Write error or root."]
    assert wrong("tree") == ["build='tree' lacks file=. Write file='places.csv'."]
    with pytest.raises(BuilderError, match=r"build='intervall' is unknown. Did you mean 'intervals'"):
        make_builder({"build": "intervall"})


def test_the_faults_of_a_file_are_told_beside_those_of_the_settings(tmp_path):
    with pytest.raises(BuilderError) as caught:
        make_builder({"build": "tree", "file": "places.csv", "other": "maybe"}, tmp_path)
    assert [found for found, _ in caught.value.wrong] == ["other='maybe' is unknown."]
    assert "There is no such file" in str(caught.value.file)
    assert "There is no such file" in str(caught.value)
