"""The hierarchies that a configuration declares, or that a builder makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import UsageError
from toolbox.flows.arguments.checks import make_text_input
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.hierarchies.subject import (
    HierarchyRequest,
    Subject,
    build_subject,
    read_declared_subject,
    read_named_configuration,
)
from toolbox.flows.hierarchies.values import make_named_builder

CONFIG = """<config><input filename='people.csv' header='true'/><output filename='out.csv'/><qid>
<att name='age'><vgh value='[0:50]'><node value='[0:25)'/><node value='[25:50]'/></vgh></att>
<att name='sex'><map><entry cat='m' int='1'/><entry cat='f' int='0'/></map><vgh value='[0:1]' label='any'/></att>
<att name='town'><vgh file='towns.csv' other='root'/></att>
<att name='zip'><vgh build='prefix' keep='2'/></att>
<att name='job' type='category'/>
</qid></config>"""
PEOPLE = "age,sex,town,zip,job\n20,f,Graz,8010,x\n30.5,m,Bonn,8020,y\n?,f,Graz,,z\n"
TOWNS = "Graz;Styria;*\nLeoben;Styria;*\nWien;Vienna;*\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "towns.csv").write_text(TOWNS)
    path = tmp_path / "c.xml"
    path.write_text(CONFIG)
    return path


def of_config(path: Path, column: str | None, **named: object) -> HierarchyRequest:
    return HierarchyRequest(config=read_configuration(path, is_run=False), column=column, **named)  # type: ignore[arg-type]


def declared(asked: HierarchyRequest, *, with_input: bool = False) -> Subject:
    assert asked.config is not None
    return read_declared_subject(asked, asked.config, with_input=with_input)


def test_intervals_of_a_configuration_have_the_values_of_the_data_if_any_are_read(config: Path) -> None:
    assert declared(of_config(config, "age")).outline.list_all_values() == []
    subject = declared(of_config(config, "age"), with_input=True)
    assert (subject.outline.list_all_values(), subject.lists_values) == (["20", "30.5"], False)
    (config.parent / "others.csv").write_text("age,sex,town,zip,job\n49,f,Graz,1,x\n51,f,Graz,1,x\n")
    subject = declared(of_config(config, "age", data=config.parent / "others.csv"))
    assert subject.outline.list_all_values() == ["49"]
    assert subject.coverage is not None
    assert dict(subject.coverage.uncovered) == {"51": 1}


def test_categories_of_a_map_stand_in_the_order_of_their_codes(config: Path) -> None:
    subject = declared(of_config(config, "sex"))
    assert (subject.kind, list(subject.outline.paths())) == ("category", [("f", "any"), ("m", "any")])


def test_a_file_of_a_configuration_may_let_other_values_go_to_the_root(config: Path) -> None:
    assert declared(of_config(config, "town")).other == "root"


def test_a_builder_reads_the_data_without_being_asked(config: Path) -> None:
    subject = declared(of_config(config, "zip"))
    assert list(subject.outline.paths()) == [("8010", "80**", "*"), ("8020", "80**", "*")]
    assert (subject.lists_values, subject.kind) == (False, "category")


def test_periods_of_dates_are_a_hierarchy_too(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("born\n05.03.1971\n")
    path = tmp_path / "c.xml"
    path.write_text(
        "<config><input filename='people.csv' header='true'/><qid>"
        "<att name='born' type='date' format='%d.%m.%Y' hierarchy='month,decade'/></qid></config>"
    )
    assert list(declared(of_config(path, None)).outline.paths()) == [("05.03.1971", "1971-03", "1970s", "*")]


def test_the_only_hierarchy_of_a_configuration_needs_no_name(config: Path) -> None:
    config.write_text(CONFIG.replace("<vgh build='prefix' keep='2'/>", ""))
    one = config.parent / "one.xml"
    one.write_text("<config><qid><att name='a'><vgh value='[0:1]'/></att><att name='b'/></qid></config>")
    assert declared(of_config(one, None)).column == "a"


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (None, "Write --column NAME: hierarchies are those of 'age', 'sex', 'town', 'zip'."),
        ("twon", "declares no column 'twon'. Did you mean 'town'?"),
        ("job", "declares no <vgh> for 'job'."),
    ],
)
def test_a_column_without_a_hierarchy_is_refused(config: Path, column: str | None, said: str) -> None:
    with pytest.raises(UsageError) as error:
        declared(of_config(config, column))
    assert said in str(error.value)


def test_a_builder_makes_the_hierarchy_of_what_is_there() -> None:
    subject = build_subject(
        make_named_builder("intervals:5:other=root"), {"7": 3, "?": 1}, make_text_input(None, None), ("d", "n")
    )
    assert (subject.kind, subject.other, subject.lists_values) == ("number", "root", False)
    assert list(subject.outline.paths()) == [("7", "[5:10)", "*")]
    with pytest.raises(UsageError, match="d: there is no value"):
        build_subject(make_named_builder("intervals:5"), {"?": 1}, make_text_input(None, None), ("d", "n"))


def test_a_configuration_is_told_from_a_hierarchy(config: Path) -> None:
    assert read_named_configuration(config) is not None
    (config.parent / "t.xml").write_text("<vgh value='[0:1]'/>")
    assert read_named_configuration(config.parent / "t.xml") is None
    assert read_named_configuration(config.parent / "towns.csv") is None
