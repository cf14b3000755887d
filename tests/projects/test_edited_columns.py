"""What columns are, what they hold and how they are generalised stands in the document, whatever they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

import toolbox
from toolbox import Project
from toolbox.errors import UsageError


def test_roles_kinds_ranks_and_hierarchies_stand_in_the_document(declared: Project) -> None:
    declared.set_priority("age", 1)
    declared.set_weight("age", 2.5)
    declared.set_builder("age", "intervals:5,10:top=90")
    declared.set_kind("town", "category")
    declared.set_rows("town", [("Graz", "Styria", "*"), ("Linz", "Upper Austria", "*")])
    assert declared.xml().splitlines()[4:15] == [
        "  <id>",
        "    <att name='name'/>",
        "  </id>",
        "  <qid>",
        "    <att name='age' type='number' priority='1' weight='2.5'><vgh build='intervals' width='5,10' top='90'/></att>",
        "    <att name='town' type='category'><vgh file='hierarchies/town.csv' header='false'/></att>",
        "  </qid>",
        "  <sens>",
        "    <att name='illness' type='category'/>",
        "  </sens>",
        "</config>",
    ]
    assert declared.hierarchy("age") == "intervals:5,10:top=90"
    assert declared.hierarchy("town") == [("Graz", "Styria", "*"), ("Linz", "Upper Austria", "*")]
    assert declared.hierarchy("illness") is None
    age = declared.columns()[1]
    assert (age.role, age.kind, age.priority, age.weight, age.hierarchy) == (
        *("quasi-identifier", "number", 1, 2.5),
        "builder",
    )
    assert declared.config().quasi_identifiers[1].hierarchy is not None, "of a file that is not written yet"


def test_what_means_nothing_for_a_new_role_is_forgotten(declared: Project) -> None:
    declared.set_priority("age", 1)
    declared.set_builder("age", "intervals:5")
    declared.set_role("age", "sensitive")
    assert "<att name='age' type='number'><vgh build='intervals' width='5'/></att>" in declared.xml()
    declared.set_role("age", "identifier")
    assert "    <att name='age'/>" in declared.xml()
    declared.set_role("age", "other")
    declared.set_role("town", "other")
    assert "age" not in declared.xml() and "<qid" not in declared.xml(), "an empty section would be a fault"


def test_dates_are_generalised_by_periods(tmp_path: Path) -> None:
    table = tmp_path / "births.csv"
    table.write_text("born\n" + "2.1.1990\n30.4.1971\n" * 10, encoding="utf-8")
    project = Project.of_file(table, tmp_path)
    project.set_role("born", "quasi-identifier")
    project.set_builder("born", "dates:month,year")
    assert "<att name='born' type='date' format='%d.%m.%Y' hierarchy='month,year'/>" in project.xml()
    assert (project.hierarchy("born"), project.columns()[0].hierarchy) == ("dates:month,year", "dates")
    project.remove_hierarchy("born")
    assert project.columns()[0].hierarchy == "none"


def test_levels_bound_what_a_release_may_have(tmp_path: Path) -> None:
    path = tmp_path / "project.xml"
    path.write_text(
        "<config><qid><att name='age' minLevel='2' maxLevel='x'/></qid><sens><att name='ill'/></sens></config>"
    )
    project = Project.open(path)
    assert project.columns()[0].levels == (2, None), "what is no level is told when the configuration is read"
    for levels, written in (
        ((1, 3), "minLevel='1' maxLevel='3'"),
        ((0, 2), "maxLevel='2'"),
        ((1, None), "minLevel='1'"),
    ):
        project.set_levels("age", *levels)
        assert project.columns()[0].levels == levels
        assert f"<att name='age' {written}/>" in project.xml()
    project.set_levels("age")
    assert "<att name='age'/>" in project.xml() and project.columns()[0].levels == (0, None)
    for column, wrong in (("age", (-1, None)), ("age", (2, 1)), ("ill", (0, 1)), ("nobody", (0, 1))):
        with pytest.raises(UsageError):
            project.set_levels(column, *wrong)


HOSTILE = [
    '"',
    "a,b",
    " blank ",
    "<script>",
    "--",
    "x\ty",
    "ünï",
    "\u202eright",
    "=1+1",
    "",
    "twice",
    "twice",
    "column 3",
]


@pytest.mark.slow
def test_columns_of_any_name_get_roles_and_are_found_again(tmp_path: Path) -> None:
    table = tmp_path / "hostile & <b>.csv"
    quoted = [f'"{name}"'.replace('"""', '""""') for name in HOSTILE]
    rows = "".join(f"{','.join(str(row % 3 + column) for column in range(len(HOSTILE)))}\n" for row in range(12))
    table.write_text(f"{','.join(quoted)}\n{rows}", encoding="utf-8")
    project = Project.of_file(table, tmp_path)
    names = [column.name for column in project.columns()]
    assert [column.header for column in project.columns()] == HOSTILE
    assert len(set(names)) == len(HOSTILE)
    assert names[2] == "column 2" and names[10:] == ["column 10", "column 11", "column 12"]
    for name in names:
        project.set_role(name, "quasi-identifier")
        project.set_rows(name, [(str(number), "*") for number in range(20)])
    assert project.faults() == []
    project.set_models([{"type": "k-anonymity", "k": 2}])
    project.save()
    assert toolbox.anonymize(project.path).summary.proof.smallest_class >= 2
    assert [column.role for column in Project.open(project.path).columns()] == ["quasi-identifier"] * len(HOSTILE)


@pytest.mark.slow
def test_ten_thousand_columns_are_listed(tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    table.write_text(",".join(f"c{number}" for number in range(10_000)) + "\n" + "1," * 9_999 + "1\n", encoding="utf-8")
    project = Project.of_file(table, tmp_path)
    project.set_role("c9999", "quasi-identifier")
    assert [project.columns()[-1].role, len(project.columns())] == ["quasi-identifier", 10_000]


def test_a_comment_on_a_column_goes_where_the_column_goes(tmp_path: Path) -> None:
    path = tmp_path / "project.xml"
    path.write_text(
        "<config><qid><!-- for all --><!-- age: 12 values --><att name='age'/><att name='sex'/></qid></config>"
    )
    project = Project.open(path)
    project.set_role("age", "sensitive")
    assert project.xml().splitlines()[2:9] == [
        "  <qid>",
        "    <!-- for all -->",
        "    <att name='sex'/>",
        "  </qid>",
        "  <sens>",
        "    <!-- age: 12 values -->",
        "    <att name='age'/>",
    ]
