"""The hierarchy that `toolbox hierarchy` is asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import ConfigurationError, UsageError
from toolbox.flows.configuration import read_configuration
from toolbox.flows.hierarchy_subject import Asked, subject_of
from toolbox.flows.text_input import text_input

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


def of_config(path: Path, column: str | None, **named: object) -> Asked:
    return Asked(config=read_configuration(path, is_run=False), column=column, **named)  # type: ignore[arg-type]


def test_a_file_names_its_values_and_data_are_set_against_them(config: Path) -> None:
    folder = config.parent
    subject = subject_of(Asked(files=(folder / "towns.csv",), column="town", data=folder / "people.csv"))
    assert (subject.name, subject.column, subject.kind) == (str(folder / "towns.csv"), "town", "category")
    assert subject.coverage is not None
    assert (dict(subject.coverage.records), dict(subject.coverage.uncovered)) == ({"Graz": 2}, {"Bonn": 1})


def test_intervals_of_a_configuration_have_the_values_of_the_data_if_any_are_read(config: Path) -> None:
    assert subject_of(of_config(config, "age")).outline.all_values() == []
    subject = subject_of(of_config(config, "age"), with_input=True)
    assert (subject.outline.all_values(), subject.lists_values) == (["20", "30.5"], False)
    (config.parent / "others.csv").write_text("age,sex,town,zip,job\n49,f,Graz,1,x\n51,f,Graz,1,x\n")
    subject = subject_of(of_config(config, "age", data=config.parent / "others.csv"))
    assert subject.outline.all_values() == ["49"]
    assert subject.coverage is not None
    assert dict(subject.coverage.uncovered) == {"51": 1}


def test_categories_of_a_map_stand_in_the_order_of_their_codes(config: Path) -> None:
    subject = subject_of(of_config(config, "sex"))
    assert (subject.kind, list(subject.outline.paths())) == ("category", [("f", "any"), ("m", "any")])


def test_a_file_of_a_configuration_may_let_other_values_go_to_the_root(config: Path) -> None:
    assert subject_of(of_config(config, "town")).other == "root"


def test_a_builder_reads_the_data_without_being_asked(config: Path) -> None:
    subject = subject_of(of_config(config, "zip"))
    assert list(subject.outline.paths()) == [("8010", "80**", "*"), ("8020", "80**", "*")]
    assert (subject.lists_values, subject.kind) == (False, "category")


def test_periods_of_dates_are_a_hierarchy_too(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("born\n05.03.1971\n")
    path = tmp_path / "c.xml"
    path.write_text(
        "<config><input filename='people.csv' header='true'/><qid>"
        "<att name='born' type='date' format='%d.%m.%Y' hierarchy='month,decade'/></qid></config>"
    )
    assert list(subject_of(of_config(path, None)).outline.paths()) == [("05.03.1971", "1971-03", "1970s", "*")]


def test_the_only_hierarchy_of_a_configuration_needs_no_name(config: Path) -> None:
    config.write_text(CONFIG.replace("<vgh build='prefix' keep='2'/>", ""))
    one = config.parent / "one.xml"
    one.write_text("<config><qid><att name='a'><vgh value='[0:1]'/></att><att name='b'/></qid></config>")
    assert subject_of(of_config(one, None)).column == "a"


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
        subject_of(of_config(config, column))
    assert said in str(error.value)


def test_nothing_named_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Nothing names the hierarchy"):
        subject_of(Asked())
    with pytest.raises(UsageError, match=r"Write --column NAME"):
        subject_of(Asked(files=(tmp_path / "a.csv",), data=tmp_path / "b.csv"))


@pytest.mark.parametrize(
    ("text", "kind", "remarks"),
    [
        ("1;a;*\n2;a;*\n3;b;*\n", "number", []),
        ("01;a;*\n02;a;*\n", "category", [("order", 1)]),
        ("1;a;*\n2;b;*\n3;a;*\n", "category", [("order", 1)]),
        ("1,2 => a\n3 => b\n", "number", [("notation", 0)]),
        ("v;l;m\n1;a;*\n2;a;*\n3;b;*\n", "number", [("header", 0)]),
    ],
)
def test_how_a_file_was_read_is_told(tmp_path: Path, text: str, kind: str, remarks: list[tuple[str, int]]) -> None:
    path = tmp_path / "tree"
    path.write_text(text)
    subject = subject_of(Asked(files=(path,)))
    assert (subject.kind, [(remark.kind, remark.line) for remark in subject.remarks]) == (kind, remarks)


def test_a_document_alone_takes_decimal_commas_of_the_data(tmp_path: Path) -> None:
    (tmp_path / "t.xml").write_text("<vgh value='[0:9]'><node value='[0:5]'/><node value='[5:9]'/></vgh>")
    (tmp_path / "d.csv").write_text("x;y\n4,5;1\n9,5;1\n")
    asked = Asked(
        files=(tmp_path / "t.xml",), column="x", data=tmp_path / "d.csv", reading=text_input(None, None, ",", None)
    )
    subject = subject_of(asked)
    assert list(subject.outline.paths()) == [("4,5", "[0:5]", "[0:9]")]
    assert subject.coverage is not None
    assert (dict(subject.coverage.records), dict(subject.coverage.uncovered)) == ({"4,5": 1}, {"9,5": 1})
    assert [remark.kind for remark in subject.remarks] == ["interval"]


def test_faults_of_a_file_are_raised_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;x;*\nb;x;**\na;y;*\n")
    with pytest.raises(ConfigurationError) as error:
        subject_of(Asked(files=(tmp_path / "t.csv",)))
    assert [fault.line for fault in error.value.faults] == [2, 3]
