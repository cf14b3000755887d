"""Earlier releases beside a run: what all tell together is counted before anything is released."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.brute_joint import Shown, expose, read_shown
from helpers.recoded_people import HIERARCHIES, QUASI_IDENTIFIERS, fitted, people
from helpers.running import Finished, run_in_process

import toolbox

COLUMNS: dict[str, Any] = {
    "quasi_identifiers": QUASI_IDENTIFIERS,
    "sensitive": ["illness"],
    "hierarchies": HIERARCHIES,
    "order": "input",
}
JANUARY = "patient,town,illness\nP1,Graz,flu\nP2,Graz,cold\nP3,Linz,flu\nP4,Linz,gout\n"
FEBRUARY = "patient,town,illness\nP1,Linz,flu\nP2,Graz,cold\nP3,Linz,gout\nP4,Graz,gout\n"


def month(seed: int, *, come: int = 40, gone: float = 0.2) -> pd.DataFrame:
    """Make up the people of a month: most of those of the last one, older by some years, and some who are new."""
    draw = random.Random(seed)
    table = people(come, seed=1)
    table["patient"] = [f"P{number}" for number in range(come)]
    kept = table[[draw.random() >= gone for _ in range(come)]].copy()
    kept["age"] += draw.choice([0, 3, 6])
    new = people(8, seed=seed + 1000)
    new["patient"] = [f"N{seed}.{number}" for number in range(8)]
    return pd.concat([kept, new], ignore_index=True)


def release(table: pd.DataFrame, **more: Any) -> pd.DataFrame:
    """Make a release that keeps beside each row whose it is, as its publisher may."""
    made = toolbox.anonymize(table, person="patient", **{**COLUMNS, "k": 2, **more}).release
    return made.assign(patient=table["patient"].to_numpy())


def shown(made: pd.DataFrame) -> list[Shown]:
    return read_shown(made, made["patient"].tolist(), QUASI_IDENTIFIERS, "illness")


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(times(4, slow=120)))
def test_a_run_counts_what_a_reader_of_all_releases_could(seed: int) -> None:
    """It stops where somebody is among fewer than k, and otherwise says the same figures as a count of each person."""
    draw = random.Random(seed)
    earlier = [
        release(month(seed + 500 * place), method=draw.choice(["Flash", "Mondrian"])) for place in range(1 + seed % 2)
    ]
    table, k = month(seed + 7), draw.choice([1, 2, 3])
    asked = {"method": draw.choice(["Flash", "Mondrian"]), "k": k, "suppression_threshold": draw.choice([0, 5])}
    alone = release(table, **asked)
    expected = expose(shown(alone), *map(shown, earlier))
    least = max(k, 1)
    try:
        result = toolbox.anonymize(table, person="patient", **COLUMNS, **asked, earlier=earlier)
    except toolbox.UnsatisfiableError as error:
        assert expected.below(least)
        count = expected.below(least)
        noun = "person" if count == 1 else "people"
        assert f" {count} {noun} of the {len(expected.fewest)} who are also there would be among fewer" in str(error)
        return
    assert not expected.below(least)
    found = result.summary.document()["earlier"]
    assert found["classes"]["records"] == len(expected.fewest)
    assert found["classes"]["smallest"] == min(expected.fewest.values())
    (values,) = found["sensitive"]
    assert values["changed"] == len(expected.changed)
    assert values["changed_share"] == pytest.approx(len(expected.changed) / len(expected.fewest))
    assert values["fewest"] == min(min(numbers) for numbers in expected.left.values())
    everybody: dict[Any, set[str]] = {}
    for row in [*shown(alone), *(row for each in earlier for row in shown(each))]:
        everybody.setdefault(row.label, set()).add(row.person or "")
    labels = {row.label for row in shown(alone) if row.label}
    known = {row.label for each in earlier for row in shown(each)}
    assert found["labels"] == {
        "classes": len(labels),
        "agreeing": len(labels & known),
        "smallest": min(len(everybody[label]) for label in labels),
    }


@pytest.mark.slow
def test_risk_says_afterwards_what_a_run_has_said_before() -> None:
    before, table = release(month(3)), month(4)
    result = toolbox.anonymize(table, person="patient", **COLUMNS, k=1, earlier=before)
    made = result.release.assign(patient=table["patient"].to_numpy())
    columns: dict[str, Any] = {"quasi_identifiers": QUASI_IDENTIFIERS, "sensitive": ["illness"], "person": "patient"}
    after = toolbox.risk(made, **columns, earlier=before, key="patient", k=1).document()["earlier"]
    found = result.summary.document()["earlier"]
    assert found["classes"] == after["classes"]
    assert found["sensitive"] == after["sensitive"]


# A repair.


def repair(
    table: pd.DataFrame, earlier: list[pd.DataFrame], k: int, **more: Any
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Repair a release; whose its rows are is told by a column that nobody declares."""
    asked = {**COLUMNS, "suppression_threshold": "40%", "k": k, "earlier_repair": True, **more}
    result = toolbox.anonymize(table.assign(who=table["patient"]), person="patient", **asked, earlier=earlier)
    made = result.release
    return made.assign(patient=made["who"].to_numpy()), result.summary.document()["earlier"]


def require_hidden(made: pd.DataFrame, earlier: list[pd.DataFrame], k: int) -> None:
    found = expose(shown(made), *map(shown, earlier))
    assert found.below(k) == 0
    labels = [row.label for row in shown(made) if row.label]
    persons = {label: {row.person for row in shown(made) if row.label == label} for label in labels}
    assert all(len(each) >= k for each in persons.values())


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(times(6, slow=120)))
def test_after_a_repair_nobody_is_among_fewer_than_k(seed: int) -> None:
    draw = random.Random(seed)
    earlier = [release(month(seed + 500 * place), method="Flash", k=3) for place in range(1 + seed % 3)]
    table, k = month(seed + 7), draw.choice([2, 3])
    if seed % 2:
        table = pd.concat([table, table.sample(10, random_state=seed).assign(town="Graz")], ignore_index=True)
    try:
        made, found = repair(table, earlier, k, method=draw.choice(["Flash", "Mondrian", "OLA", "LocalRecoding"]))
    except toolbox.UnsatisfiableError as error:
        assert "No wider values hide" in str(error) or "may be suppressed" in str(error)
        return
    require_hidden(made, earlier, k)
    cost = found.get("repair", {"left_out_people": 0, "left_out_records": 0})
    assert len(table) - len(made) == cost["left_out_records"]
    assert table["patient"].nunique() - made["patient"].nunique() == cost["left_out_people"]


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("method", ["Flash", "Mondrian", "LocalRecoding"])
def test_a_saved_recoding_is_repaired_along_its_tree(method: str) -> None:
    before = release(month(3), k=6)
    recoding = fitted(month(5), method, k=2, person="patient")
    table = month(4)
    result = recoding.transform(
        table.assign(who=table["patient"]),
        earlier=before,
        earlier_repair=True,
        suppression_threshold="60%",
        small_classes="merge",
    )
    made = result.release
    require_hidden(made.assign(patient=made["who"].to_numpy()), [before], 2)
    assert result.summary.document()["earlier"]["repair"]["below_k"] > 0


@pytest.mark.slow
def test_a_release_that_hides_everybody_is_not_changed_by_a_repair() -> None:
    table, asked = month(4), {"method": "Flash", "levels": {"age": (4, 4), "town": (2, 2)}, "suppression_threshold": 9}
    before = release(table, **asked)
    made, found = repair(table, [before], 2, **asked)
    assert "repair" not in found
    assert made[QUASI_IDENTIFIERS].equals(before[QUASI_IDENTIFIERS])


@pytest.mark.slow
def test_whom_no_wider_values_hide_is_left_out_as_far_as_records_may_be_suppressed(tmp_path: Path) -> None:
    """P3 and P4 were alike, and P4 has gone: nobody is like P3 in both releases, whatever the new one shows."""
    write(tmp_path, january=JANUARY, february=JANUARY.replace("P4", "N1"))
    more = ["--with", "january.csv", "--earlier-repair", "--json"]
    ran = run(tmp_path, *more, "--suppThreshold", "0")
    assert ran.status == 3
    assert "No wider values hide 1 person among k = 2 together with january.csv" in ran.stderr
    assert "1 record would have to be left out, and 0 may be suppressed. Raise -suppThreshold" in ran.stderr
    assert not (tmp_path / "release.csv").exists()
    write(tmp_path, february=JANUARY.replace("P4", "N1") + "N2,Linz,flu\n")
    found = run(tmp_path, *more).succeeded().document
    assert found["earlier"]["repair"]["left_out_people"] == 1
    assert found["earlier"]["repair"]["left_out_records"] == 1
    assert (found["records_read"], found["records_skipped"], found["records_released"]) == (5, 0, 4)
    assert any("Left out: 1 person, whom no wider values would hide" in note for note in found["notes"])
    assert len((tmp_path / "release.csv").read_text(encoding="utf-8").splitlines()) == 5
    model = found["models"][-1]
    assert (model["name"], model["attribute"], model["achieved"]) == ("k-anonymity in all releases", "january.csv", 2)


# A limit counts persons where persons are suppressed with all of their records: each of these has three.


def months(persons: dict[str, int], **before: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a table of persons with an age, and an earlier release with the interval that each had."""
    rows = [(person, age) for person, age in persons.items() for _ in range(3)]
    table = pd.DataFrame(rows, columns=["patient", "age"])
    return table, pd.DataFrame({"patient": list(before), "age": list(before.values())})


def repaired(table: pd.DataFrame, earlier: pd.DataFrame, threshold: int | str, k: int) -> toolbox.Summary:
    asked: dict[str, Any] = {"suppression_threshold": threshold, "suppress_by": "person", "earlier_repair": True}
    columns = {"quasi_identifiers": ["age"], "hierarchies": {"age": "intervals:10,20,40"}, "person": "patient"}
    return toolbox.anonymize(table, **columns, **asked, k=k, method="Flash", earlier=earlier).summary


@pytest.mark.sampled(1)
@pytest.mark.parametrize("threshold", [1, "15%"])
def test_one_person_with_three_records_may_be_left_out(threshold: int | str) -> None:
    """The two who were alike with X are not there any more; of seven persons, 15 in a hundred are one."""
    people = {f"P{number}": 20 + 10 * (number % 2) for number in range(6)}
    table, earlier = months({**people, "X": 20}, **dict.fromkeys(people, "[20:40)"), X="[60:80)", Y="[60:80)")
    made = repaired(table, earlier, threshold, 2)
    assert made.joint is not None and made.joint.repair is not None
    assert (made.joint.repair["left_out_records"], made.joint.repair["left_out_people"]) == (3, 1)
    assert made.proof.persons is not None and made.proof.persons.suppressed == 0


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0, "14%"])
def test_one_person_too_many_is_told_in_persons(threshold: int | str) -> None:
    people = {f"P{number}": 20 + 10 * (number % 2) for number in range(6)}
    table, earlier = months({**people, "X": 20}, **dict.fromkeys(people, "[20:40)"), X="[60:80)", Y="[60:80)")
    with pytest.raises(toolbox.UnsatisfiableError, match="1 person would have to be left out, and 0 may be suppressed"):
        repaired(table, earlier, threshold, 2)


@pytest.mark.slow
def test_a_share_of_persons_is_suppressed_in_a_repair_too() -> None:
    """Of 30 persons three may be suppressed, in whichever of their 90 records."""
    old = {f"B{number}": 20 for number in range(12)} | {f"C{number}": 30 for number in range(9)}
    moved = {"P0": 25, "P1": 25, "Q": 25, "P2": 35, "P3": 35, "R": 35}
    before = {name: "[20:40)" if name in ("P0", "P1", "P2", "P3") else "[40:60)" for name in (*old, *moved)}
    table, earlier = months({**old, **moved, "X": 80, "Y": 90, "Z": 100}, **before)
    made = repaired(table, earlier, "10%", 3).proof.persons
    assert made is not None and made.count == 30
    assert made.suppressed <= 3


def test_a_repair_and_a_store_that_is_kept_are_refused(tmp_path: Path) -> None:
    write(tmp_path, january=JANUARY, february=JANUARY)
    ran = run(tmp_path, "--with", "january.csv", "--earlier-repair", "--store", "kept.duckdb")
    assert ran.status == 2
    assert "Leave out --store" in ran.stderr


# On the command line and in a configuration.


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")


def run(folder: Path, *more: str, k: int = 2, person: bool = True) -> Finished:
    asked = ["--qi", "town", "--sensitive", "illness", "-k", str(k), "-output", "release.csv"]
    who = ["--person", "patient"] if person else []
    return run_in_process("anonymize", "february.csv", *who, *asked, *more, cwd=folder)


@pytest.mark.slow
def test_a_refused_run_says_how_many_and_what_to_do_and_leaves_the_old_release_alone(tmp_path: Path) -> None:
    write(tmp_path, january=JANUARY, february=FEBRUARY, release="old\n")
    ran = run(tmp_path, "--report", "report.json", "--with", "january.csv")
    assert ran.status == 3
    told = "Together with january.csv, 4 people of the 4 who are also there would be among fewer than k = 2"
    assert told in ran.stderr
    assert "4 of them alone" in ran.stderr
    assert "It would be 0 without town" in ran.stderr
    assert "--earlier-repair makes values wider" in ran.stderr
    assert (tmp_path / "release.csv").read_text(encoding="utf-8") == "old\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["february.csv", "january.csv", "release.csv"]


@pytest.mark.slow
def test_several_files_may_follow_the_option_and_all_count_together(tmp_path: Path) -> None:
    write(tmp_path, january=JANUARY, february=FEBRUARY, march=JANUARY.replace("Linz", "Graz"))
    assert run(tmp_path, "--with", "march.csv", "march.csv", "--quiet").status == 0
    ran = run(tmp_path, "--with", "march.csv", "january.csv", "--json")
    assert ran.status == 3
    assert "Together with march.csv and january.csv, 4 people" in ran.stderr
    again = run(tmp_path, "--earlier", "march.csv", "--with", "january.csv")
    assert again.stderr == ran.stderr


@pytest.mark.slow
def test_a_key_tells_persons_apart_where_each_record_is_one(tmp_path: Path) -> None:
    write(tmp_path, january=JANUARY, february=JANUARY)
    more = ["--id", "patient", "--with", "january.csv"]
    ran = run(tmp_path, *more, person=False)
    assert ran.status == 2
    assert "Name a column that all of them have: --person NAME, or --earlier-key NAME." in ran.stderr
    found = run(tmp_path, *more, "--earlier-key", "patient", "--json", person=False).succeeded().document["earlier"]
    assert (found["link"], found["classes"]["records"], found["classes"]["smallest"]) == ("patient", 4, 2)


@pytest.mark.slow
def test_a_configuration_names_them_and_a_saved_one_makes_the_same_run(tmp_path: Path) -> None:
    write(tmp_path, january=JANUARY, february=JANUARY)
    run(tmp_path, "--with", "january.csv", "--save-config", "run.xml", "--quiet").succeeded()
    text = (tmp_path / "run.xml").read_text(encoding="utf-8")
    assert "<earlier filename='january.csv'/>" in text
    again = run_in_process("anonymize", "-config", "run.xml", "--json", cwd=tmp_path).succeeded().document
    assert again["earlier"]["releases"] == ["january.csv"]
    more = text.replace(
        "<earlier filename='january.csv'/>", "<earlier key='patient'><file name='january.csv'/></earlier>"
    )
    (tmp_path / "run.xml").write_text(more, encoding="utf-8")
    (tmp_path / "january.csv").write_text(FEBRUARY, encoding="utf-8")
    assert run_in_process("-config", "run.xml", cwd=tmp_path).status == 3


@pytest.mark.slow
def test_the_report_and_the_page_tell_it_and_a_public_page_does_not(tmp_path: Path) -> None:
    write(tmp_path, january=JANUARY, february=JANUARY)
    more = ["--with", "january.csv", "--html", "page.html", "--report", "report.json"]
    ran = run(tmp_path, *more).succeeded()
    assert "4 people also in january.csv, at least 2 alike in both releases; illness: at least 2 left, 0% in" in (
        " ".join(ran.stdout.split())
    )
    found = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["earlier"]
    assert found["sensitive"][0]["changed_share"] == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Together with an earlier release" in page
    assert "class with other values" in page
    run(tmp_path, *more, "--report-kind", "public").succeeded()
    assert "earlier release" not in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_pseudonyms_of_one_key_tell_persons_apart(tmp_path: Path) -> None:
    write(tmp_path, february=JANUARY)
    run_in_process("key", "new", "the.key", cwd=tmp_path)
    treated = ["--treat", "patient=pseudonym", "--key", "the.key", "--attacker", "rows"]
    run(tmp_path, *treated, "--report", "first.json", "--quiet").succeeded()
    (tmp_path / "release.csv").rename(tmp_path / "january.csv")
    assert "P1" not in (tmp_path / "january.csv").read_text(encoding="utf-8")
    write(tmp_path, february=FEBRUARY)
    ran = run(tmp_path, *treated, "--same-domain-as", "first.json", "--with", "january.csv")
    assert ran.status == 3
    assert "4 people of the 4" in ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("patient,city,illness\nP1,Graz,flu\n", "no column 'town'"),
        ("person,town,illness\nP1,Graz,flu\n", "has no column 'patient'"),
        (
            "person,town,illness\nP1,Graz,flu\n",
            "Name a copy of the release that has it, or by --earlier-key NAME another",
        ),
        ("patient,town\nP1,Graz\n", "no column 'illness'"),
        ("patient,town,illness\n", "holds no record"),
        ("", "january.csv"),
        ("patient,town,illness\nQ1,Graz,flu\n", "Nobody of the new release is in january.csv"),
        ("patient,town,illness\n,Graz,flu\n", "Nobody of the new release is in january.csv"),
        ("patient;town\nP1;Graz\n", "'illness'"),
    ],
    ids=["column", "key", "copy with it", "sensitive", "empty", "nothing", "strangers", "nameless", "separator"],
)
def test_what_is_no_earlier_release_is_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    write(tmp_path, january=text, february=JANUARY)
    ran = run(tmp_path, "--with", "january.csv")
    assert ran.status in (2, 4)
    assert words in ran.stderr
    assert "fault of the toolbox" not in ran.stderr
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_text_of_another_encoding_is_refused_in_words(tmp_path: Path, encoding: str) -> None:
    write(tmp_path, february=JANUARY)
    (tmp_path / "january.csv").write_bytes(JANUARY.replace("Linz", "Sankt Pölten").encode(encoding))
    ran = run(tmp_path, "--with", "january.csv")
    assert ran.status in (2, 4)
    assert "january.csv" in ran.stderr
    assert "fault of the toolbox" not in ran.stderr


@pytest.mark.slow
def test_labels_that_no_earlier_release_has_are_told(tmp_path: Path) -> None:
    """Who is in the same classes is known by the key, whatever these are called."""
    write(tmp_path, january=JANUARY.replace("Graz", "Styria"), february=JANUARY)
    found = run(tmp_path, "--with", "january.csv", "--json").succeeded().document
    assert found["earlier"]["labels"] == {"classes": 2, "agreeing": 1, "smallest": 2}
    assert any("1 of 2 classes have labels that january.csv has, too" in note for note in found["notes"])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--earlier-key", "patient"], "--earlier-key says something of earlier releases, and none is named"),
        (["--earlier-repair"], "--earlier-repair says something of earlier releases, and none is named"),
        (["--with", "absent.csv"], "absent.csv"),
        (["--with", "january.csv", "--earlier-key", "ward"], "has no column 'ward'"),
        (["--with", "january.csv", "--output-format", "anatomy"], "The groups of an anatomy cannot be compared"),
        (["--with", "release.csv"], "The output is the same file as the earlier release"),
    ],
)
def test_what_cannot_be_counted_is_refused_before_anything_is_read(tmp_path: Path, more: list[str], words: str) -> None:
    write(tmp_path, january=JANUARY, february=JANUARY)
    ran = run(tmp_path, *more)
    assert ran.status in (2, 4)
    assert words in ran.stderr
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.slow
def test_a_saved_recoding_is_applied_beside_earlier_releases() -> None:
    before = release(month(3), k=6)
    recoding = fitted(month(3), "Flash", k=2, person="patient")
    with pytest.raises(toolbox.UnsatisfiableError, match=r"Together with an earlier table, .* earlier_repair=True"):
        recoding.transform(month(4), earlier=before)
