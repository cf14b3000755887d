"""The findings of a report: what is measured, what is declared, and what the public is not told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.learned_values import ILLNESS
from helpers.page_text import words
from helpers.questions import configured, question
from helpers.small_summary import SUMMARY
from helpers.small_tables import arrow

from toolbox.config.model import ReportKind
from toolbox.errors import InputError, UsageError
from toolbox.flows.judge.check import check_release
from toolbox.flows.judge.judge import TablesToJudge
from toolbox.flows.judge.measure import choose_bound
from toolbox.flows.judge.report import Making, _list_advice, describe_making, make_findings, report_release
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.proof.proof import ProvedPersons
from toolbox.report.html.findings import Counts, PageFindings
from toolbox.report.html.page import render_losses
from toolbox.report.judges.risk import SolvedResult
from toolbox.risks.risk import CertainValues

PEOPLE = arrow("""
age sex illness
21  f   flu
24  f   cold
31  m   flu
33  m   gout
""")
RELEASE = arrow("""
age   sex illness
20-29 f   flu
20-29 f   cold
30-39 m   flu
30-39 m   gout
""")
ASKED = question("age", "sex", sensitive=["illness"], models=[KAnonymity(k=2)], hierarchies={"age": "intervals:10"})


RELEASED, BESIDE = TablesToJudge(release=RELEASE), TablesToJudge(release=RELEASE, original=PEOPLE)


@pytest.fixture(scope="module")
def inside() -> PageFindings:
    return make_findings(ASKED, BESIDE, "internal", Making(method="Mondrian"), name="r.csv")


@pytest.mark.slow
def test_all_judges_look_at_one_release(inside: PageFindings) -> None:
    assert inside.holds
    assert inside.risk is not None and inside.risk.prosecutor is not None
    assert inside.risk.prosecutor.highest == 0.5
    assert inside.losses is not None
    assert inside.losses.value("number of classes") == 2
    assert inside.original is not None
    assert (inside.original.at_risk, inside.original.alone) == (4, 4)
    assert [picture.name for picture in inside.pictures] == ["age", "sex"]


@pytest.mark.slow
def test_a_bound_stands_beside_what_was_lost() -> None:
    found = make_findings(ASKED, BESIDE, "internal", Making(), bound=choose_bound(["lm"], 5))
    assert found.losses is not None
    # Of four ages each group has two: the only ways to form classes of two that keep the sex.
    assert [(bound.value, bound.released) for bound in found.losses.bounds] == [
        (pytest.approx(1 / 6, rel=1e-3), pytest.approx(1 / 6))
    ]
    assert "Lost 0.1667; no release of this kind loses less than 0.16" in words(render_losses(found))


def test_a_bound_needs_the_original_records(tmp_path: Path) -> None:
    bound = choose_bound(["lm"], 5)
    with pytest.raises(UsageError, match="Name them: --original FILE"):
        report_release(ASKED, tmp_path / "r.csv", bound=bound)
    with pytest.raises(UsageError, match="Leave it out of a public page"):
        report_release(ASKED, tmp_path / "r.csv", kind="public", original=PEOPLE, bound=bound)


@pytest.mark.slow
def test_pairs_of_columns_are_on_the_page_that_asks_for_them(inside: PageFindings, tmp_path: Path) -> None:
    """Each age is one of its decade: the two people of each are in each other's place by half."""
    assert "Pairs of columns" not in words(render_losses(inside))
    found = make_findings(ASKED, BESIDE, "internal", Making(), pairs=True)
    page = words(render_losses(found))
    assert "Most has changed in age with illness: 50.0% of the records would have to stand in another cell" in page
    assert "age with illness 50.0% 0.0% Cramér's V 1.00 0.50" in page
    with pytest.raises(UsageError, match="--pairs compares the release with the original records"):
        report_release(ASKED, tmp_path / "r.csv", pairs=True)


@pytest.mark.slow
def test_the_findings_tell_counts_models_and_columns(inside: PageFindings) -> None:
    assert inside.counts == Counts(4, 0, 2, 2, 2.0)
    assert [(model.name, model.achieved) for model in inside.models] == [("k-anonymity", 2)]
    assert [tuple(column)[:4] for column in inside.columns] == [
        ("age", "quasi-identifier, generalised", "number", "intervals:10"),
        ("sex", "quasi-identifier, generalised", "category", "none"),
        ("illness", "sensitive, released as it is", "", ""),
    ]
    assert (inside.k, inside.name, inside.method) == (2, "r.csv", "Mondrian")


def test_the_public_is_told_nothing_of_a_run_but_its_method() -> None:
    making = Making(method="Mondrian", summary=SUMMARY, configuration="<config/>", command="x", data=(("Input", "p"),))
    found = make_findings(ASKED, RELEASED, "public", making)
    assert (found.sensitive, found.statistics, found.below, found.advice) == ((), None, None, ())
    assert (found.summary, found.configuration, found.command, found.data, found.notes) == (None, None, None, (), ())
    assert found.columns[0].hierarchy == "built by a rule"
    assert found.method == "Mondrian"


@pytest.mark.slow
def test_a_release_of_others_whose_statistics_give_all_ages_back_says_so_inside() -> None:
    """Two whole numbers with the mean 22.5 and the variance 2.25 are 21 and 24; with 32 and 1 they are 31 and 33."""
    told = pa.array(["22.5:2.25", "22.5:2.25", "32:1", "32:1"])
    release = RELEASE.append_column("age_mean:variance", told)
    tables = TablesToJudge(release=release)
    making = Making(summary=replace(SUMMARY, solved=(SolvedResult("age", 2, 2, 2),)))
    inside = make_findings(ASKED, tables, "internal", making)
    assert inside.statistics is not None
    assert (inside.statistics.cells, inside.statistics.cells_disclosed) == (4, 4)
    assert [(values.attribute, values.certain) for values in inside.sensitive] == [("illness", 0)]
    # Of the run, which tells the same of the same statistics, nothing is said twice.
    statistics = [advice.finding for advice in inside.advice if "tatistics" in advice.finding]
    assert statistics == ["Statistics give back 4 cells (100.0%) of age: only one multiset of values fits the class."]
    outside = make_findings(ASKED, tables, "public", making)
    assert (outside.statistics, outside.sensitive, outside.advice) == (None, (), ())


@pytest.mark.slow
def test_who_is_certain_by_a_class_or_by_the_group_of_an_anatomy_is_told_once(inside: PageFindings) -> None:
    by_class = replace(inside, certain=(CertainValues("illness", 3),), sensitive=(ILLNESS,))
    check = check_release(ASKED, RELEASE)
    for found, people in ((by_class, 3), (replace(by_class, certain=()), 2)):
        certain = [advice.finding for advice in _list_advice(check, found) if "is certain of" in advice.finding]
        assert certain == [f"illness is certain of {people} people, whose class has one value of it."]


def test_where_the_release_tells_persons_apart_the_whole_page_counts_them() -> None:
    """A and B are alone, though each has two records."""
    people = arrow("who age\nA 21\nA 21\nB 31\nB 31\n")
    release = arrow("who age\nA 20-39\nA 20-39\nB 20-39\nB 20-39\n")
    persons = ProvedPersons(column="who", count=2, suppressed=0, suppressed_wholly=0, suppressed_by="row", lacking=0)
    proof = replace(SUMMARY.proof, persons=persons, smallest_class=2)
    making = Making(summary=replace(SUMMARY, proof=proof))
    tables, asked = TablesToJudge(release=release, original=people), question("age", person=("who",))
    found = make_findings(asked, tables, "internal", making)
    assert found.original is not None and (found.original.records, found.original.alone) == (2, 2)
    assert any("So do the classes of this page" in note for note in found.notes)


@pytest.mark.slow
def test_names_of_identifiers_are_for_those_inside() -> None:
    release = arrow("age town illness\n20-29 Ulm flu\n20-29 Ulm cold\n")
    kinds: tuple[ReportKind, ...] = ("internal", "public")
    found = {kind: make_findings(configured(), TablesToJudge(release=release), kind, Making()) for kind in kinds}
    assert {kind: [column.name for column in told.columns] for kind, told in found.items()} == {
        "internal": ["column 0", "column 3", "age", "town", "illness"],
        "public": ["age", "town", "illness"],
    }


@pytest.mark.slow
def test_where_no_judge_can_read_a_release_the_proof_of_its_run_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    unread = TablesToJudge(release=arrow("age sex illness\nold f flu\n"), original=PEOPLE)
    found = make_findings(ASKED, unread, "internal", Making(summary=SUMMARY))
    assert "'old'" in found.unjudged
    assert "the page says less: the finished release could not be measured again." in capsys.readouterr().err
    assert (found.counts.smallest, found.counts.suppressed, found.risk) == (5, 0, None)
    told = make_findings(ASKED, unread, "public", Making(summary=SUMMARY))
    assert told.unjudged == "its format cannot be measured"
    with pytest.raises(InputError, match="'old'"):
        make_findings(ASKED, unread, "internal", Making())


def test_a_run_tells_its_files_its_document_and_undeclared_columns(tmp_path: Path) -> None:
    document = tmp_path / "c.xml"
    document.write_text("<config/>")
    config = replace(configured().config, path=document)
    making = describe_making(config, replace(SUMMARY, sha256={"input": None, "release": {"out/release.csv": "bb"}}))
    assert making.data == (("Input", "in.csv"), ("The release", "out/release.csv"))
    assert dict(making.checksums) == {"release.csv": "bb"}
    assert making.configuration == "<config/>"
    assert describe_making(replace(config, saved=b"<saved/>"), SUMMARY).configuration == "<saved/>"


@pytest.mark.slow
def test_what_cannot_be_measured_as_the_run_has_sorted_the_records_says_so() -> None:
    """Those of 20 to 39 fit the wide class as well, so that nobody can tell who became which record."""
    people = arrow("age sex illness\n21 f flu\n24 f cold\n31 f flu\n33 f gout")
    release = arrow("age sex illness\n20-29 f cold\n20-39 f flu\n20-39 f gout\n20-29 f flu")
    asked = question("age", "sex", sensitive=["illness"], hierarchies={"age": "intervals:10,20"})
    told = []
    for is_reordered in (True, False):
        tables = TablesToJudge(release=release, original=people, is_reordered=is_reordered)
        found = make_findings(asked, tables, "internal", Making())
        assert found.losses is not None
        told.append({left.reason for left in found.losses.left_out if left.name == "non-uniform entropy"})
    assert told[0] != told[1]
    assert all(reason.startswith("the release is in another order than the records.") for reason in told[0])
