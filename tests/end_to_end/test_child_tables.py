"""Child tables: rows of the same persons in other files, released together with the persons or not at all."""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from helpers.amounts import times

import toolbox
from toolbox.cli.main import main
from toolbox.treatments.pseudonym import PseudonymDomain, make_key_file

PERSONS = "patient,age,sex\nP1,34,f\nP2,31,f\nP3,38,f\nP4,61,m\nP5,62,m\nP6,63,m\n"
VISITS = "patient,day,illness\nP1,2024-03-02,flu\nP1,2024-05-17,gout\nP2,2024-03-09,cold\nP6,2024-04-11,cold\n"
DECLARED = ("--person", "patient", "--qi", "age,sex", "-k", "3", "-output", "release.csv")
OF_VISITS = ("--sensitive", "visits.illness", "--treat", "visits.day=truncate:month")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """Make a folder with both tables and a key, and work there."""
    monkeypatch.chdir(tmp_path)
    Path("persons.csv").write_text(PERSONS)
    Path("visits.csv").write_text(VISITS)
    make_key_file(Path("my.key"))
    return tmp_path


def run(*options: str, table: str = "visits=visits.csv") -> int:
    """Run the command line."""
    return main(["anonymize", "persons.csv", *DECLARED, "--table", table, *options])  # of an option the last one counts


def read(path: str) -> list[dict[str, str]]:
    """Read a table."""
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


def refusal(capsys, *options: str, table: str = "visits=visits.csv", status: int = 2) -> str:
    """Return what a run says that writes nothing."""
    before = sorted(Path().iterdir())
    assert run(*options, table=table) == status
    assert sorted(Path().iterdir()) == before
    return " ".join(capsys.readouterr().err.split())


# Two tables of persons and visits.


@pytest.mark.slow
def test_both_have_the_same_pseudonyms_and_nothing_else_of_a_person(desk) -> None:
    assert run(*OF_VISITS, "--treat", "patient=pseudonym", "--key", "my.key", "--report", "report.json") == 0

    persons, visits = read("release.csv"), read("release_visits.csv")
    report = json.loads(Path("report.json").read_text())
    domain = PseudonymDomain.open(Path("my.key"), Path("report.json"))
    token = {f"P{number}": domain.make_token(f"P{number}") for number in range(1, 7)}
    assert {row["patient"] for row in persons} == set(token.values())
    assert Counter(tuple(row.values()) for row in visits) == Counter(
        [
            (token["P1"], "2024-03", "flu"),
            (token["P1"], "2024-05", "gout"),
            (token["P2"], "2024-03", "cold"),
            (token["P6"], "2024-04", "cold"),
        ]
    )
    assert report["child_tables"] == [
        {
            "name": "visits",
            "key": "patient",
            "records_read": 4,
            "records_released": 4,
            "records_of_persons_left_out": 0,
            "orphans": 0,
            "lines_rejected": 0,
            "persons": 3,
            "persons_without_records": 3,
            "release": ["release_visits.csv"],
        }
    ]
    assert report["sha256"]["release"]["release_visits.csv"] == (
        hashlib.sha256(Path("release_visits.csv").read_bytes()).hexdigest()
    )
    assert "not_proved" not in report


@pytest.mark.slow
def test_without_a_pseudonym_the_key_is_in_neither(desk) -> None:
    assert run(*OF_VISITS) == 0

    assert Path("release.csv").read_text().startswith("age,sex\n")
    assert Path("release_visits.csv").read_text().startswith("day,illness\n")


@pytest.mark.slow
def test_the_key_may_be_called_otherwise(desk) -> None:
    Path("visits.csv").write_text(VISITS.replace("patient", "pid"))

    assert run(*OF_VISITS, table="visits=visits.csv:key=pid") == 0
    assert len(read("release_visits.csv")) == 4


@pytest.mark.slow
def test_a_saved_configuration_releases_the_same(desk) -> None:
    assert run(*OF_VISITS, "--order", "sorted", "--save-config", "both.xml") == 0
    first = Path("release.csv").read_bytes(), Path("release_visits.csv").read_bytes()

    assert main(["anonymize", "-config", "both.xml"]) == 0
    assert (Path("release.csv").read_bytes(), Path("release_visits.csv").read_bytes()) == first


@pytest.mark.slow
def test_the_codebook_has_both(desk) -> None:
    assert run(*OF_VISITS, "--codebook", "columns.json") == 0

    resources = json.loads(Path("columns.json").read_text())["resources"]
    assert [(each["name"], each["path"]) for each in resources] == [
        ("release", ["release.csv"]),
        ("visits", ["release_visits.csv"]),
    ]
    assert [field["name"] for field in resources[1]["schema"]["fields"]] == ["day", "illness"]


@pytest.mark.slow
def test_a_table_without_rows_is_released_empty(desk) -> None:
    Path("visits.csv").write_text("patient,day,illness\n")

    assert run(*OF_VISITS, "--treat", "patient=pseudonym", "--key", "my.key") == 0
    assert Path("release_visits.csv").read_text() == "patient,day,illness\n"


# Typed wrongly: nothing is written, and the words say what to write.


def test_a_key_that_is_not_there_is_told(desk, capsys) -> None:
    told = refusal(capsys, *OF_VISITS, table="visits=visits.csv:key=pid")
    assert "visits.csv" in told and "'pid'" in told and "patient, day, illness" in told


@pytest.mark.slow
def test_columns_that_nobody_declared_stop_the_run(desk, capsys) -> None:
    assert "Nobody declared visits.day, visits.illness." in refusal(capsys)


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        (["visits=visits.csv", "visits=other.csv"], "--table names 'visits' twice. Write it once."),
        (["visits=visits.csv", "Visits=other.csv"], "Two tables are called 'Visits'. Give each a name of its own."),
        (["visits=visits.csv", "more=visits.csv"], "The table more is the same file as table visits: 'visits.csv'."),
        (["visits=persons.csv"], "The table visits is the same file as the input: 'persons.csv'."),
        (["../out=visits.csv"], "'../out' is no name of a table: files and columns are called after it."),
        (["visits"], "--table 'visits' has no equals sign after a name."),
    ],
)
def test_tables_that_are_named_wrongly_are_told(desk, capsys, tables, expected) -> None:
    Path("other.csv").write_text(VISITS)
    options = [part for table in tables[1:] for part in ("--table", table)]
    assert expected in refusal(capsys, *options, table=tables[0])


def test_a_child_table_needs_a_person(desk, capsys) -> None:
    options = ["--qi", "age,sex", "-output", "release.csv", "--table", "visits=visits.csv", "--id", "patient"]
    assert main(["anonymize", "persons.csv", *options]) == 2
    assert "no column tells who they are. Declare it: --person patient, say." in " ".join(
        capsys.readouterr().err.split()
    )


def test_a_file_of_its_release_that_is_read_stays(desk, capsys) -> None:
    Path("release_visits.csv").write_text(VISITS)
    told = refusal(capsys, *OF_VISITS, table="visits=release_visits.csv")
    assert "The release of table visits is the same file as the table visits" in told
    assert Path("release_visits.csv").read_text() == VISITS


def test_a_folder_in_the_place_of_its_release_keeps_all_files_back(desk, capsys) -> None:
    Path("release_visits.csv").mkdir()
    assert "a folder" in refusal(capsys, *OF_VISITS)


@pytest.mark.slow
def test_rows_without_a_person_stop_the_run_or_are_left_out_as_asked(desk, capsys) -> None:
    Path("visits.csv").write_text(VISITS + "P9,2024-04-01,flu\n,2024-04-01,flu\n")

    told = refusal(capsys, *OF_VISITS, status=4)
    assert "1 record is of persons whom the main table does not have and 1 record lacks a value of the key" in told
    assert "P9" not in told
    assert run(*OF_VISITS, table="visits=visits.csv:orphans=drop") == 0
    assert len(read("release_visits.csv")) == 4
    assert "2 without a person" in capsys.readouterr().out


@pytest.mark.slow
def test_what_stood_there_stays_if_one_file_cannot_be_placed(desk, capsys, monkeypatch) -> None:
    assert run(*OF_VISITS) == 0
    before = Path("release.csv").read_bytes(), Path("release_visits.csv").read_bytes()
    Path("visits.csv").write_text(VISITS.replace("gout", "cold"))
    Path("report").mkdir()
    capsys.readouterr()

    assert run(*OF_VISITS, "--report", "report") == 2
    assert (Path("release.csv").read_bytes(), Path("release_visits.csv").read_bytes()) == before


# Any tables: the judge counts in plain Python.


def draw_tables(rng: random.Random) -> tuple[str, str, dict[str, list[str]], int]:
    """Draw persons, some of them without an age, and visits, some of them of nobody.

    Returns both texts, the visits of each person, and how many persons lack an age.
    """
    names = [f"P{number}" for number in range(rng.randint(6, 14))]
    lacking = rng.choice([0, 0, 1])
    ages = {name: f"{rng.choice('1234')}{rng.choice('05')}" for name in names} | dict.fromkeys(names[:lacking], "")
    persons = "".join(f"{name},{age},{rng.choice('mf')}\n" for name, age in ages.items())
    whose = [names[0], *rng.choices([*names, "X1", ""], k=rng.randint(0, 25))]
    rows = [(name, f"2024-0{rng.randint(1, 3)}-11,{rng.choice('abc')}") for name in whose]
    visits = {name: [row for whom, row in rows if whom == name] for name in names}
    text = "".join(f"{name},{row}\n" for name, row in rows)
    return f"patient,age,sex\n{persons}", f"patient,day,illness\n{text}", visits, lacking


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Flash", "Datafly", "Mondrian"])
def test_each_row_has_its_person_and_who_is_left_out_has_none(desk, capsys, method) -> None:
    for seed in range(times(3, slow=134)):
        rng = random.Random(f"{method} {seed}")
        persons, visits, known, lacking = draw_tables(rng)
        Path("persons.csv").write_text(persons)
        Path("visits.csv").write_text(visits)
        k, suppressing = rng.randint(2, 4), rng.choice(["keep", "drop"])
        hierarchies = ("--hierarchy", "age=intervals:10,20", "--hierarchy", "sex=auto")
        keyed = ("--treat", "patient=pseudonym", "--key", "my.key", "--on-missing", "skip", "--report", "report.json")
        how = ("--method", method, *(() if method == "Mondrian" else hierarchies), "--suppressed", suppressing)
        of_visits = ("--sensitive", "visits.illness", "--treat", "visits.day=pass", "-suppThreshold", "3")
        status = run(*how, *keyed, *of_visits, "-k", str(k), table="visits=visits.csv:orphans=drop")
        assert status == 0, (method, seed, capsys.readouterr().err)

        domain = PseudonymDomain.open(Path("my.key"), Path("report.json"))
        token = {domain.make_token(name): name for name in known}
        suppressed = json.loads(Path("report.json").read_text())["persons"]["suppressed"]
        shown_as = {token[row["patient"]]: (row["age"], row["sex"]) for row in read("release.csv")}
        released = {name: values for name, values in shown_as.items() if not suppressed or values != ("*", "*")}
        assert min(Counter(released.values()).values()) >= k, (method, seed)
        assert len(known) - len(released) == suppressed + lacking, (method, seed)
        expected = Counter((name, row) for name in released for row in known[name])
        found = Counter((token[row["patient"]], f"{row['day']},{row['illness']}") for row in read("release_visits.csv"))
        assert found == expected, (method, seed)


# From Python.


PEOPLE = pd.DataFrame({"patient": [1, 2, 3, 4, 5, 6], "age": [34, 31, 38, 61, 62, 63]})
STAYS = pd.DataFrame({"patient": [1, 1, 2, 6], "day": pd.to_datetime(["2024-03-02"] * 4), "illness": list("abca")})


def release(**said: object) -> toolbox.Result:
    """Release people with their stays."""
    stays = {"source": STAYS, "sensitive": ["illness"], "treatments": {"day": "pass"}, **said}
    return toolbox.anonymize(PEOPLE, person="patient", quasi_identifiers=["age"], k=3, tables={"stays": stays})


@pytest.mark.slow
def test_a_call_gets_its_child_tables_back(desk) -> None:
    treated = {"patient": "pseudonym"}
    result = toolbox.anonymize(
        PEOPLE,
        person="patient",
        quasi_identifiers=["age"],
        k=3,
        treatments=treated,
        key="my.key",
        tables={"stays": {"source": STAYS, "sensitive": ["illness"]}},
    )

    persons, stays = result.release, result.child_tables["stays"]
    assert list(stays.columns) == ["patient", "day", "illness"]
    assert stays["day"].dtype == STAYS["day"].dtype and set(stays["patient"]) <= set(persons["patient"])
    sizes = stays.groupby("patient")["illness"].agg("".join).map(lambda text: "".join(sorted(text)))
    assert sorted(sizes) == ["a", "ab", "c"]
    assert result.summary.document()["child_tables"][0]["persons"] == 3


@pytest.mark.slow
def test_a_configuration_gives_them_back_as_well(desk) -> None:
    assert run(*OF_VISITS, "--save-config", "both.xml") == 0

    result = toolbox.anonymize("both.xml")
    assert result.child_tables["visits"].num_rows == 4


@pytest.mark.slow
def test_a_call_without_a_pseudonym_drops_the_key() -> None:
    assert list(release().child_tables["stays"].columns) == ["day", "illness"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"key": "pid"}, "'pid'"),
        ({"keys": "patient"}, "tables['stays'] says 'keys', which means nothing. Did you mean 'key'?"),
        ({"orphans": "keep"}, "orphans"),
        ({"sensitive": ["ilness"]}, "Did you mean 'illness'?"),
    ],
)
def test_a_call_that_names_a_child_table_wrongly_is_told(said, expected) -> None:
    with pytest.raises(toolbox.UsageError, match=re.escape(expected)):
        release(**said)


@pytest.mark.slow
def test_a_call_whose_rows_have_no_person_is_told() -> None:
    orphan = pd.concat([STAYS, STAYS.tail(1).assign(patient=9)])
    with pytest.raises(toolbox.InputError, match="1 record is of persons whom the main table does not have"):
        release(source=orphan)
    assert len(release(source=orphan, orphans="drop").child_tables["stays"]) == 4


# Beside what makes the table of persons anew, or finds nothing of its own: whoever is left out takes the rows along.


@pytest.mark.slow
def test_a_repair_for_earlier_releases_leaves_out_the_rows_of_whom_it_leaves_out() -> None:
    columns = ["patient", "town", "illness"]
    january = pd.DataFrame(
        [("P1", "Graz", "a"), ("P2", "Graz", "b"), ("P3", "Linz", "a"), ("P4", "Linz", "c"), ("P5", "Wien", "a")],
        columns=columns,
    )
    february = january.assign(town=["Linz", "Graz", "Linz", "Graz", "Graz"])
    visits = pd.DataFrame({"patient": ["P1", "P1", "P2", "P5", "P5"], "day": ["1", "2", "3", "4", "5"]})
    rows = [["Graz", "A", "*"], ["Linz", "A", "*"], ["Wien", "W", "*"]]
    asked = {
        "person": "patient",
        "quasi_identifiers": ["town"],
        "sensitive": ["illness"],
        "hierarchies": {"town": rows},
    }
    more = {"k": 2, "method": "Flash", "suppression_threshold": 2, "suppressed": "drop", "earlier": [january]}
    tables = {"visits": {"source": visits, "sensitive": ["day"]}}
    made = toolbox.anonymize(february, **asked, **more, earlier_repair=True, tables=tables)
    # P5 alone was in Wien.
    assert made.summary.document()["earlier"]["repair"]["left_out_people"] == 1
    assert sorted(made.release["town"]) == ["A"] * 4
    assert sorted(made.child_tables["visits"]["day"]) == ["1", "2", "3"]


@pytest.mark.slow
def test_a_saved_recoding_is_applied_to_the_persons_and_their_rows_go_along(desk, capsys) -> None:
    Path("town.csv").write_text("Graz;A;*\nLinz;A;*\n")
    Path("january.csv").write_text("patient,town\nP1,Graz\nP2,Graz\nP3,Linz\nP4,Linz\n")
    Path("february.csv").write_text("patient,town\nP1,Linz\nP2,Graz\nP3,Linz\nP4,Graz\nP5,Wien\n")
    Path("visits.csv").write_text("patient,day\nP1,a\nP1,b\nP2,c\nP5,d\n")
    saved = ("--hierarchy", "town=town.csv", "-output", "a.csv", "--save-recoding", "saved.json", "--quiet")
    assert main(["anonymize", "january.csv", "--person", "patient", "--qi", "town", "-k", "2", *saved]) == 0
    tables = "<tables><table name='visits' filename='visits.csv'><sens><att name='day'/></sens></table></tables>"
    Path("c.xml").write_text(
        "<config recoding='saved.json' smallClasses='suppress' suppressed='drop'><input filename='february.csv'/>"
        f"<output filename='b.csv'/>{tables}</config>"
    )
    assert main(["-config", "c.xml", "--quiet"]) == 0
    assert sorted(row["day"] for row in read("b_visits.csv")) == ["a", "b", "c"]
    capsys.readouterr()
    assert main(["apply", "saved.json", "february.csv", "--table", "visits=visits.csv", "-output", "c.csv"]) == 2
    assert "toolbox apply has no option '--table'" in capsys.readouterr().err
