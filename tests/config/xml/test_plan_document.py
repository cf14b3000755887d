"""A plan as XML: its words as TOML would have them, the line of each, and the schema, which says the same."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from toolbox.config.xml import plan_document
from toolbox.config.xml.plan_document import PlanDocument
from toolbox.errors import Findings

XS = "{http://www.w3.org/2001/XMLSchema}"
SCHEMA = Path(__file__).parents[3] / "schemas" / "plan.xsd"


def read(text: str) -> tuple[PlanDocument, Findings]:
    findings = Findings()
    document = PlanDocument.of(text.encode(), findings)
    assert document is not None
    return document, findings


def test_attributes_are_values_and_elements_are_lists_with_the_line_of_each() -> None:
    document, findings = read("""<plan seed='7' suppression_threshold='20' threshold='.5'>
<method name='Mondrian' cut='classic'/>
<method name='OLA'/>
<parameters k='2, 5'
 t='0.2'/>
<data table='2020'><qid>
<att name='age' hierarchy='ages.csv' priority='1'/></qid>
<sens><att name='ill'><vgh build='order' values='a,b'/></att></sens></data>
<data configuration='b.xml'/>
</plan>""")
    assert findings.faults == []
    assert document.words == {
        "seed": 7,
        "suppression_threshold": 20,
        "threshold": 0.5,
        "methods": ["Mondrian:cut=classic", "OLA"],
        "parameters": {"k": [2, 5], "t": [0.2]},
        "data": [
            {
                "table": "2020",
                "quasi_identifiers": ["age"],
                "sensitive": ["ill"],
                "hierarchies": {"age": "ages.csv", "ill": "order:a,b"},
                "priorities": {"age": 1},
            },
            {"configuration": "b.xml"},
        ],
    }
    lines = {place: line for place, line in document.lines.items() if place[-1:] not in (("seed",), ("threshold",))}
    assert lines == {
        (): 1,
        ("suppression_threshold",): 1,
        ("methods",): 2,
        ("methods", 0): 2,
        ("methods", 1): 3,
        ("parameters",): 5,
        ("parameters", "k"): 5,
        ("parameters", "t"): 5,
        ("data", 0): 6,
        ("data", 0, "table"): 6,
        ("data", 0, "quasi_identifiers"): 6,
        ("data", 0, "quasi_identifiers", 0): 7,
        ("data", 0, "hierarchies"): 7,
        ("data", 0, "hierarchies", "age"): 7,
        ("data", 0, "priorities"): 7,
        ("data", 0, "priorities", "age"): 7,
        ("data", 0, "sensitive"): 8,
        ("data", 0, "sensitive", 0): 8,
        ("data", 0, "hierarchies", "ill"): 8,
        ("data", 1): 9,
        ("data", 1, "configuration"): 9,
    }


def test_numbers_that_are_none_stay_as_they_are_for_the_reader_of_plans() -> None:
    document, _ = read("<plan seed='seven' repetitions=''><parameters k='five,,5' l=''/></plan>")
    assert document.words == {"seed": "seven", "repetitions": "", "parameters": {"k": ["five", "", 5], "l": [""]}}


def test_the_schema_knows_the_elements_and_attributes_that_the_reader_knows() -> None:
    types = {each.get("name"): each for each in etree.parse(SCHEMA).getroot().iterchildren(f"{XS}complexType")}
    named = dict.fromkeys(("metric", "learner", "feature", "plain att"), "named")
    for kind, shape in plan_document.SHAPES.items():
        declared = types[{**named, "att": "column", "built vgh": "vgh"}.get(kind, kind)]
        attributes = [each.get("name") for each in declared.iterchildren(f"{XS}attribute")]
        needed = [each.get("name") for each in declared.iterchildren(f"{XS}attribute") if each.get("use") == "required"]
        children = [each.get("name") for each in declared.iterfind(f"./*/{XS}element")]
        assert sorted(shape.children) == sorted(children), kind
        if "vgh" not in kind:
            assert sorted(shape.attributes) == sorted(attributes), kind
            assert list(shape.required) == needed, kind
            assert shape.has_own_attributes is (declared.find(f"{XS}anyAttribute") is not None), kind


def test_sound_plans_fit_the_schema_and_a_line_that_does_not_is_told() -> None:
    data = "<data table='a.csv'><qid><att name='age'/></qid></data>"
    for text, lines in (
        (f"<plan>{data}</plan>", []),
        (f"<plan suppression_threshold='2.5 %' threshold='1'><parameters k='2, 5' t='.2'/>{data}</plan>", []),
        (f"<plan><classification splits='3'>\n<learner name='decision tree'/></classification>{data}</plan>", []),
        (f"<plan><method name='Mondrian' anything='x'/><data separator=' ' configuration='a.xml'/>{data}</plan>", []),
        (f"<plan>\n<classification splits='3'/>{data}</plan>", [2]),
        (f"<plan seed='1.5'>{data}\n<parameters k='2,,5'/></plan>", [1, 2]),
    ):
        document, findings = read(text)
        assert findings.faults == [], text
        document.check_schema()
        assert [fault.line for fault in findings.faults] == lines, text


def test_an_element_without_others_is_not_looked_into() -> None:
    document, findings = read("<plan><parameters k='2'><node/></parameters></plan>")
    assert document.words == {"parameters": {"k": [2]}}
    assert [fault.found for fault in findings.faults] == ["<parameters> has no element <node>."]
