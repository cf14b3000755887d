"""A treatment is named in a configuration, by an option or in a call, and each says the same; or it is refused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import toolbox
from toolbox.cli.main import main
from toolbox.errors import ToolboxError

LINES = ["patient;name;age;pay;born", "p1;Ann;21;1499;2001-03-05", "p2;Bob;22;1500;1999-12-31", ""]
SHOWN = ["***,[21:22],1000,2001", "***,[21:22],2000,1999"]
CONFIG = """<config k='2' seed='1'><input filename='in.csv' header='true'/><output filename='out.csv' separator=','/>
<person><att name='patient'/></person>
<id><att name='name' {name}/></id>
<qid><att name='age' type='number' {age}/></qid>
<sens>{sens}</sens>
<released><att name='pay' {pay}/><att name='born' treat='truncate:year'/></released></config>"""
OPTIONS = [
    "in.csv",
    "--person",
    "patient",
    "--id",
    "name",
    "--qi",
    "age",
    "-k",
    "2",
    "--seed",
    "1",
    "-output",
    "out.csv",
    "--output-separator",
    ",",
    "--quiet",
]
GIVEN = {"name": "mask", "pay": "round:1000", "born": "truncate:year"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text("\n".join(LINES), encoding="utf-8")
    return tmp_path


def write(**att: str) -> None:
    says = {name: f"treat='{words}'" for name, words in att.items() if name != "sens"}
    Path("c.xml").write_text(CONFIG.format(**{"name": "", "age": "", "pay": "", "sens": att.get("sens", ""), **says}))


def shown() -> list[str]:
    header, *lines = Path("out.csv").read_text(encoding="utf-8").splitlines()
    assert header == "name,age,pay,born"
    return sorted(lines)


def treating(**words: str) -> list[str]:
    return [part for name, text in words.items() for part in ("--treat", f"{name}={text}")]


@pytest.mark.slow
def test_xml_options_and_a_saved_configuration_say_the_same() -> None:
    write(name="mask", pay="round:1000")
    # The separator is found by all columns that are declared, also those that are treated.
    assert main(["-config", "c.xml", "--quiet"]) == 0
    assert shown() == SHOWN
    Path("out.csv").unlink()
    assert main(["anonymize", *OPTIONS, *treating(**GIVEN), "--save-config", "s.xml"]) == 0
    assert shown() == SHOWN
    Path("out.csv").unlink()
    assert main(["-config", "s.xml", "--quiet"]) == 0
    assert shown() == SHOWN
    assert "<att name='pay' treat='round:1000'/>" in Path("s.xml").read_text()


@pytest.mark.slow
def test_options_treat_the_columns_of_a_configuration() -> None:
    write(pay="round:7")
    assert main(["-config", "c.xml", "--quiet", *treating(name="mask", pay="round:1000")]) == 0
    assert shown() == SHOWN


@pytest.mark.slow
def test_python_says_the_same() -> None:
    table = pd.read_csv("in.csv", sep=";")
    declared = {"quasi_identifiers": ["age"], "identifiers": ["name"], "person": "patient", "k": 2}
    for source in (table, "in.csv"):
        found = toolbox.anonymize(source, **declared, treatments=GIVEN).release  # type: ignore[arg-type]
        assert found.sort_values("pay").to_csv(index=False, lineterminator="\n").splitlines()[1:] == SHOWN


@pytest.mark.slow
def test_a_released_column_without_a_treatment_is_declared_and_stays() -> None:
    write(name="redact")
    text = Path("c.xml").read_text().replace("<config ", "<config undeclared='fail' ")
    Path("c.xml").write_text(text)
    assert main(["-config", "c.xml", "--quiet"]) == 0
    assert shown() == ["*,[21:22],1499,2001", "*,[21:22],1500,1999"]


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("att", "message"),
    [
        ({"pay": "rond:5"}, "line 6: pay: there is no treatment 'rond'. Did you mean 'round'?"),
        ({"pay": "round"}, "line 6: pay: the treatment 'round' is wrong: base lacks; write a number above 0"),
        ({"pay": ""}, "line 6: This line is not written as the schema config.xsd asks"),
        (
            {"age": "round:10"},
            "line 4: treat='round:10' is not possible: age is a quasi-identifier, which is generalised and judged as it is "
            "released. Remove treat=, and write a <vgh> that makes it wider",
        ),
        (
            {"sens": "<att name='pay' treat='mask'/>"},
            "line 5: treat='mask' is not possible: pay is sensitive, and the proof counts its values as they were read.",
        ),
        ({"name": "prefix:1"}, "line 3: name names a person, and the treatment 'prefix' does not hide who that is."),
        ({"pay": "top:1499"}, "1 person of 'pay' is above the cap 1499, fewer than k=2. Choose a cap that more are"),
        ({"pay": "truncate:month"}, "2 cells of 'pay' are no value that 'truncate' can read."),
    ],
)
def test_what_a_configuration_cannot_ask_for_is_refused(
    att: dict[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(**att)
    Path("out.csv").write_text("as it was")
    assert main(["-config", "c.xml"]) != 0
    assert message in " ".join(capsys.readouterr().err.split())
    assert Path("out.csv").read_text() == "as it was"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"age": "mask"}, "--treat age 'mask' is not possible: age is a quasi-identifier"),
        ({"payy": "mask"}, "in.csv has no column 'payy'. Did you mean 'pay'?"),
        ({"pay": "mask:no"}, "pay: the treatment 'mask' is wrong: keep is 'no'"),
        # Of Klara, four characters would say nearly all.
        ({"name": "mask:4"}, "the treatment 'mask' does not hide who that is. Write redact, mask without a number,"),
        ({"name": "prefix:3"}, "the treatment 'prefix' does not hide who that is."),
    ],
)
def test_an_option_is_refused_in_its_own_words(
    words: dict[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["anonymize", *OPTIONS, "--undeclared", "drop", *treating(**words)]) != 0
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("treatments", "message"),
    [
        ({"age": "mask"}, "treatments['age'] is not possible: 'age' is a quasi-identifier"),
        ({"pay": 5}, "treatments['pay'] is 5; write a treatment as a text, such as 'round:1000'."),
        ({"name": "pass"}, "name names a person, and the treatment 'pass' does not hide who that is."),
        ({"payy": "mask"}, "has no column 'payy'. Did you mean 'pay'?"),
    ],
)
def test_a_call_is_refused_in_its_own_words(treatments: dict[str, str], message: str) -> None:
    with pytest.raises(ToolboxError) as caught:
        toolbox.anonymize("in.csv", quasi_identifiers=["age"], identifiers=["name"], k=2, treatments=treatments)
    assert message in str(caught.value)


@pytest.mark.slow
def test_a_text_that_needs_quotes_has_them_where_no_other_value_does() -> None:
    assert main(["anonymize", *OPTIONS, "--undeclared", "drop", *treating(pay="redact:a,b", name="mask")]) == 0
    lines = Path("out.csv").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == ['***,[21:22],"a,b"', '***,[21:22],"a,b"', "name,age,pay"]
