"""Plans as files of two kinds and as mappings: the same words, and what is none of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from helpers.small_study import data_of, plan_of

from toolbox.config.xml.plan_document import PlanDocument
from toolbox.errors import ConfigurationError, Findings, UsageError
from toolbox.experiments.plan.reader import read_plan

TOP = Path(__file__).parents[3]
_BLOCK = re.compile(r"^```(toml|xml)\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
TOML = '''
name = "both"
seed = 7
repetitions = 2
threshold = 0.5
suppression_threshold = "5%"
methods = ["Mondrian:cut=classic:dimension=distinct", "toolbox.methods.datafly:Datafly"]
metrics = ["NCP", "precision"]
models = [["k-anonymity:k=3"], ["k-anonymity:k=2", 't-closeness:t=0.2:attribute="a: ""ill"""']]

[classification]
learners = ["decision tree", "random forest"]
splits = 3
test_share = 0.25
test_on = "original"

[[data]]
name = "people"
table = "$STUDY_DATA/people.csv"
separator = "\\t"
encoding = "latin-1"
on_missing = "keep"
label = "ill"
features = ["visits", "2020"]
methods = ["OLA"]
quasi_identifiers = ["age", "born", "place", "Größe <m> & \\"more\\""]
sensitive = ["ill", 'a: "ill"']
identifiers = ["passport"]
person = ["house", "member"]
kinds = { age = "number", born = "date %d.%m.%Y" }
hierarchies = { age = "intervals:5,10:top=90", born = "month,year", place = "tree:places.csv", ill = "ill.csv" }
priorities = { age = 1 }
weights = { age = 2, born = 0.5 }

[[data]]
configuration = "census.xml"
table = "other.csv"
label = "salary"
'''
XML = """<?xml version='1.0' encoding='UTF-8'?>
<plan xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:noNamespaceSchemaLocation='nowhere/plan.xsd'
      name='both' seed='7' repetitions='2' threshold='.5' suppression_threshold='5%'>
  <method name='Mondrian' cut='classic' dimension='distinct'/>
  <metric name='NCP'/>
  <method name='toolbox.methods.datafly:Datafly'/>
  <metric name='precision'/> <!-- in any order -->
  <privacy><model name='k-anonymity' k='3'/></privacy>
  <privacy><model name='k-anonymity' k='2'/><model name='t-closeness' t='0.2' attribute='a: "ill"'/></privacy>
  <classification splits='3' test_share='0.25' test_on='original'>
    <learner name='decision tree'/><learner name='random forest'/>
  </classification>
  <data name='people' table='$STUDY_DATA/people.csv' separator='\\t' encoding='latin-1' on_missing='keep' label='ill'>
    <feature name='visits'/>
    <feature name='2020'/>
    <method name='OLA'/>
    <qid>
      <att name='age' type='number' priority='1' weight='2'><vgh build='intervals' width='5,10' top='90'/></att>
      <att name='born' type='date' format='%d.%m.%Y' hierarchy='month,year' weight='0.5'/>
      <att name='place'><vgh build='tree' file='places.csv'/></att>
      <att name='Größe &lt;m&gt; &amp; "more"'/>
    </qid>
    <sens><att name='ill'><vgh file='ill.csv'/></att><att name='a: "ill"'/></sens>
    <id><att name='passport'/></id>
    <person><att name='house'/><att name='member'/></person>
  </data>
  <data configuration='census.xml' table='other.csv' label='salary'/>
</plan>
"""


def test_one_plan_in_both_notations_is_the_same_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDY_DATA", "/data")
    (tmp_path / "places.csv").write_text("Graz;Styria\n")
    (tmp_path / "ill.csv").write_text("yes;any\nno;any\n")
    for name, text in (("both.toml", TOML), ("both.xml", XML), ("xml.plan", XML)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    plan = read_plan(tmp_path / "both.toml", allow_code=True)
    assert read_plan(tmp_path / "both.xml", allow_code=True) == plan
    assert read_plan(tmp_path / "xml.plan", allow_code=True) == plan, "what begins with < is XML, whatever it is called"
    people, census = plan.data
    assert people.columns["hierarchies"]["place"] == f"tree:{tmp_path / 'places.csv'}"
    assert people.columns["weights"] == {"age": 2, "born": 0.5}
    assert (people.table, people.separator, people.methods) == (Path("/data/people.csv"), "\t", ("OLA",))
    assert (census.configuration, census.table) == (tmp_path / "census.xml", tmp_path / "other.csv")


def test_the_page_of_studies_shows_a_plan_that_is_there_in_both_notations() -> None:
    shown = dict(_BLOCK.findall((TOP / "docs" / "experiments.md").read_text(encoding="utf-8")))
    document = PlanDocument.of((TOP / "configs" / "census_study.xml").read_bytes(), Findings())
    assert document is not None
    words = tomllib.loads((TOP / "configs" / "census_study.toml").read_text(encoding="utf-8"))
    assert document.words == tomllib.loads(shown["toml"]) == words


def test_each_fault_of_an_xml_plan_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.xml"
    path.write_text("""<plan sed='1'
        repetitions='0'>
      <method name='OLA'/><method name='OLA'/>
      <method name='Mondriaan'/>
      <metric nme='NCP'/>
      <metric name=' '/>
      <parameters k='five,5'/>
      <parameters/>
      <privacy><model name='k-anonymity'/></privacy>
      <classification test_share='2'/>
      <data/>
      <data table='a.csv' name='one' label='ill'><sens><att name='ill'/></sens></data>
      <data config='b.xml' configuration='c.xml' name='one' label='ill' encoding='utf-8'>
        <qid><att name='age' type='figure' weight='much'/></qid>
      </data>
      <data table='$STUDY_GONE/d.csv' label='ill'>
        <qid>
          <att name='age' hierarchy='month,year'><vgh build='intervalls' width='5'/></att>
          <att name='zip'><vgh build='intervals' width='5,12'/></att>
          <att name='town'><vgh build='tree' file='absent.csv'/></att>
          <att name='age' type='number'/>
        </qid>
      </data>
      words
    </plan>""")
    with pytest.raises(ConfigurationError) as caught:
        read_plan(path)
    found = list(map(str, caught.value.faults))
    expected = f"""\
line 2: <plan> has no attribute 'sed'. Did you mean 'seed'? It takes:
line 2: The text 'words' stands in <plan>, where no text is read.
line 2: repetitions is '0'. Write a whole number, at least 1.
line 4: <method>: There is no method 'Mondriaan'. Did you mean 'Mondrian'?
line 5: <metric> has no attribute 'nme'. Did you mean 'name'?
line 5: <metric> lacks the attribute 'name'. Add name='...'.
line 6: <metric> is ' '. Write a name.
line 7: <parameters>: k is 'five,5'. Write a list of whole numbers from 1 on, such as k='2,5'.
line 8: <parameters> occurs twice in <plan>: in lines 7 and 8.
line 9: <privacy> cannot be combined with <parameters>.
line 9: <privacy>: 'k-anonymity' lacks k.
line 10: <classification>: it names no learner. Write <learner name='logistic regression'/>, say.
line 10: <classification>: test_share is '2'. Write a number, from 0.01 to 0.9.
line 11: <data>: it names no records. Write table='FILE', or configuration='FILE.xml'.
line 11: the data set 'data' names no label. Write label='COLUMN', which learners predict.
line 12: <data>: it has no <qid>. Name the columns that an attacker may know.
line 12: the data set 'one': {tmp_path}/a.csv cannot be read: No such file or directory. Name a file that exists.
line 13: <data> has no attribute 'config'. Did you mean 'configuration'?
line 13: <data>: encoding cannot be combined with a configuration, which says it.
line 13: the data set 'one': {tmp_path}/c.xml: There is no such file.
line 13: two data sets are called 'one'. Write name='..' in each <data>.
line 14: <data>: <qid> cannot be combined with a configuration, which says it.
line 14: <data>: type= cannot be combined with a configuration, which says it.
line 14: <data>: type= of 'age' is 'figure'.
line 14: <data>: weight= cannot be combined with a configuration, which says it.
line 14: <data>: weight= of 'age' is 'much'. Write a number above 0.
line 16: <data>: table names $STUDY_GONE, which is not set. Write: export STUDY_GONE=FOLDER
line 18: <att> has hierarchy= and a <vgh>. Leave one of the two out.
line 18: build='intervalls' is unknown. Did you mean 'intervals'?
line 19: <data>: the hierarchy of 'zip': width= has 12 after 5, and is no multiple of it.
line 20: <data>: the hierarchy of 'town': """.splitlines()
    assert found.pop() == "line 21: <data>: <qid> has the column 'age' twice. Leave one of the two out."
    assert [given for given, start in zip(found, expected, strict=True) if not given.startswith(start)] == []
    assert found[-1].endswith("absent.csv: There is no such file. Write the path of a hierarchy file.")


def test_xml_that_reaches_beyond_its_file_or_is_no_plan_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.xml"
    for text, expected in (
        ("<!DOCTYPE plan [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n<plan name='&x;'/>", "line 1: The file has a DOCTYPE"),
        ("<?php ?><plan/>", "line 1: The file has a processing instruction"),
        ("<plan><x:include xmlns:x='http://www.w3.org/2001/XInclude' href='y'/></plan>", "includes another one by XInclude"),
        ("<plan>\n<data table='a.csv'></plan>", "line 2: <data> of line 2 is closed by </plan>."),
        ("<plan>\n<data>", "The file ends before its elements are closed. Close them; the last line is </plan>."),
        ("seed = 1", "line 1: This is not an XML file. Begin it with <plan>."),
        ("", "line 1: This is not an XML file. Begin it with <plan>."),
        ("<config/>", "line 1: This is a configuration, which describes one data set. Write a plan, and name it there:"),
        ("<study/>", "line 1: The root element is <study>. Write a plain <plan>."),
        ("<plan xmlns='urn:x'/>", "line 1: The root element is <plan> of the namespace 'urn:x'."),
        ("<plan/>", "line 1: it names no data set. Write:\n<data table='people.csv'>"),
        # What only the schema finds.
        ("<plan>\n<data\ntable='a.csv'><qid><att name='age' priority='1_0'/></qid></data></plan>", "line 3: This line is not"),
    ):  # fmt: skip
        path.write_text(text)
        with pytest.raises(ConfigurationError) as caught:
            read_plan(path)
        assert expected in str(caught.value), text


def test_what_is_no_plan_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("k = [2\nmethods")
    (tmp_path / "deep.toml").write_text("k = " + "[" * 5000)
    (tmp_path / "latin.toml").write_bytes(b"name = 'M\xe4nner'")
    for name, expected in (
        ("absent.toml", "cannot be read (No such file or directory). Write the name of a plan, a TOML or an XML file."),
        ("bad.toml", "it is no TOML:"),
        ("deep.toml", "its lists lie too deep within each other."),
        ("a\0b", "cannot be read (embedded null byte)."),
        ("/dev/zero", "has more than 10,000,000 bytes."),
        ("latin.toml", "is no text in UTF-8."),
    ):
        with pytest.raises(UsageError) as caught:
            read_plan(tmp_path / name)
        assert expected in str(caught.value)


def test_a_mapping_may_hold_what_toml_cannot(tmp_path: Path) -> None:
    def faults_of(words: Any) -> str:
        with pytest.raises(UsageError) as caught:
            read_plan(words)
        return str(caught.value)

    assert "there is no setting '5'." in faults_of({5: 1, **plan_of(tmp_path)})
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    for words in ({"name": "\ud800"}, {"methods": deep}):
        assert "cannot be written as text" in faults_of(words)
    for rows in (5, [5], b"ab", object()):
        assert "hierarchies.age is" in faults_of(plan_of(tmp_path, data=[data_of(tmp_path, hierarchies={"age": rows})]))
    for plan in (None, 5):
        assert "A plan is no" in faults_of(plan)
