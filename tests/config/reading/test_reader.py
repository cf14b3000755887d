"""The reader as a whole: the manual's example, and a configuration with everything in it."""

from pathlib import Path

import pytest

from toolbox.config.formats import FORMATS, GEN_VALS
from toolbox.config.model import Column, Config, Input, Limits, MethodFacts, Output, QuasiIdentifier, Requirement
from toolbox.config.reading.declarations import Declarations
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.reader import read_config
from toolbox.errors import ConfigurationError

METHODS = {"mondrian": MethodFacts(name="Mondrian", full_domain=False, settings={})}

MANUAL = """<?xml version="1.0"?>
<config method = 'Datafly' k = '5'>
  <input filename='census-income_ALL.data' separator=',' />
  <output filename='census-incomeK5.data' format = 'genValsDist' />
  <id>
    <att index='1' name='att1' />
    <att index='2' name='att2' />
  </id>
  <qid>
    <att index='12' name='sex'>
      <map>
        <entry cat='Female' int='0' />
        <entry cat='Male' int='1' />
      </map>
      <vgh value=' [1:2] ' >
    </vgh>
  </att>
  <att index='0' name = 'age'>
    <vgh value=' [0:100] ' >
      <node value=' [0:50] ' >
        <node value=' [0:25] ' />
        <node value=' [25:50] ' />
      </node>
      <node value=' [50:100] ' >
        <node value=' [50:75] ' />
        <node value=' [75:100] ' />
      </node>
    </vgh>
  </att>
</qid>
<sens>
  <att index='41' name='salary'>
    <map>
      <entry cat='- 50000.' int='0' />
      <entry cat='50000+.' int='1' />
    </map>
  </att>
</sens>
</config>
"""


def test_the_slip_in_the_manuals_example_is_reported_with_line_and_remedy(desk):
    assert desk.fault(MANUAL) == "line 15: [1:2] leaves out the category 'Female' of the map. Write [0:1], say."


def test_the_manuals_example_loads_once_it_is_corrected(desk):
    config = desk.read(MANUAL.replace("[1:2]", "[0:1]"))
    sex, age = config.quasi_identifiers
    (salary,) = config.sensitive
    assert (config.method, config.k) == ("Datafly", 5)
    assert config.input == Input(path=desk.folder / "census-income_ALL.data")
    assert config.output == Output(
        path=desk.folder / "census-incomeK5.data", format=FORMATS["genValsDist"], order="shuffled"
    )
    assert [str(column) for column in config.identifiers] == ["att1", "att2"]
    assert (sex.column.index, sex.kind, sex.categories) == (12, "category", {"Female": 0, "Male": 1})
    assert list(sex.hierarchy.labels()) == [("{Female,Male}", 1)]
    assert (age.column.index, age.kind, age.categories) == (0, "number", None)
    assert list(age.hierarchy.labels()) == [
        ("[0:100]", 3),
        ("[0:50]", 2),
        ("[0:25]", 1),
        ("[25:50]", 1),
        ("[50:100]", 2),
        ("[50:75]", 1),
        ("[75:100]", 1),
    ]
    assert age.hierarchy.root.text == " [0:100] "
    assert salary.categories == {"- 50000.": 0, "50000+.": 1}
    assert config.warnings == (
        "line 22: [25] lies in both [0:25] and [25:50]; the first of them takes it.",
        "line 24: [50] lies in both [0:50] and [50:100]; the first of them takes it.",
        "line 26: [75] lies in both [50:75] and [75:100]; the first of them takes it.",
    )


def test_a_configuration_in_the_words_of_2010_is_known(desk):
    manual = MANUAL.replace("[1:2]", "[0:1]")
    assert desk.read(manual).is_of_2010
    for ours in (
        manual.replace("format =", "order='shuffled' format ="),
        manual.replace("k = '5'", "k = '5' compatibility='utd'"),
        manual.replace("separator=','", "separator=',' header='true'"),
        manual.replace("<node value=' [0:25] ' />", "<node value=' [0:25] ' label='young'/>"),
    ):
        assert not desk.read(ours).is_of_2010
    assert not desk.read(manual, order="shuffled").is_of_2010


def test_the_shortest_configuration_has_the_defaults_of_the_manual(desk):
    config = desk.read(desk.with_qid("<att index='3'/>"))
    assert config == Config(
        source=str(desk.folder / "config.xml"),
        path=desk.folder / "config.xml",
        method="Mondrian",
        k=10,
        requirements=(Requirement(model="k-anonymity", parameters={"k": 10}),),
        input=Input(path=desk.folder / "in.csv", separator=",", header=False, missing="?"),
        output=Output(path=desk.folder / "out.csv", format=FORMATS[GEN_VALS], suppressed="keep", order="shuffled"),
        limits=Limits(),
        quasi_identifiers=(QuasiIdentifier(column=Column(index=3, name=None, line=3), kind=None),),
    )


def test_children_stand_in_any_order_and_names_of_methods_and_words_in_any_case(desk):
    config = desk.read(
        "<config method='DATAFLY' SUPPTHRESHOLD='0' suppressed='Drop'>"
        "<sens/><qid><att index='0'><vgh value='[0:9]'/></att></qid><id/>"
        "<output filename='out.csv' format='GENVALSDIST' separator=';'/>"
        "<input filename='in.csv' header='Yes' onMissing='KEEP' missing='' encoding='UTF8' separator='\\t'/></config>"
    )
    assert (config.method, config.suppression_threshold) == ("Datafly", 0)
    assert (config.output.format.name, config.output.suppressed, config.output.separator) == (
        "genValsDist",
        "drop",
        ";",
    )
    assert config.input == Input(
        path=desk.folder / "in.csv", separator="\t", header=True, encoding="utf-8", missing="", on_missing="keep"
    )


def test_an_alias_finds_its_method(desk):
    text = desk.with_qid("<att index='0'><vgh value='[0:9]'/></att>", method="incognito")
    assert desk.read(text).method == "Incognito_k"


def test_everything_that_is_wrong_is_reported_in_one_run(desk):
    text = """<config methd='Datafly' k='none' t='1'>
<input filename='in.csv' onMissing='ignore'/>
<output filename='nowhere/out.csv'/>
<qid><att index='-1'/>
<att index='1'><vgh value='[0:10]'><node value='[0:5)'/><node value='(5:10]'/></vgh></att>
</qid>
</config>"""
    assert desk.faults(text, seed="-5") == [
        "--seed '-5' is too small. Write a whole number of at least 0.",
        "line 1: <config> has no attribute 'methd'. Did you mean 'method'? "
        "It takes: method, k, l, c, t, suppThreshold, undeclared, rowsArePeople, attacker, suppressBy, recoding, smallClasses, epsilon, delta, sampleWeight, samplingFraction, seed, suppressed, "
        "compatibility, allowNetwork, cut, dimension, note.",
        "line 1: k='none' is not a whole number. Write a whole number of at least 1.",
        "line 1: t='1' is not between 0 and 1. Write a number above 0 and below 1, such as 0.2.",
        "line 2: onMissing='ignore' is unknown. Write one of: skip, fail, keep.",
        f"line 3: The output, {str(desk.folder / 'nowhere/out.csv')!r}, lies in a folder that does not exist. "
        "Make the folder first, or write another path.",
        "line 4: index='-1' is too small. Write a whole number of at least 0.",
        "line 5: [5] lies in [0:10], but in no child of it. The children of a node cover it without gaps. "
        "Let each begin where the one before it ends, as in [0:25) and [25:50].",
    ]


def test_a_configuration_that_lacks_its_parts_is_told_each_of_them(desk):
    assert desk.faults("<config>\n<output/></config>") == [
        "line 1: <config> has no <qid>. Add <qid> with an <att> for each column that an attacker may know.",
        "line 1: Nothing names the input. Write <input filename='...'/>, or give the option -input.",
        "line 2: Nothing names the output. Write <output filename='...'/>, or give the option -output.",
    ]


def test_a_file_that_is_no_xml_is_the_only_fault_beside_options_that_name_columns(desk):
    path = desk.write("notes.txt", "age,sex\n30,f\n")
    declarations = Declarations(quasi_identifiers=["age"], kinds={"age": "number"})
    with pytest.raises(ConfigurationError) as caught:
        read_config(path, declarations=declarations, methods=METHODS)
    assert [str(fault) for fault in caught.value.faults] == ["line 1: This is not an XML file. Begin it with <config>."]


def test_names_may_hold_quotes_any_script_and_words_of_sql(desk):
    qid = (
        "<att index='0' name=\"Robert'); DROP TABLE x;--\"/><att index='1' name='出生\u00a0地'/>"
        "<att index='2' name='select'><map><entry cat='&quot;a&quot;, b' int='0'/><entry cat='' int='1'/></map>"
        "<vgh value='[0:1]'/></att>"
    )
    config = desk.read(desk.with_qid(qid))
    names = [str(attribute.column) for attribute in config.quasi_identifiers]
    assert names == ["Robert'); DROP TABLE x;--", "出生\u00a0地", "select"]
    assert config.quasi_identifiers[2].hierarchy.root.label == '{"""a"", b",}'


def test_paths_of_the_file_start_at_its_folder_and_paths_of_options_at_the_working_directory(desk, monkeypatch):
    (desk.folder / "sub").mkdir()
    config = desk.folder / "sub" / "config.xml"
    config.write_text(desk.with_qid("<att index='0'/>"))
    monkeypatch.chdir(desk.folder)
    plain = read_config(Path("sub/config.xml"), methods=METHODS)
    assert (plain.input.path, plain.output.path) == (Path("sub/in.csv"), Path("sub/out.csv"))
    moved = read_config(Path("sub/config.xml"), overrides=Overrides(input="a.csv", output="b.csv"), methods=METHODS)
    assert (moved.input.path, moved.output.path) == (Path("a.csv"), Path("b.csv"))


def test_without_an_installed_default_the_method_must_be_named(desk):
    with pytest.raises(ConfigurationError, match=r"method='Mondrian' is unknown\. Write one of: \."):
        read_config(desk.write("config.xml", desk.with_root("")), methods={})
