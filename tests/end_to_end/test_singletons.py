"""`toolbox singletons` and the method of that name, as people and programs use them."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest
from helpers import in_order
from helpers.running import run_as_program, run_in_process

import toolbox

pytestmark = pytest.mark.sampled(2)

PEOPLE = "born,town,sex\n1960,Graz,f\n1960,Graz,f\n1960,Linz,f\n1960,Wels,m\n1971,Wels,m\n1971,Wels,m\n,Wels,m\n"
TOWNS = "Graz;south;*\nLinz;north;*\nWels;north;*\n"
CONFIG = """<config method='Singletons' k='2' finish='suppress'>
  <input filename='people.csv' header='true' onMissing='skip'/>
  <output order='input' filename='release.csv'/>
  <qid>
    <att name='born'/><att name='town'><vgh file='towns.csv'/></att><att name='sex' type='category'/>
  </qid>
</config>"""
NAMED = ("people.csv", "--qi", "born,town,sex", "--hierarchy", "town=towns.csv")
YEARS = {"Yran": "ranges", "Ycent_code": "middles", "Yavg_paper": "medians", "Ymean_text": "means"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a table, a hierarchy and a configuration."""
    for name, text in {"people.csv": PEOPLE, "towns.csv": TOWNS, "c.xml": CONFIG}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# The published numbers


def published_variants() -> dict[str, str]:
    """Name ours by those of the recomputed figures."""
    town, sex = "comune_residenza parent", "sesso any"
    named = {
        "original": "as it is",
        "S_loc": f"{sex} (local)",
        "M_loc": f"{town} (local)",
        "SM_loc_joint": f"{town} (local), {sex} (local)",
        "SM_loc_seq_S_then_M": f"{sex} (local); {town} (local)",
        "SM_loc_seq_M_then_S": f"{town} (local); {sex} (local)",
        "S": sex,
        "M": town,
        "S_all+M_loc(origsing)": f"{town} (local), {sex}",
        "M_all+S_loc(origsing)": f"{town}, {sex} (local)",
        "SM": f"{town}, {sex}",
    }
    for theirs, rule in YEARS.items():
        year = f"anno_nascita {rule}"
        named |= {theirs: year, f"S,{theirs}": f"{year}, {sex}"}
        named |= {f"M,{theirs}": f"{year}, {town}", f"S,M,{theirs}": f"{year}, {town}, {sex}"}
    return named


@pytest.fixture(scope="module")
def licences(shared: Path) -> toolbox.SingletonsReport:
    with (shared / "data" / "driver_licences_hierarchy_comune_provincia.csv").open(encoding="utf-8") as text:
        towns = [(town, province, "*") for town, province in list(csv.reader(text))[1:]]
    return toolbox.singletons(
        shared / "data" / "driver_licences_valle_d_aosta.csv.gz",
        quasi_identifiers=["anno_nascita", "comune_residenza", "sesso"],
        hierarchies={"comune_residenza": towns},
    )


@pytest.mark.slow
@pytest.mark.real
def test_every_recomputed_row_of_valle_d_aosta_is_met_exactly(shared: Path, licences: toolbox.SingletonsReport) -> None:
    found = {one.name: one for one in licences.variants}
    with (shared / "fixtures" / "singletons" / "valle_d_aosta.csv").open(encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    assert len(rows) == 27
    for row in rows:
        one = found[published_variants()[row["variant"]]]
        assert (one.below_k, one.modified, one.distinct) == (int(row["S"]), int(row["MR"]), int(row["DV"])), row
        assert one.distinct_ratio == pytest.approx(float(row["distinct_ratio"]), abs=1e-15)
        assert one.separation_ratio == pytest.approx(float(row["separation_ratio"]), abs=1e-12)
        assert round(one.share * 100, 4) == float(row["pctS"])


@pytest.mark.slow
@pytest.mark.real
def test_the_elected_variant_leaves_nobody_alone_and_modifies_fewest(licences: toolbox.SingletonsReport) -> None:
    assert (licences.records, licences.incomplete, licences.unchanged.below_k) == (87_642, 178, 1684)
    best = licences.best
    assert best.below_k == 0
    assert best.modified == min(one.modified for one in licences.variants if one.below_k == 0)
    assert licences.best_covering.below_k == 0
    assert licences.best_covering.modified <= 1684


# The command


@pytest.mark.slow
def test_a_comparison_by_names_and_by_a_configuration_that_declares_the_columns_and_k() -> None:
    document = run_in_process("singletons", *NAMED, "--json").succeeded().document
    assert (document["k"], document["records"], document["incomplete_records"]) == (2, 7, 1)
    assert document["unchanged"]["below_k"] == 2
    # The woman of Linz joins those of Graz, or the man of 1960 those of 1971, only if two columns change for both.
    ranks = [(one["below_k"], one["modified"]) for one in document["variants"]]
    assert ranks == sorted(ranks)
    assert document["best"] == document["variants"][0]
    assert document["all_tried"] is True
    by_config = run_in_process("singletons", "-config", "c.xml", "--json").succeeded().document
    assert by_config["variants"] == document["variants"]
    assert run_in_process("singletons", "-config", "c.xml", "-k", 3, "--json").succeeded().document["k"] == 3


def test_rules_and_scope_can_be_chosen() -> None:
    options = ("--rule", "born=ranges", "--rule", "town=parent,any", "--rule", "sex=any", "--scope", "global")
    document = run_in_process("singletons", *NAMED, *options, "--json").succeeded().document
    names = {one["name"] for one in document["variants"]}
    assert len(names) == 2 * 3 * 2
    assert "born ranges, town parent, sex any" in names
    assert not any("local" in name for name in names)


@pytest.mark.slow
def test_the_table_shows_the_first_variants() -> None:
    shown = run_in_process("singletons", *NAMED, "--top", 1).succeeded().stdout
    assert "2 (33.33%) stand out as it is" in shown
    assert run_in_process("singletons", *NAMED, "--quiet").succeeded().stdout == ""
    assert "--scope" in run_as_program("singletons", "--help").succeeded().stdout


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["people.csv"], "--qi"),
        (["--qi", "born"], "Write toolbox singletons DATA"),
        (["people.csv", "--qi", "a\rb"], r"--qi 'a\rb' is no list of names"),
        (["people.csv", "--qi", "bron"], "Did you mean 'born'"),
        ([*NAMED, "--rule", "born=parent"], "ranges, row-ranges, middles, medians, means"),
        ([*NAMED, "--rule", "card=any"], "no column 'card'"),
        ([*NAMED, "--rule", "born"], "NAME=VALUE"),
        ([*NAMED, "--scope", "some"], "local, global, both"),
        ([*NAMED, "-k", "1"], "at least 2"),
        ([*NAMED, "-config", "c.xml"], "--config says everything itself"),
        ([*NAMED, "--quiet", "--verbose"], "contradict"),
    ],
)
def test_what_is_wrong_is_said(options: list[str], told: str) -> None:
    finished = run_in_process("singletons", *options)
    assert (finished.status, told in finished.stderr) == (2, True), finished.stderr
    assert "Traceback" not in finished.stderr


# The method


@pytest.mark.slow
def test_the_method_releases_what_is_proved_and_says_whom_it_was_about(folder: Path) -> None:
    document = run_in_process("-config", "c.xml", "--set", "finish=local", "--json").succeeded().document
    assert (document["method"], document["records_suppressed"]) == ("Singletons", 0)
    assert document["models"][0]["holds"] is True
    assert any(note.startswith("2 records stood out (below k = 2). Elected: ") for note in document["notes"])
    release = pd.read_csv(folder / "release.csv", dtype=str)
    assert release.groupby(list(release.columns)).size().min() >= 2
    assert (release[["town", "sex"]].iloc[:2] == ["Graz", "f"]).all(axis=None)
    checked = run_in_process("check", "release.csv", "-config", "c.xml", "--quiet")
    assert checked.status == 0


@pytest.mark.slow
def test_where_nothing_can_be_released_nothing_is_and_an_older_release_stays(folder: Path) -> None:
    (folder / "people.csv").write_text("born,town,sex\n1960,Graz,f\n1980,Linz,m\n1980,Linz,m\n1980,Linz,m\n")
    (folder / "release.csv").write_text("old")
    finished = run_in_process("-config", "c.xml", "--set", "finish=none", "--set", "scope=local")
    assert (finished.status, "finish='local'" in finished.stderr) == (3, True)
    assert (folder / "release.csv").read_text() == "old"
    run_in_process("-config", "c.xml", "--quiet").succeeded()
    assert (folder / "release.csv").read_text() != "old"


@pytest.mark.slow
def test_a_town_called_like_its_province_is_in_one_class_with_it(folder: Path) -> None:
    (folder / "people.csv").write_text("born,town,sex\n" + "1960,Aosta,f\n" * 3 + "1960,Sarre,f\n", encoding="utf-8")
    (folder / "towns.csv").write_text("Aosta;Aosta;*\nSarre;Aosta;*\n", encoding="utf-8")
    (folder / "c.xml").write_text(CONFIG.replace("'release.csv'", "'release.csv' format='genValsDist'"))
    document = run_in_process("-config", "c.xml", "--json").succeeded().document
    assert any("Elected: town parent (local). None remained." in note for note in document["notes"])
    assert document["smallest_class"] == 4


@pytest.mark.slow
def test_from_python_it_is_a_method_like_any_other() -> None:
    people = pd.read_csv("people.csv").dropna()
    result = in_order.anonymize(people, quasi_identifiers=["born", "sex"], method="Singletons", k=2, scope="local")
    assert result.summary.proof.smallest_class >= 2
    # Whoever is the only one to stand out stays alone if nobody else changes.
    left = [toolbox.singletons(people, quasi_identifiers=["born", "sex"], scope=scope) for scope in ("local", "global")]
    assert [one.best_covering.below_k for one in left] == [1, 0]
