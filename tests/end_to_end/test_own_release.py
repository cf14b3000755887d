"""Every release that the toolbox writes can be read by its own check, measure and risk."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from helpers import in_order
from helpers.amounts import is_thorough
from helpers.own_release import METHODS, Case, cases, judged_again
from hypothesis import HealthCheck, given, settings

import toolbox

pytestmark = pytest.mark.sampled(1)

HEADERS = ("a", "b", "p")
_REASONS = (
    "no class label",
    "not generalised to one level",
    "no hierarchy",
    "no nodes of the hierarchy",
    "categories have no distance",
)
"""Why metrics say nothing of a table, however well it is read."""
_EXAMPLES = 5 if settings().max_examples <= 40 else settings().max_examples
"""Each is a run and three judgements; the profile ``search`` takes many."""


def released_and_read_back(case: Case, folder: Path) -> None:
    """Release a table, read it back with the same configuration, and compare with what the run itself has proved."""
    configuration = case.files(folder)
    proof = toolbox.anonymize(configuration).summary.proof
    check, loss, risk = judged_again(configuration)
    assert check.holds
    assert check.records == proof.records == len(case.rows)
    # A class whose values are all roots shows no more than suppressed records do.
    assert check.suppressed >= proof.records_suppressed
    assert [one for one in loss.left_out if not any(reason in one.reason for reason in _REASONS)] == []
    consistency = risk.risk.consistency
    assert consistency is not None
    assert consistency.unmatched == 0
    assert consistency.below_k == 0 or proof.records_suppressed > 0


# What is drawn here, hard values in every kind of file by every method, is written out below.
@pytest.mark.slow
@settings(max_examples=_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases())
def test_every_release_is_read_back(case: Case) -> None:
    with TemporaryDirectory() as folder:
        released_and_read_back(case, Path(folder))


def rows(*values: str) -> tuple[tuple[str, str, str], ...]:
    """Put values where they have to share sets, with numbers that do not tell them apart."""
    return tuple((value, str(1 + number % 2), "p") for number, value in enumerate(values * 2))


BLANKS = ("a\r", "b\rc", "\nd", "e\n", "f\r\ng", "\r\n", " h", "h ", "h", " ", "\t", "\u2028", "\x85i", "\x0b")
NOTATIONS = ("{a,b}", "a", "b", "{ a,b}", "[1:2]", "(1:2]", "[a]", "a,b", ",", '"', '""', 'say "a"', "1", "1.0", "<=5")
NAMES = ("*", "12*", "?b", "a~b", "=a", "'=a", "-5+1", "@x", "\ufeffa", "x" * 200_000, "null", "#")


@pytest.mark.slow
def test_values_that_are_hard_to_write_are_read_back_from_sets(tmp_path: Path) -> None:
    # Each value once with each number: only sets can hide them.
    several = tuple((value, "1", "p") for value in (*BLANKS, *NOTATIONS, *NAMES))
    released_and_read_back(Case(headers=HEADERS, rows=several), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "separator"),
    [
        ("csv", "||"),
        pytest.param("csv.gz", ";", marks=pytest.mark.slow),
        ("csv.zst", "\t"),
        ("parquet", "~~~~~~"),
        pytest.param("split", "ab", marks=pytest.mark.slow),
        pytest.param("csv", ":", marks=pytest.mark.slow),
        pytest.param("csv", ",", marks=pytest.mark.slow),
    ],
)
def test_all_kinds_of_files_and_separators_are_read_back(form: str, separator: str, tmp_path: Path) -> None:
    hostile = rows(f"a{separator}", separator[0], "b\r", ' "', "{x,y}")
    headers = ("h\r\n", '"', ",")
    case = Case(
        headers=headers,
        rows=hostile,
        method="LocalRecoding",
        has_hierarchy=True,
        separator=separator,
        form=form,
        format="genValsDist",
        escapes=True,
    )
    released_and_read_back(case, tmp_path)


# By default Mondrian and LocalRecoding are read back above, and PrioPrivacy below.
@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_all_methods_are_read_back(method: str, tmp_path: Path) -> None:
    hostile = rows("a\r\n", "b,", "*", "group 0", "group 1")
    released_and_read_back(Case(headers=HEADERS, rows=hostile, method=method, has_hierarchy=True), tmp_path)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["PrioPrivacy", "Datafly"])
def test_a_town_called_like_its_province_is_read_as_either_and_a_note_says_so(method: str, tmp_path: Path) -> None:
    towns = ("Salzburg", "Hallein", "Hallein", "Wien", "Wien", "Salzburg")
    case = Case(headers=HEADERS, rows=tuple((town, "1", "p") for town in towns), method=method, has_hierarchy=True)
    configuration = case.files(tmp_path)
    tree = "Salzburg;Salzburg;*\nHallein;Salzburg;*\nWien;Wien;*\n"
    (tmp_path / "tree.csv").write_text(tree, encoding="utf-8")
    toolbox.anonymize(configuration)
    check, loss, risk = judged_again(configuration)
    assert check.holds
    assert risk.risk.consistency is not None
    assert (risk.risk.consistency.unmatched, risk.risk.consistency.below_k) == (0, 0)
    assert all("1 released text names several things" in report.notes[0] for report in (loss, risk))
    assert not any("has" in one.reason and "record" in one.reason for one in loss.left_out)


MAP = "<map>" + "".join(f"<entry cat='{letter}' int='{code}'/>" for code, letter in enumerate("abcd")) + "</map>"
TREES = {
    "a map": MAP,
    "intervals that reach beyond the codes": f"{MAP}<vgh value='[0:9]'><node value='[0:1]'/><node value='(1:9]'/></vgh>",
    "a root alone, with a label": f"{MAP}<vgh value='[0:3]' label='all'/>",
    "a file": "<vgh file='tree.csv'/>",
}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("tree", "method", "form"),
    [
        ("a map", "Mondrian' naming='regions", "genVals"),
        ("intervals that reach beyond the codes", "PrioPrivacy", "genValsDist"),
        ("a file", "Datafly", "genVals"),
        *(
            pytest.param(tree, method, "genVals", marks=pytest.mark.slow)
            for tree in TREES
            for method in METHODS
            if tree != "a map" or method not in ("Datafly", "Incognito_k")
        ),
    ],
)
def test_a_release_that_keeps_missing_values_is_read_back(tree: str, method: str, form: str, tmp_path: Path) -> None:
    values = ["a", "b", "c", "d", "", "?"]
    lines = [f"{values[(number * number + number // 3) % 6]},{'uv?'[number % 3]}" for number in range(24)]
    (tmp_path / "in.csv").write_text("\n".join(["a,s", *lines, ""]), encoding="utf-8")
    (tmp_path / "tree.csv").write_text("a;low;*\nb;low;*\nc;high;*\nd;high;*\n", encoding="utf-8")
    (tmp_path / "c.xml").write_text(
        f"""<config method='{method}' k='3' suppressed='keep'>
        <input filename='in.csv' header='true' onMissing='keep'/><output filename='out.csv' format='{form}'/>
        <qid><att name='a' type='category' priority='1'>{TREES[tree]}</att></qid>
        <sens><att name='s' type='category'/></sens></config>""",
        encoding="utf-8",
    )
    proof = toolbox.anonymize(tmp_path / "c.xml").summary.proof
    check, loss, risk = judged_again(tmp_path / "c.xml")
    assert (check.holds, check.records) == (True, len(lines))
    assert loss.value("discernibility") >= 0
    consistency = risk.risk.consistency
    assert consistency is not None
    assert (consistency.unmatched, consistency.below_k) == (0, 0) or proof.records_suppressed > 0


def test_a_root_that_lists_its_categories_lists_a_kept_missing_one(tmp_path: Path) -> None:
    lines = ["a", "c", "?", "c", "a", ""]
    (tmp_path / "in.csv").write_text("\n".join(["a", *lines, ""]), encoding="utf-8")
    (tmp_path / "c.xml").write_text(
        f"""<config method='Datafly' k='3' suppThreshold='0'><input filename='in.csv' header='true' onMissing='keep'/>
        <output filename='out.csv'/><qid><att name='a'>{TREES["intervals that reach beyond the codes"]}</att></qid>
        </config>""",
        encoding="utf-8",
    )
    toolbox.anonymize(tmp_path / "c.xml")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines() == ["a", *['"{a,b,c,d,?}"'] * 6]


@pytest.mark.slow
def test_all_that_is_missing_is_one_sensitive_value_where_it_is_kept(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("a,s\n1,\n1,?\n1,\n", encoding="utf-8")
    (tmp_path / "c.xml").write_text(
        """<config method='Mondrian' k='3'><input filename='in.csv' header='true' onMissing='keep'/>
        <output filename='out.csv'/><qid><att name='a'/></qid><sens><att name='s' type='category'/></sens></config>""",
        encoding="utf-8",
    )
    toolbox.anonymize(tmp_path / "c.xml")
    check = toolbox.check(tmp_path / "out.csv", config=toolbox.load_config(tmp_path / "c.xml"))
    assert check.achieved("distinct l-diversity", "s") == 1


@pytest.mark.slow
def test_a_release_of_a_dataframe_that_keeps_missing_values_is_judged_by_names() -> None:
    people = pd.DataFrame({"sex": ["f", None, "f", "m", None, "m"], "n": [1, 1, 1, 2, 2, 2]})
    names = {"quasi_identifiers": ["sex", "n"], "hierarchies": {"sex": [("f", "any"), ("m", "any")]}}
    for k, shown in ((1, ["f", "?", "f", "m", "?", "m"]), (3, ["any"] * 6)):
        release = in_order.anonymize(people, k=k, on_missing="keep", method="LocalRecoding", **names).release
        assert release["sex"].tolist() == shown
        if k == 1 or is_thorough():
            assert toolbox.measure(people, release, **names).value("number of classes") == (4 if k == 1 else 2)
            consistency = toolbox.risk(release, original=people, k=k, **names).risk.consistency
            assert consistency is not None
            assert (consistency.unmatched, consistency.below_k) == (0, 0)


@pytest.mark.slow
def test_regions_of_categories_without_codes_list_them(tmp_path: Path) -> None:
    values = ("a", "b", "c", "d")
    case = Case(headers=HEADERS, rows=tuple((value, "1", "p") for value in values), naming="regions")
    toolbox.anonymize(case.files(tmp_path))
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert lines == ["a,b,p", *['"{a,b}",*,p'] * 2, *['"{c,d}",*,p'] * 2]


@pytest.mark.slow
def test_a_set_is_told_apart_from_a_category_of_its_name(tmp_path: Path) -> None:
    values = ("{a,b}", "{a,b}", "a", "b", "{ a,b}", "{ a,b}")
    case = Case(headers=HEADERS, rows=tuple((value, "1", "p") for value in values))
    released_and_read_back(case, tmp_path)
    found = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert found == [f'"{text}",1,p' for text in ("{a,b}", "{a,b}", "{  a,b}", "{  a,b}", "{ a,b}", "{ a,b}")]
