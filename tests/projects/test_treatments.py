"""A project says who its records are about, and what is done to the columns that are released record by record."""

from pathlib import Path

import pytest

import toolbox
from toolbox import Project, UsageError

VISITS = "patient,clinic,age,pay,since,phone\n" + "".join(
    f"P{row // 2},C{row % 2},{20 + row // 4},{1499 + 500 * row},200{row % 9}-03-05,5550{row:03}\n" for row in range(12)
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    begun = Project.of_file(tmp_path / "visits.csv", tmp_path)
    begun.set_roles({"patient": "identifier", "age": "quasi-identifier"})
    begun.set_models([{"type": "k-anonymity", "k": 2}])
    return begun


def test_persons_are_told_apart_by_columns_that_become_identifiers_and_classes_count_them(project: Project) -> None:
    assert project.person == ()
    project.set_person(["patient", "clinic"])
    assert project.person == ("patient", "clinic")
    assert {column.name: column.role for column in project.columns()}["clinic"] == "identifier"
    project.set_person(["patient"])
    assert project.person == ("patient",)
    assert [column.role for column in project.columns()][:2] == ["identifier", "identifier"]
    project.save()
    proof = toolbox.anonymize(project.path).summary.proof
    assert proof.persons is not None and proof.persons.count == 6


def test_whoever_gets_another_role_tells_nobody_apart_and_nobody_attacks_profiles_then(project: Project) -> None:
    project.set_person(["patient"])
    project.set_option("attacker", "profile")
    project.set_role("patient", "quasi-identifier")
    assert (project.person, project.option("attacker"), project.faults()) == ((), None, [])
    with pytest.raises(UsageError, match="'nobody'"):
        project.set_person(["nobody"])


def test_a_person_that_a_configuration_alone_names_is_an_identifier(project: Project) -> None:
    project.set_person(["patient"])
    xml = project.xml().replace("  <id>\n    <att name='patient'/>\n  </id>\n", "")
    assert "<id>" not in xml
    project.restore(toolbox.Snapshot(xml))
    assert (project.person, project.columns()[0].role) == (("patient",), "identifier")
    project.set_person([])
    assert (project.person, project.columns()[0].role) == ((), "identifier"), "no release shows it now"
    for role in ("quasi-identifier", "other"):
        project.restore(toolbox.Snapshot(xml))
        project.set_role("patient", role)
        assert (project.person, project.columns()[0].role) == ((), role)
        assert project.xml().count("name='patient'") == (role != "other")


@pytest.mark.slow
def test_what_is_done_to_a_column_is_written_run_and_taken_back(project: Project) -> None:
    before = project.xml()
    project.set_treatment("pay", "truncate:1000")
    project.set_treatment("phone", "mask:2")
    project.set_treatment("patient", "redact")
    assert {column.name: column.treatment for column in project.columns() if column.treatment} == {
        "pay": "truncate:1000",
        "phone": "mask:2",
        "patient": "redact",
    }
    project.save()
    release = toolbox.anonymize(project.path).release
    assert set(release["pay"]) == {f"{thousands}000" for thousands in range(1, 7)}
    assert set(release["phone"]) == {f"*****{row:02}" for row in range(12)}
    assert set(release["patient"]) == {"*"} and "since" not in release
    for name in ("pay", "phone", "patient"):
        project.set_treatment(name, None)
    assert project.xml() == before


def test_a_treated_column_that_is_generalised_is_treated_no_more(project: Project) -> None:
    project.set_treatment("pay", "round:1000")
    project.set_role("pay", "quasi-identifier")
    column = next(column for column in project.columns() if column.name == "pay")
    assert (column.treatment, column.role, project.faults()) == (None, "quasi-identifier", [])


@pytest.mark.parametrize(
    ("column", "treatment", "said"),
    [
        ("age", "round:10", "is quasi-identifier, and judged as it is released"),
        ("pay", "round", "base lacks"),
        ("pay", "rund:10", "Did you mean 'round'?"),
        ("patient", "prefix:2", "does not hide who it is"),
        ("since", "shift:30", "Say first who that is"),
    ],
)
def test_what_cannot_be_done_is_refused(project: Project, column: str, treatment: str, said: str) -> None:
    before = project.xml()
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        project.set_treatment(column, treatment)
    assert project.xml() == before


def test_all_treatments_are_listed_with_the_reason_where_one_cannot_be_chosen(project: Project) -> None:
    other = {choice.name: choice.refusal for choice in project.list_treatments("pay")}
    assert other["round"] == other["top"] == other["mask"] == ""
    assert "needs a key file" in other["pseudonym"]
    identifier = {choice.name: choice.refusal for choice in project.list_treatments("patient")}
    assert identifier["redact"] == identifier["mask"] == ""
    assert "would not hide" in identifier["prefix"]
    assert set(project.list_treatments("age")[0].refusal.split()) >= {"judged", "released"}


@pytest.mark.slow
def test_the_first_different_values_are_shown_before_and_after(project: Project) -> None:
    shown = project.preview_treatment("pay", "round:1000")
    assert shown[:3] == (("1499", "1000"), ("1999", "2000"), ("2499", "2000"))
    assert len(shown) == 10
    assert project.preview_treatment("phone", "mask:2")[0] == ("5550000", "*****00")
    assert project.preview_treatment("since", "truncate:month")[0] == ("2000-03-05", "2000-03")
    assert project.preview_treatment("clinic", "round:10") == (("C0", None), ("C1", None))
    assert project.preview_treatment("pay", "swap:5") == (), "it depends on other records"
    assert project.preview_treatment("pay", "pseudonym") == (), "without a key there is no token"


@pytest.mark.slow
def test_pseudonyms_and_shifts_are_made_by_a_key_file_that_no_configuration_names(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.path.parent)
    project.set_person(["patient"])
    with pytest.raises(toolbox.InputError, match=r"cannot be read"):
        project.set_key_file("people.key")
    project.set_key_file("people.key", is_new=True)
    refusals = {choice.name: choice.refusal for choice in project.list_treatments("patient")}
    assert (refusals["pseudonym"], project.copy().key_file) == ("", Path("people.key"))
    project.set_treatment("patient", "pseudonym")
    project.set_treatment("since", "shift:30")
    project.save()
    assert "people.key" not in project.path.read_text(encoding="utf-8")
    assert project.as_command() == "toolbox -config project.xml --key people.key"
    program = project.as_python().replace("print(result.summary)", "tokens = set(result.release['patient'])")
    made: dict[str, set[str]] = {}
    exec(program, made)
    assert len(made["tokens"]) == 6 and all(len(token) == 32 for token in made["tokens"])
    project.set_key_file(None)
    assert project.as_command() == "toolbox -config project.xml"
