"""Classes count persons: a judge in plain Python looks at releases of random tables, of every method and model."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.running import run_in_process

import toolbox
from toolbox import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    KAnonymity,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveLDiversity,
    TCloseness,
)
from toolbox.errors import ConfigurationError, UnsatisfiableError, UsageError

AGES = {
    20: ["young", "*"],
    25: ["young", "*"],
    40: ["mid", "*"],
    45: ["mid", "*"],
    70: ["old", "*"],
}
TOWNS = {"Graz": ["south", "*"], "Linz": ["north", "*"], "Wels": ["north", "*"], "Leoben": ["south", "*"]}
ILLNESSES = ("flu", "cold", "gout", "HIV")
QUASI_IDENTIFIERS = ["age", "town"]
FULL_DOMAIN = ("Datafly", "Flash", "OLA", "MinGen", "Incognito")
METHODS = (*FULL_DOMAIN, "Mondrian", "LocalRecoding", "PrioPrivacy", "Singletons")
OF_ANY_MODEL = ("Flash", "OLA", "MinGen", "Incognito", "Mondrian", "LocalRecoding")
ATTRIBUTE = "illness"
MODELS: tuple[tuple[PrivacyModel, ...], ...] = (
    (DistinctLDiversity(l=2, attribute=ATTRIBUTE),),
    (KAnonymity(k=3), EntropyLDiversity(l=1.7, attribute=ATTRIBUTE)),
    (RecursiveLDiversity(c=2, l=2, attribute=ATTRIBUTE),),
    (AlphaKAnonymity(alpha=0.7, k=2, attribute=ATTRIBUTE),),
    (PSensitiveKAnonymity(p=2, k=3, attribute=ATTRIBUTE),),
    (TCloseness(t=0.45, attribute=ATTRIBUTE, distance="equal"),),
    (BasicBetaLikeness(beta=2, attribute=ATTRIBUTE), KAnonymity(k=2)),
    (EnhancedBetaLikeness(beta=3, attribute=ATTRIBUTE),),
    (DeltaDisclosure(delta=2.0, attribute=ATTRIBUTE),),
)


class Visit(NamedTuple):
    """One row of a table."""

    person: str | None
    age: int
    town: str
    illness: str


def draw_visits(draw: Random, *, varies: bool, lacks: bool = False) -> list[Visit]:
    """Draw a table: persons with 1 to 6 rows, whose quasi-identifiers are the same in all of them, or not."""
    rows: list[Visit] = []
    for number in range(draw.randint(4, 14)):
        age, town = draw.choice(list(AGES)), draw.choice(list(TOWNS))
        for _ in range(draw.choice((1, 1, 2, 3, 6))):
            if varies and draw.random() < 0.6:
                age, town = draw.choice(list(AGES)), draw.choice(list(TOWNS))
            name = None if lacks and draw.random() < 0.2 else f"P{number}"
            rows.append(Visit(name, age, town, draw.choice(ILLNESSES)))
    draw.shuffle(rows)
    return rows


def release(rows: Sequence[Visit], method: str, **said: Any) -> toolbox.Result:
    """Anonymise a table by person."""
    table = pd.DataFrame(rows)
    declared: dict[str, Any] = {"quasi_identifiers": QUASI_IDENTIFIERS, "sensitive": [ATTRIBUTE], "person": "person"}
    hierarchies = {"age": AGES, "town": TOWNS}
    return toolbox.anonymize(table, **declared, hierarchies=hierarchies, method=method, order="input", **said)


# The judge: what a class must satisfy, by the definitions, from the persons and the pairs of person and value.


class Counted(NamedTuple):
    """A class by its persons."""

    persons: int
    counts: list[int]
    """The persons who have each value that occurs, most first."""
    shares: list[tuple[float, float]]
    """Of each value of the table: its share of the pairs of person and value in the class, and in the table."""

    @property
    def diverse(self) -> int:
        return min(len(self.counts), self.persons)

    @property
    def entropy(self) -> float:
        pairs = sum(self.counts)
        return -math.fsum(count / pairs * math.log(count / pairs) for count in self.counts)

    @property
    def gains(self) -> list[tuple[float, float]]:
        return [(own / whole - 1, whole) for own, whole in self.shares if own > whole]


def count_by_person(members: Sequence[Visit], everybody: Sequence[Visit]) -> Counted:
    """Count the different persons, and the different pairs of person and value, of a class and of the table."""
    here = Counter(value for _, value in {(row.person, row.illness) for row in members})
    overall = Counter(value for _, value in {(row.person, row.illness) for row in everybody})
    shares = [(here[value] / here.total(), count / overall.total()) for value, count in overall.items()]
    return Counted(len({row.person for row in members}), sorted(here.values(), reverse=True), shares)


JUDGES: dict[type[PrivacyModel], Callable[[Any, Counted], bool]] = {
    KAnonymity: lambda model, seen: seen.persons >= model.k,
    DistinctLDiversity: lambda model, seen: seen.diverse >= model.l,
    EntropyLDiversity: lambda model, seen: seen.persons >= model.l and seen.entropy >= math.log(model.l) - 1e-9,
    RecursiveLDiversity: lambda model, seen: (
        seen.diverse >= model.l and seen.counts[0] < model.c * sum(seen.counts[int(model.l) - 1 :])
    ),
    AlphaKAnonymity: lambda model, seen: seen.persons >= model.k and seen.counts[0] / seen.persons <= model.alpha,
    PSensitiveKAnonymity: lambda model, seen: seen.persons >= model.k and seen.diverse >= model.p,
    TCloseness: lambda model, seen: math.fsum(abs(own - whole) for own, whole in seen.shares) / 2 <= model.t + 1e-9,
    DeltaDisclosure: lambda model, seen: all(
        own > 0 and abs(math.log(own / whole)) < model.delta for own, whole in seen.shares
    ),
    BasicBetaLikeness: lambda model, seen: all(gain <= model.beta + 1e-9 for gain, _ in seen.gains),
    EnhancedBetaLikeness: lambda model, seen: all(
        gain <= min(model.beta, -math.log(whole)) + 1e-9 for gain, whole in seen.gains
    ),
}


def holds(model: PrivacyModel, members: Sequence[Visit], everybody: Sequence[Visit]) -> bool:
    """Judge one class."""
    return JUDGES[type(model)](model, count_by_person(members, everybody))


def list_classes(rows: Sequence[Visit], shown: pd.DataFrame) -> dict[tuple[str, ...], list[Visit]]:
    """Put the rows together that show the same."""
    classes: dict[tuple[str, ...], list[Visit]] = defaultdict(list)
    for row, cells in zip(rows, shown[QUASI_IDENTIFIERS].astype(str).itertuples(index=False), strict=True):
        classes[tuple(cells)].append(row)
    return classes


def require_held(rows: Sequence[Visit], made: toolbox.Result, models: Sequence[PrivacyModel]) -> None:
    """Require that every class satisfies every model, but for what is suppressed as the summary says."""
    classes = list_classes(rows, made.release)
    hidden = classes.pop(("*", "*"), []) if made.summary.proof.records_suppressed else []
    assert len(hidden) >= made.summary.proof.records_suppressed
    for members in classes.values():
        assert all(holds(model, members, rows) for model in models), members
    if classes and not hidden:
        assert made.summary.proof.smallest_class == min(len({row.person for row in each}) for each in classes.values())
    persons = made.summary.proof.persons
    assert persons is not None and persons.count == len({row.person for row in rows})
    assert persons.lacking == sum(row.person is None for row in rows)


def list_full_domain(rows: Sequence[Visit]) -> Iterator[list[list[Visit]]]:
    """Yield the classes of every node of the lattice."""
    for levels in product(range(3), range(3)):
        classes: dict[tuple[Any, Any], list[Visit]] = defaultdict(list)
        for row in rows:
            age, town = [row.age, *AGES[row.age]][levels[0]], [row.town, *TOWNS[row.town]][levels[1]]
            classes[age, town].append(row)
        yield list(classes.values())


def is_possible(rows: Sequence[Visit], models: Sequence[PrivacyModel]) -> bool:
    """Tell whether any generalisation of whole columns satisfies the models, without suppression."""
    return any(
        all(holds(model, members, rows) for members in classes for model in models)
        for classes in list_full_domain(rows)
    )


@pytest.mark.slow
@pytest.mark.sampled(8)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("varies", [False, True])
def test_every_class_has_k_persons(method: str, varies: bool) -> None:
    draw = Random(f"{method} {varies}")
    for _ in range(times(1, slow=60)):
        rows, k = draw_visits(draw, varies=varies), draw.randint(2, 4)
        made = release(rows, method, k=k, suppression_threshold=0)
        require_held(rows, made, [KAnonymity(k=k)])


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("method", [*FULL_DOMAIN, "Singletons"])
@pytest.mark.parametrize("varies", [False, True])
def test_no_more_is_suppressed_than_is_allowed(method: str, varies: bool) -> None:
    draw = Random(f"{method} {varies} suppressed")
    settings = {"finish": "suppress"} if method == "Singletons" else {}
    for _ in range(times(1, slow=40)):
        rows, k, most = draw_visits(draw, varies=varies), draw.randint(2, 4), draw.randint(1, 5)
        try:
            made = release(rows, method, k=k, suppression_threshold=most, **settings)
        except UnsatisfiableError:
            assert method == "Singletons"
            continue
        require_held(rows, made, [KAnonymity(k=k)])
        proof = made.summary.proof
        assert proof.persons is not None
        by_person = proof.persons.suppressed_by == "person"
        assert (proof.persons.suppressed if by_person else proof.records_suppressed) <= most


@pytest.mark.slow
@pytest.mark.sampled(8)
@pytest.mark.parametrize("method", OF_ANY_MODEL)
@pytest.mark.parametrize("models", MODELS, ids=str)
@pytest.mark.parametrize("varies", [False, True])
def test_every_model_counts_persons(method: str, models: tuple[PrivacyModel, ...], varies: bool) -> None:
    draw = Random(f"{method} {models} {varies}")
    for _ in range(times(1, slow=12)):
        rows = draw_visits(draw, varies=varies)
        try:
            made = release(rows, method, models=models, suppression_threshold=0)
        except UnsatisfiableError:
            # Mondrian and LocalRecoding begin with all records together, and do not look at every node.
            begins = method in ("Mondrian", "LocalRecoding")
            assert not is_possible(rows, models) or (
                begins and not all(holds(model, rows, rows) for model in models)
            ), rows
            continue
        require_held(rows, made, models)


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", METHODS)
def test_all_records_without_a_person_count_as_one(method: str) -> None:
    draw = Random(f"{method} lacking")
    for _ in range(times(1, slow=30)):
        rows = draw_visits(draw, varies=draw.random() < 0.5, lacks=True)
        require_held(rows, release(rows, method, k=2, suppression_threshold=0), [KAnonymity(k=2)])


@pytest.mark.slow
def test_several_columns_form_a_person() -> None:
    draw = Random("household")
    for _ in range(times(1, slow=30)):
        rows = draw_visits(draw, varies=True)
        table = pd.DataFrame(rows)
        # A household and a number within it: neither alone is a person.
        table["household"], table["member"] = table["person"].str[:-1], table["person"].str[-1]
        made = toolbox.anonymize(
            table.drop(columns="person"),
            quasi_identifiers=QUASI_IDENTIFIERS,
            person=["household", "member"],
            method="Mondrian",
            k=3,
            order="input",
        )
        assert list(made.release.columns) == ["age", "town", "illness"]
        require_held(rows, made, [KAnonymity(k=3)])


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", METHODS)
def test_one_record_each_gives_the_release_that_it_gives_without(method: str) -> None:
    draw = Random(method)
    rows = [
        Visit(f"P{number}", draw.choice(list(AGES)), draw.choice(list(TOWNS)), draw.choice(ILLNESSES))
        for number in range(60)
    ]
    table = pd.DataFrame(rows)
    declared: dict[str, Any] = {
        "quasi_identifiers": QUASI_IDENTIFIERS,
        "sensitive": [ATTRIBUTE],
        "hierarchies": {"age": AGES, "town": TOWNS},
        "method": method,
        "k": 4,
        "seed": 7,
    }
    by_person = toolbox.anonymize(table, person="person", **declared)
    by_record = toolbox.anonymize(table, identifiers=["person"], **declared)
    assert by_person.release.equals(by_record.release)


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("models", MODELS, ids=str)
def test_check_counts_what_the_proof_has_counted(models: tuple[PrivacyModel, ...]) -> None:
    draw = Random(f"{models} checked")
    for _ in range(times(1, slow=20)):
        rows = draw_visits(draw, varies=True, lacks=True)
        try:
            made = release(rows, "Flash", models=models, suppression_threshold=0)
        except UnsatisfiableError:
            continue
        table = made.release.assign(person=[row.person for row in rows])
        declared: dict[str, Any] = {"quasi_identifiers": QUASI_IDENTIFIERS, "sensitive": [ATTRIBUTE]}
        told = toolbox.check(table, **declared, person="person", models=models)
        classes = [members for shown, members in list_classes(rows, made.release).items() if shown != ("*", "*")]
        if len(classes) == len(list_classes(rows, made.release)):
            proved = [(model.name, pytest.approx(model.achieved)) for model in made.summary.proof.models]
            assert [(model.name, model.achieved) for model in told.judged] == proved
            assert told.smallest_class == made.summary.proof.smallest_class
            assert told.holds
        assert told.persons == len({row.person for row in rows})


def test_risk_counts_the_persons_of_each_class() -> None:
    rows = [Visit("P1", 34, "Graz", "HIV")] * 5 + [Visit(f"P{number}", 61, "Linz", "flu") for number in range(2, 8)]
    declared: dict[str, Any] = {"quasi_identifiers": QUASI_IDENTIFIERS, "k": 5}
    by_record = toolbox.risk(pd.DataFrame(rows), **declared)
    by_person = toolbox.risk(pd.DataFrame(rows), **declared, person="person")
    assert by_record.risk.prosecutor is not None
    assert by_record.risk.prosecutor.highest == 1 / 5
    assert by_person.risk.prosecutor is not None
    assert by_person.risk.prosecutor.highest == 1
    assert by_person.risk.uniqueness.records == 1
    assert any("Persons are counted (by person)" in note for note in by_person.notes)


def test_check_says_which_column_is_not_there() -> None:
    table = pd.DataFrame([Visit("P1", 34, "Graz", "HIV")])
    with pytest.raises(UsageError, match="patient"):
        toolbox.check(table, quasi_identifiers=QUASI_IDENTIFIERS, person="patient")


@pytest.mark.slow
@pytest.mark.parametrize("varies", [False, True])
def test_a_session_counts_what_a_run_counts(varies: bool) -> None:
    draw = Random(f"session {varies}")
    for _ in range(times(1, slow=20)):
        rows = draw_visits(draw, varies=varies, lacks=varies)
        declared: dict[str, Any] = {"quasi_identifiers": QUASI_IDENTIFIERS, "sensitive": [ATTRIBUTE]}
        declared |= {"person": "person", "hierarchies": {"age": AGES, "town": TOWNS}}
        with toolbox.open(pd.DataFrame(rows), **declared) as session:
            for models in ((KAnonymity(k=2),), (DistinctLDiversity(l=2, attribute=ATTRIBUTE), KAnonymity(k=2))):
                if not is_possible(rows, models):
                    continue
                variant = session.run(method="OLA", models=models, suppression_threshold=0)
                made = toolbox.anonymize(order="input", **variant.arguments)
                assert made.summary.proof == variant.summary.proof
                require_held(rows, made, models)


CONFIGURATION = """<config method='Mondrian' k='5'>
  <input filename='visits.csv' header='true'/>
  <output filename='release.csv'/>
  <person><att name='patient'/></person>
  {more}
  <qid><att name='age'/><att name='sex' type='category'/></qid>
  <sens><att name='illness'/></sens>
</config>"""
VISITS = "patient,age,sex,illness\n" + 5 * "P1,34,f,HIV\n" + "P2,61,m,flu\nP3,62,m,cold\nP4,63,m,flu\nP5,64,m,gout\n"


@pytest.mark.slow
@pytest.mark.parametrize("more", ["", "<id><att name='patient'/></id>"])
def test_a_configuration_says_who_the_records_are_about(more: str, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(VISITS + "P6,65,m,cold\n")
    (tmp_path / "visits.xml").write_text(CONFIGURATION.format(more=more))
    toolbox.anonymize(tmp_path / "visits.xml")
    header, *lines = (tmp_path / "release.csv").read_text().splitlines()
    assert header == "age,sex,illness"
    # Five men are not enough to hide the woman, or she them: one class of six persons.
    assert {line.rpartition(",")[0] for line in lines} == {'[34:65],"{f,m}"'}


@pytest.mark.slow
def test_fewer_persons_than_k_are_told_as_persons(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(VISITS.replace("P5", "P4"))
    (tmp_path / "visits.xml").write_text(CONFIGURATION.format(more=""))
    with pytest.raises(UnsatisfiableError, match=r"has 4 persons \(by patient\), and a class needs at least 5"):
        toolbox.anonymize(tmp_path / "visits.xml")


def test_a_person_is_no_quasi_identifier(tmp_path: Path) -> None:
    (tmp_path / "visits.xml").write_text(CONFIGURATION.format(more="").replace("name='age'", "name='patient'"))
    with pytest.raises(
        ConfigurationError, match=r"'patient' is declared twice: in line 4 \(person\) and line 6 \(qid\)"
    ):
        toolbox.load_config(tmp_path / "visits.xml")


@pytest.mark.slow
def test_what_is_saved_does_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS + "P6,65,m,cold\n")
    words = "anonymize visits.csv --person patient --qi age,sex --sensitive illness -k 5 --seed 1 --quiet"
    run_in_process(*words.split(), "-output", "made.csv", "--save-config", "saved.xml").succeeded()
    made = Path("made.csv").read_bytes()
    assert "<person>" in Path("saved.xml").read_text()
    run_in_process("-config", "saved.xml", "--quiet").succeeded()
    assert Path("made.csv").read_bytes() == made


@pytest.mark.slow
def test_a_judge_says_that_a_release_does_not_tell_whose_its_records_are(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(VISITS + "P6,65,m,cold\n")
    (tmp_path / "visits.xml").write_text(CONFIGURATION.format(more=""))
    config = toolbox.load_config(tmp_path / "visits.xml")
    toolbox.anonymize(config)
    told = "The release has no patient, which tells persons apart, so that its classes count records here."
    assert any(told in each for each in toolbox.check(tmp_path / "release.csv", config=config).not_proved)
    assert any(told in each for each in toolbox.risk(tmp_path / "release.csv", config=config).notes)


@pytest.mark.slow
def test_the_page_of_a_run_says_what_the_proof_has_counted(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(VISITS + "P6,65,m,cold\n")
    words = "anonymize visits.csv --person patient --qi age,sex --sensitive illness -k 5 -output r.csv --html r.html"
    run_in_process(*words.split(), "--quiet", cwd=tmp_path).succeeded()
    page = (tmp_path / "r.html").read_text()
    assert "The proof has counted persons, by patient: 6 persons in the smallest class." in page


def test_anatomy_is_refused_with_the_methods_that_can() -> None:
    rows = draw_visits(Random(1), varies=False)
    with pytest.raises(UsageError, match=r"Anatomy counts records, not persons\. Those that count persons: Flash"):
        release(rows, "Anatomy", l=2)


def test_rows_that_are_people_and_a_person_contradict_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("v.csv").write_text("patient,age\n" + "".join(f"P{number // 2},{20 + number}\n" for number in range(8)))
    words = ("anonymize", "v.csv", "--person", "patient", "--qi", "age", "-k", "2", "-output", "r.csv")
    run = run_in_process(*words, "--rows-are-people")
    assert (run.status, Path("r.csv").exists()) == (2, False)
    assert "--rows-are-people says that each record is a person, and a person is declared. Leave one of" in run.stderr
    with pytest.raises(UsageError, match="person= names one"):
        toolbox.anonymize(pd.read_csv("v.csv"), person="patient", quasi_identifiers=["age"], k=2, rows_are_people=True)


@pytest.mark.slow
def test_a_comparison_counts_persons_as_a_run_does(tmp_path: Path) -> None:
    random = Random(5)
    rows = [
        {"patient": f"P{person}", "age": random.randint(20, 70), "town": random.choice(list(TOWNS)), ATTRIBUTE: "flu"}
        for person in range(60)
        for _ in range(random.randint(1, 5))
    ]
    visits = pd.DataFrame(rows)
    asked = {"person": "patient", "quasi_identifiers": QUASI_IDENTIFIERS, "sensitive": [ATTRIBUTE]}
    report = toolbox.compare(visits, methods=["Mondrian"], k=[3, 8], seed=1, **asked)
    for run in report.runs:
        k = run.variant.summary.k
        proof = toolbox.anonymize(visits, k=k, seed=1, **asked).summary.proof
        assert (run.variant.summary.proof.classes, run.variant.summary.proof.smallest_class) == (
            proof.classes,
            proof.smallest_class,
        )
        persons = run.variant.summary.proof.persons
        assert persons is not None
        assert persons.count == 60
    visits.to_csv(tmp_path / "v.csv", index=False)
    words = ("--person", "patient", "--qi", "age,town", "--sensitive", ATTRIBUTE, "--methods", "Mondrian", "-k", "3,8")
    document = run_in_process("compare", tmp_path / "v.csv", *words, "--json").succeeded().document
    assert [run["smallest_class"] for run in document["runs"]] == [
        run.variant.summary.proof.smallest_class for run in report.runs
    ]


def test_the_toolbox_of_2010_knew_no_persons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("v.csv").write_text("patient,age\n" + "".join(f"P{number // 2},{20 + number}\n" for number in range(8)))
    words = ("--person", "patient", "--qi", "age", "-k", "2", "--compatibility", "utd", "-output", "r.csv")
    run = run_in_process("anonymize", "v.csv", *words)
    assert (run.status, Path("r.csv").exists()) == (2, False)
    assert (
        "patient tells persons apart, which the toolbox of 2010 did not know. Leave one of the two out." in run.stderr
    )


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", FULL_DOMAIN)
def test_a_hierarchy_of_the_values_is_that_of_the_records_where_persons_are_folded(method: str) -> None:
    # By records Graz is as frequent as Linz and Wels; by persons it is not, so that it would be put together otherwise.
    towns = ["Graz", "Graz", "Linz", "Linz", "Wels", "Wels"]
    visits = pd.DataFrame({"person": ["P1", "P1", "P2", "P3", "P4", "P5"], "town": towns})
    declared = {"quasi_identifiers": ["town"], "person": "person", "hierarchies": {"town": "auto"}}
    made = toolbox.anonymize(visits, **declared, method=method, k=2, suppression_threshold=0, order="input")
    # Graz is one person, and must be shown together with others.
    assert made.release["town"][0] not in towns
    assert made.summary.proof.smallest_class is not None and made.summary.proof.smallest_class >= 2
