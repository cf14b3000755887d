"""A configuration is edited step by step, and what nobody edits stays as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers.amounts import times
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolbox
from toolbox import Project
from toolbox.cli.main import main
from toolbox.config.sameness import differences
from toolbox.errors import ConfigurationError, InputError, SettingError, UnknownColumnError, UsageError

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.xml"))


def test_a_project_of_a_table_says_how_it_is_read_and_nothing_of_its_columns(project: Project) -> None:
    assert project.xml() == (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        "<config method='Mondrian' k='5' undeclared='drop'>\n"
        "  <input filename='people.csv' separator=',' header='true'/>\n"
        "  <output filename='people_release.csv'/>\n"
        "</config>\n"
    )
    assert {column.role for column in project.columns()} == {"other"}
    assert [column.looks for column in project.columns()] == ["category", "number", "category", "category"]
    assert project.faults() == [
        "<config> has no <qid>. Add <qid> with an <att> for each column that an attacker may know."
    ]


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


def test_a_new_method_keeps_what_is_required_and_drops_the_settings_of_the_old_one(declared: Project) -> None:
    declared.set_method("Mondrian", dimension="distinct")
    declared.set_models([{"type": "k-anonymity", "k": 3}])
    assert "<config method='Mondrian' k='3' undeclared='drop' dimension='distinct'>" in declared.xml()
    declared.set_method("Incognito_l")
    assert declared.models == [{"type": "k-anonymity", "k": 3}]
    assert "<model name='k-anonymity' k='3'/>" in declared.xml() and "dimension" not in declared.xml()
    declared.set_method("Mondrian")
    assert "<config method='Mondrian' k='3' undeclared='drop'>" in declared.xml() and "privacy" not in declared.xml()


def test_settings_of_all_parts_are_said_and_taken_back(declared: Project) -> None:
    before = declared.xml()
    declared.set_input(missing="-", on_missing="keep", encoding="latin-1")
    declared.set_output(format="genValsDist", filename=declared.path.parent / "other.csv", split_size="1MB")
    declared.set_suppression("2%")
    declared.set_option("seed", 7)
    assert declared.input["on_missing"] == "keep"
    assert (declared.format, declared.output["filename"], declared.suppression) == ("genValsDist", "other.csv", "2%")
    assert declared.config().seed == 7
    declared.set_input(missing=None, on_missing=None, encoding=None)
    declared.set_output(format=None, filename=declared.path.parent / "people_release.csv", split_size=None)
    declared.set_suppression(None)
    declared.set_option("seed", None)
    assert declared.xml() == before


def test_a_state_can_be_had_again_also_in_another_process(declared: Project) -> None:
    declared.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    before, config = declared.snapshot(), declared.config()
    declared.set_rows("town", [("Graz", "x", "*"), ("Linz", "y", "*")])
    declared.set_role("age", "other")
    after = declared.snapshot()
    declared.restore(before)
    assert differences(config, declared.config()) == []
    assert declared.hierarchy("town") == [("Graz", "*"), ("Linz", "*")]
    assert Project(declared.path, after).hierarchy("town") == [("Graz", "x", "*"), ("Linz", "y", "*")]


def test_whatever_is_wrong_is_a_usage_error_that_says_what_there_is(declared: Project, tmp_path: Path) -> None:
    with pytest.raises(UnknownColumnError, match="Did you mean 'age'"):
        declared.set_role("agee", "other")
    with pytest.raises(SettingError, match="one of identifier, quasi-identifier, sensitive, other"):
        declared.set_role("age", "secret")  # type: ignore[arg-type]
    for edit, told in (
        (lambda: declared.set_kind("age", "numbr"), "numbr"),
        (lambda: declared.set_builder("age", "intervls:5"), "intervals"),
        (lambda: declared.set_method("Mondrain"), "Mondrian"),
        (lambda: declared.set_method("Mondrian", dimensoin="x"), "dimension"),
        (lambda: declared.set_models([{"k": 5}]), "type"),
        (lambda: declared.set_input(seperator=";"), "separator"),
        (lambda: declared.set_output(format="\x00"), r"U\+0000"),
        (lambda: declared.set_rows("town", [("\ud800", "*")]), r"U\+D800"),
        (lambda: declared.option("sede"), "seed"),
    ):
        with pytest.raises(UsageError, match=told):
            edit()
    declared.set_role("name", "other")
    with pytest.raises(UsageError, match="'name' has no role yet"):
        declared.set_priority("name", 1)
    with pytest.raises(ConfigurationError, match="no such file"):
        Project.open(tmp_path / "nothing.xml")
    with pytest.raises(InputError, match="cannot be read"):
        Project.of_file(tmp_path / "nothing.csv", tmp_path)


def test_a_file_that_is_gone_is_told_and_another_one_can_be_named(declared: Project, people: Path) -> None:
    people.rename(people.with_name("moved.csv"))
    with pytest.raises(InputError):
        declared.columns()
    declared.set_input(files=people.with_name("moved.csv"))
    assert declared.source == (people.with_name("moved.csv"),)
    assert [column.role for column in declared.columns()][:2] == ["identifier", "quasi-identifier"]
    declared.set_input(files=[people.with_name("moved.csv"), people.with_name("more.csv")])
    assert [path.name for path in declared.source] == ["moved.csv", "more.csv"]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_opens_is_saved_elsewhere_and_says_the_same(path: Path, tmp_path: Path) -> None:
    project = Project.open(path)
    assert project.faults() == []
    project.save(tmp_path / "deep" / "project.xml")
    assert differences(toolbox.load_config(path), toolbox.load_config(tmp_path / "deep" / "project.xml")) == []
    text = project.xml()
    assert Project.open(tmp_path / "deep" / "project.xml").xml() == text
    assert all(f"<!--{part.partition('-->')[0]}-->" in text for part in path.read_text().split("<!--")[1:])


@pytest.mark.parametrize(
    ("name", "column"),
    [("clinic_incognito.xml", None), pytest.param("census_datafly.xml", "sex", marks=pytest.mark.slow)],
)
def test_a_saved_project_makes_the_bytes_of_its_configuration(name: str, column: str | None, tmp_path: Path) -> None:
    shutil.copytree(CONFIGS[0].parent, tmp_path, dirs_exist_ok=True)
    project = Project.open(tmp_path / name)
    if column is not None:
        rows = project.hierarchy(column)
        assert isinstance(rows, list)
        project.set_rows(column, rows)
    project.set_output(filename=tmp_path / "mine.csv", order="sorted")
    project.save(tmp_path / "project.xml")
    theirs = tmp_path / "theirs.csv"
    assert main(["-config", str(tmp_path / "project.xml"), "--quiet"]) == 0
    assert main(["-config", str(tmp_path / name), "-output", str(theirs), "--order", "sorted", "--quiet"]) == 0
    assert (tmp_path / "mine.csv").read_bytes() == theirs.read_bytes()


ROLES = st.sampled_from(["identifier", "quasi-identifier", "sensitive", "other"])
EDITS = st.one_of(
    st.tuples(st.just("set_role"), st.sampled_from(["name", "age", "town", "illness"]), ROLES),
    st.tuples(st.just("set_builder"), st.sampled_from(["age", "town"]), st.sampled_from(["auto:2", "prefix:1"])),
    st.tuples(
        st.just("set_rows"),
        st.sampled_from(["age", "town"]),
        st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=1, max_size=3),
    ),
    st.tuples(st.just("set_priority"), st.sampled_from(["age", "town"]), st.integers(1, 9)),
    st.tuples(st.just("set_kind"), st.sampled_from(["age", "town"]), st.sampled_from(["number", "category", None])),
    st.tuples(st.just("set_method"), st.sampled_from(["Mondrian", "Datafly", "OLA"])),
    st.tuples(st.just("remove_hierarchy"), st.sampled_from(["age", "town"])),
)


@given(st.lists(EDITS, max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=times(10, slow=200))
def test_after_any_edits_text_and_project_are_the_same_thing(project: Project, edits: list[tuple[object, ...]]) -> None:
    start = project.snapshot()
    for name, *arguments in edits:
        try:
            getattr(project, str(name))(*arguments)
        except UsageError:
            continue
    snapshot = project.snapshot()
    again = Project(project.path, snapshot)
    assert again.snapshot() == snapshot
    assert again.columns() == project.columns()
    assert again.faults() == project.faults()
    assert [again.models, again.method] == [project.models, project.method]
    project.restore(start)
    assert project.snapshot() == start


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
