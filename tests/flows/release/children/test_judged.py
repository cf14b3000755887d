"""Child tables of which somebody may know columns: what all rows of a person show together, in all tables, is judged."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import combinations, product
from pathlib import Path

import pandas as pd
import pytest
from helpers.amounts import times

import toolbox
from toolbox.cli.main import main
from toolbox.treatments.pseudonym import make_key_file


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """Make a folder with a key, and work there."""
    monkeypatch.chdir(tmp_path)
    make_key_file(Path("my.key"))
    return tmp_path


def read(path: str) -> list[dict[str, str]]:
    """Read a table."""
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


_KNOWN = (
    "--hierarchy",
    "age=prefix:1",
    "--kind",
    "age=category",
    "--hierarchy",
    "sex=auto",
    "--hierarchy",
    "visits.ward=prefix:1",
)


def draw_known(rng: random.Random) -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    """Draw persons with age and sex, and visits with wards."""
    names = [f"P{number}" for number in range(rng.randint(5, 14))]
    persons = [(name, f"{rng.choice('12')}{rng.choice('0123')}", rng.choice("mf")) for name in names]
    return persons, [(rng.choice(names), rng.choice(["A1", "A2", "B1"])) for _ in range(rng.randint(1, 16))]


def list_shown(
    persons: Iterable[tuple[str, str, str]], visits: Iterable[tuple[str, str]]
) -> dict[str, list[tuple[Hashable, ...]]]:
    """List what is shown of each person, a row of any table after the other."""
    shown = defaultdict[str, list[tuple[Hashable, ...]]](list)
    for name, age, sex in persons:
        shown[name].append(("person", age, sex))
    for name, ward in visits:
        shown[name].append(("visit", ward))
    return shown


def count_alike(shown: dict[str, list[tuple[Hashable, ...]]]) -> dict[str, int]:
    """Count for each person who has the same rows."""
    profiles = {name: tuple(sorted(map(str, rows))) for name, rows in shown.items()}
    sizes = Counter(profiles.values())
    return {name: sizes[profile] for name, profile in profiles.items()}


def list_nodes(
    persons: list[tuple[str, str, str]], visits: list[tuple[str, str]]
) -> Iterator[dict[str, list[tuple[Hashable, ...]]]]:
    """Show the persons at each choice of levels: of age, sex and ward."""

    def widen(text: str, level: int, height: int) -> str:
        return "*" if level == height else text[: len(text) - level]

    for age, sex, ward in product(range(3), range(2), range(3)):
        yield list_shown(
            [(name, widen(old, age, 2), widen(what, sex, 1)) for name, old, what in persons],
            [(name, widen(where, ward, 2)) for name, where in visits],
        )


def write_known(persons: list[tuple[str, str, str]], visits: list[tuple[str, str]]) -> None:
    """Write both tables."""
    Path("persons.csv").write_text("patient,age,sex\n" + "".join(f"{','.join(row)}\n" for row in persons))
    Path("visits.csv").write_text("patient,ward\n" + "".join(f"{','.join(row)}\n" for row in visits))


def run_known(*options: str) -> int:
    """Release both tables with the pseudonyms of the persons."""
    for path in ("release.csv", "release_visits.csv"):
        Path(path).unlink(missing_ok=True)
    keyed = ("--treat", "patient=pseudonym", "--key", "my.key", "--suppressed", "drop", "--report", "report.json")
    declared = ("--person", "patient", "--qi", "age,sex,visits.ward", "--table", "visits=visits.csv")
    return main(["anonymize", "persons.csv", "-output", "release.csv", *declared, *_KNOWN, *keyed, *options])


def read_known() -> tuple[dict[str, list[tuple[Hashable, ...]]], int]:
    """Read what is shown of each pseudonym, and how many persons were suppressed."""
    persons = [(row["patient"], row["age"], row["sex"]) for row in read("release.csv")]
    visits = [(row["patient"], row["ward"]) for row in read("release_visits.csv")]
    assert {name for name, _ in visits} <= {name for name, *_ in persons}
    return list_shown(persons, visits), json.loads(Path("report.json").read_text())["persons"]["suppressed"]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Flash", "Datafly", "OLA", "MinGen"])
def test_at_least_k_persons_are_alike_in_all_tables_together(desk, capsys, method) -> None:
    for seed in range(times(1, slow=100)):
        rng = random.Random(f"{method} {seed}")
        persons, visits = draw_known(rng)
        write_known(persons, visits)
        k, allowed = rng.randint(2, 3), rng.randint(0, 4)
        status = run_known("-k", str(k), "--method", method, "-suppThreshold", str(allowed))
        fewest = min(sum(size < k for size in count_alike(shown).values()) for shown in list_nodes(persons, visits))
        if fewest > allowed:
            assert status != 0 and not Path("release.csv").exists(), (method, seed)
            continue
        assert status == 0, (method, seed, capsys.readouterr().err)
        shown, suppressed = read_known()
        assert suppressed <= allowed and len(shown) == len(persons) - suppressed, (method, seed)
        assert all(size >= k for size in count_alike(shown).values()), (method, seed)
        whole = sum(len(rows) - 1 for rows in shown.values())
        assert whole == len(read("release_visits.csv")), (method, seed)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Flash", "OLA"])
def test_any_m_known_rows_are_shared_by_k_persons(desk, capsys, method) -> None:
    for seed in range(times(1, slow=60)):
        rng = random.Random(f"k^m {method} {seed}")
        persons, visits = draw_known(rng)
        write_known(persons, visits)
        k, m = rng.randint(2, 3), rng.randint(1, 3)
        status = run_known("--method", method, "--model", f"k^m-anonymity:k={k}:m={m}")

        def count_fewest(shown: dict[str, list[tuple[Hashable, ...]]], m: int = m) -> int:
            known = Counter(
                each
                for rows in shown.values()
                for size in range(1, m + 1)
                for each in combinations(sorted(set(map(str, rows))), size)
            )
            return min(known.values())

        if all(count_fewest(shown) < k for shown in list_nodes(persons, visits)):
            assert status != 0, (method, seed)
            continue
        assert status == 0, (method, seed, capsys.readouterr().err)
        assert count_fewest(read_known()[0]) >= k, (method, seed)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Flash", "OLA", "MinGen"])
def test_the_search_loses_least_of_the_cells_that_each_table_has(desk, method) -> None:
    for seed in range(times(1, slow=40)):
        rng = random.Random(f"least {method} {seed}")
        persons, visits = draw_known(rng)
        write_known(persons, visits)
        options = ("-k", "2", "--method", method, "-suppThreshold", "4")
        columns = [[row[1] for row in persons], [row[2] for row in persons], [row[1] for row in visits]]

        def share(column: int, text: str, columns: list[list[str]] = columns) -> float:
            """Return which share of the other values of a column a cell may be."""
            known = set(columns[column])
            fits = sum(value.startswith(text.rstrip("*")) for value in known)
            return (fits - 1) / (len(known) - 1) if len(known) > 1 else 0.0

        def lose(shown: dict[str, list[tuple[Hashable, ...]]]) -> tuple[int, float]:
            """Return who is suppressed, and what is lost: whoever is suppressed loses each cell of all rows."""
            sizes, lost = count_alike(shown), 0.0
            for name, rows in shown.items():
                for kind, *cells in rows:
                    for place, text in enumerate(map(str, cells), start=0 if kind == "person" else 2):
                        lost += share(place, "*" if sizes[name] < 2 else text)
            return sum(size < 2 for size in sizes.values()), lost

        losses = [lose(shown) for shown in list_nodes(persons, visits)]
        if all(suppressed > 4 for suppressed, _ in losses):
            continue
        least = min(lost for suppressed, lost in losses if suppressed <= 4)
        assert run_known(*options) == 0
        told = json.loads(Path("report.json").read_text())["searched"]["value"]
        assert told == pytest.approx(least / 3 / (len(persons) + len(visits))), (method, seed)


# What cannot be judged together is refused, with what to do instead.


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ("--method", "Mondrian"),
            "Mondrian judges each row by itself. Those that judge the rows of a person together:",
        ),
        (("--save-recoding", "saved.json"), "A recoding is of one table, and visits.ward is generalised together"),
        (("--attacker", "rows"), "--suppress-by person counts these, too; --suppThreshold 0 suppresses nobody."),
        (("--model", "k-anonymity:k=2:any=2"), "is counted in one table, and visits.ward is judged together with"),
    ],
)
def test_what_cannot_be_judged_together_is_told(desk, capsys, options, expected) -> None:
    write_known(*draw_known(random.Random(1)))
    declared = () if "--model" in options else ("-k", "2")
    method = () if "--method" in options else ("--method", "Flash")
    assert run_known(*declared, *method, *options) == 2
    assert expected in " ".join(capsys.readouterr().err.split())
    assert not Path("release.csv").exists()


@pytest.mark.slow
def test_rows_that_nobody_can_join_are_judged_one_by_one_where_asked(desk) -> None:
    for seed in range(times(1, slow=40)):
        persons, visits = draw_known(random.Random(f"rows {seed}"))
        write_known(persons, visits)
        options = ("-k", "2", "--method", "Flash", "--attacker", "rows", "-suppThreshold", "0")
        if run_known(*options) != 0:
            continue
        shown, suppressed = read_known()
        holders = Counter(each for rows in shown.values() for each in set(rows))
        assert min(holders.values()) >= 2 and not suppressed, seed


@pytest.mark.slow
def leave(shown: dict[str, list[tuple[Hashable, ...]]], k: int) -> dict[str, list[tuple[Hashable, ...]]]:
    """Leave out whoever has a row that too few of those have who are left, until nobody has one."""
    while True:
        sharing = Counter(row for rows in shown.values() for row in set(rows))
        left = {name: rows for name, rows in shown.items() if all(sharing[row] >= k for row in rows)}
        if len(left) == len(shown):
            return left
        shown = left


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Flash", "Datafly", "OLA"])
def test_whoever_is_suppressed_takes_the_rows_of_all_tables_along(desk, capsys, method) -> None:
    for seed in range(times(2, slow=60)):
        rng = random.Random(f"by person {method} {seed}")
        persons, visits = draw_known(rng)
        write_known(persons, visits)
        k, allowed = rng.randint(2, 3), rng.randint(0, 4)
        asked = ("--attacker", "rows", "--suppress-by", "person", "-suppThreshold", str(allowed))
        status = run_known("-k", str(k), "--method", method, *asked)
        fewest = min(len(shown) - len(leave(shown, k)) for shown in list_nodes(persons, visits))
        if fewest > allowed:
            assert status != 0 and not Path("release.csv").exists(), (method, seed)
            continue
        assert status == 0, (method, seed, capsys.readouterr().err)
        shown, suppressed = read_known()
        assert suppressed <= allowed and len(shown) == len(persons) - suppressed, (method, seed)
        assert leave(shown, k) == shown, (method, seed)


@pytest.mark.slow
def test_two_child_tables_are_judged_together(desk) -> None:
    write_known([(f"P{number}", "11", "m") for number in range(4)], [("P0", "A1"), ("P1", "A1")])
    Path("drugs.csv").write_text("patient,drug\nP0,x\nP1,x\nP2,x\nP3,x\nP3,x\n")
    drugs = ("--table", "drugs=drugs.csv", "--qi", "drugs.drug", "--hierarchy", "drugs.drug=auto")
    # P2 and P3 have no visit; P3 has a drug twice, so that no two persons of these are alike.
    assert run_known("-k", "2", "--method", "Datafly", "-suppThreshold", "1", *drugs) != 0
    assert run_known("-k", "2", "--method", "Datafly", "-suppThreshold", "2", *drugs) == 0
    assert (len(read("release.csv")), len(read("release_visits.csv")), len(read("release_drugs.csv"))) == (2, 2, 2)


@pytest.mark.slow
def test_rows_that_lack_a_value_or_whose_person_is_left_out_are_counted(desk) -> None:
    persons = [(f"P{number}", "" if number == 4 else "11", "m") for number in range(5)]
    write_known(persons, [("P0", "A1"), ("P1", "A1"), ("P2", ""), ("P4", "B1"), ("P9", "A1")])
    options = ("--on-missing", "skip", "--table", "visits=visits.csv:orphans=drop")
    declared = ("--person", "patient", "--qi", "age,sex,visits.ward", "-output", "release.csv", *_KNOWN, "-k", "2")
    run = ("anonymize", "persons.csv", *declared, "--method", "Datafly", "--report", "report.json", *options)
    assert main([*run]) == 0
    (told,) = json.loads(Path("report.json").read_text())["child_tables"]
    assert told["records_read"] == 5 and told["orphans"] == 1 and told["records_lacking_values"] == 1
    assert told["records_of_persons_left_out"] == 1 and told["records_released"] == 2


@pytest.mark.slow
def test_a_call_of_python_says_what_somebody_may_know_of_a_child_table(tmp_path) -> None:
    people = pd.DataFrame({"patient": ["P0", "P1", "P2", "P3", "P4"], "age": [11, 12, 11, 12, 21]})
    visits = pd.DataFrame({"patient": ["P0", "P1", "P2", "P3", "P4"], "ward": ["A1", "A2", "A1", "A2", "B1"]})
    visits.to_csv(tmp_path / "visits.csv", index=False)
    hierarchies = {"age": toolbox.hierarchies.intervals(10)}
    asked = {"person": "patient", "quasi_identifiers": ["age"], "k": 2, "hierarchies": hierarchies}
    more = {"method": "Datafly", "suppression_threshold": 1, "suppressed": "drop"}
    known = {"quasi_identifiers": ["ward"], "hierarchies": {"ward": toolbox.hierarchies.prefix(1)}}
    for source in (visits, tmp_path / "visits.csv"):
        made = toolbox.anonymize(people, **asked, **more, tables={"visits": {"source": source, **known}})
        # P4 is alone with 21 and B1.
        assert sorted(made.release["age"]) == ["11", "11", "12", "12"]
        assert len(made.child_tables["visits"]) == 4
        assert made.summary.document()["child_tables"][0]["records_released"] == 4
    with pytest.raises(toolbox.UsageError, match=r"needs a hierarchy for 'visits.ward'"):
        toolbox.anonymize(people, **asked, **more, tables={"visits": {"source": visits, "quasi_identifiers": ["ward"]}})


@pytest.mark.slow
def test_a_session_says_that_it_reads_the_table_of_persons_alone(desk) -> None:
    write_known([(f"P{number}", "11", "m") for number in range(4)], [(f"P{number}", "A1") for number in range(4)])
    assert run_known("-k", "2", "--method", "Datafly", "--save-config", "c.xml") == 0
    assert toolbox.open("c.xml").run(k=2).summary.not_proved[-1] == (
        "What the rows of the table visits tell of a person (ward): a session reads the table of persons alone. The run "
        "of the configuration counts it."
    )


@pytest.mark.slow
def test_a_session_takes_child_tables_for_the_release_of_a_variant_and_says_what_it_does_not_count() -> None:
    people = pd.DataFrame({"patient": ["P0", "P1", "P2", "P3"], "age": [11, 12, 11, 12]})
    visits = pd.DataFrame({"patient": ["P0", "P1", "P2", "P3"], "ward": ["A1", "A2", "A1", "A2"]})
    known = {"source": visits, "quasi_identifiers": ["ward"], "hierarchies": {"ward": toolbox.hierarchies.prefix(1)}}
    declared = {"quasi_identifiers": ["age"], "hierarchies": {"age": toolbox.hierarchies.intervals(10)}}
    with toolbox.open(people, person="patient", **declared, tables={"visits": known}) as session:
        variant = session.run(k=2, method="Datafly")
    assert variant.summary.not_proved[-1] == (
        "What the rows of the table visits tell of a person (ward): a session reads the table of persons alone. "
        "toolbox.anonymize counts it."
    )
    made = toolbox.anonymize(**variant.arguments)
    assert len(made.child_tables["visits"]) == 4 and made.summary.proof.judges_profiles
    with pytest.raises(toolbox.UsageError, match="person= must name by one column"):
        toolbox.open(people, **declared, tables={"visits": known})
    with pytest.raises(toolbox.UsageError, match="names no table"):
        toolbox.open(people, person="patient", **declared, tables={"visits": {"key": "patient"}})


@pytest.mark.slow
def test_a_comparison_says_that_its_figures_are_of_the_table_of_persons_alone(desk) -> None:
    write_known([(f"P{number}", "11", "m") for number in range(4)], [(f"P{number}", "A1") for number in range(4)])
    assert run_known("-k", "2", "--method", "Datafly", "--save-config", "c.xml") == 0
    told = toolbox.compare("c.xml", methods=["Datafly"]).document()["notes"]
    assert told[0].startswith("All figures are of the table of persons alone, without visits,")


@pytest.mark.slow
def test_messages_call_a_column_after_its_table(desk, capsys) -> None:
    write_known([(f"P{number}", "11", "m") for number in range(4)], [(f"P{number}", "A1") for number in range(4)])
    Path("visits.csv").write_text("patient,ward\nP0,A1\nP1,\nP2,A1\nP3,A1\n")
    assert run_known("-k", "2", "--method", "Datafly", "--on-missing", "fail") != 0
    assert "column visits.ward: missing (line 3)" in capsys.readouterr().err
