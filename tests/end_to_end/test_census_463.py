"""463 census records, and every small table of the recorded runs: the toolbox beside the original of 2010."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.amounts import some
from helpers.recorded import RecordedRun
from helpers.releases import TextTable, category_is_covered, classes, number_is_covered, partition, read_text_table
from helpers.running import run_in_process

pytestmark = [pytest.mark.real, pytest.mark.sampled(2)]

# Section 1.3 of the manual, with its slips put right: sex is coded 0 and 1, so its root is [0:1]; [0:50] and [50:100]
# share a boundary and become half-open; the sample spells the salaries with underscores.
MANUAL = """<config method='Datafly' k='5'>
  <input filename='{source}' separator=','/>
  <output order='input' filename='release.data' format='genValsDist'/>
  <id><att index='1' name='att1'/><att index='2' name='att2'/></id>
  <qid>
    <att index='12' name='sex'>
      <map><entry cat='Female' int='0'/><entry cat='Male' int='1'/></map>
      <vgh value=' [0:1] '></vgh>
    </att>
    <att index='0' name='age'>
      <vgh value=' [0:100] '>
        <node value=' [0:50) '><node value=' [0:25) '/><node value=' [25:50) '/></node>
        <node value=' [50:100] '><node value=' [50:75) '/><node value=' [75:100] '/></node>
      </vgh>
    </att>
  </qid>
  <sens>
    <att index='41' name='salary'><map><entry cat='-_50000.' int='0'/><entry cat='50000+.' int='1'/></map></att>
  </sens>
</config>
"""
AGE, SEX = 0, 12
CASES = (
    *("census_A_Datafly_k5_genVals", "census_A_Datafly_k5_genValsDist", "census_A_Datafly_k5_anatomy"),
    *("census_A_Datafly_k25_genVals", "census_A5_Datafly_k5", "census_A5_Datafly_k25"),
    *("census_A_Mondrian_k5_genVals", "census_A_Mondrian_k5_genValsDist", "census_A_Mondrian_k5_anatomy"),
    *("census_A_Mondrian_k25_genVals", "hand_base_Datafly_k3", "hand_base_Mondrian_k3"),
    *("hand_datafly_tie_12", "hand_datafly_tie_21", "hand_outlier_Datafly_k3", "hand_outlier_Datafly_k3_anatomy"),
    *("hand_outlier_Datafly_k3_dist", "hand_outlier_Mondrian_k3", "map_from_1_genVals", "mondrian_median_even"),
    *("mondrian_median_odd", "mondrian_median_skew", "mondrian_neg_decimal", "mondrian_tie_order_21"),
    *("mondrian_width_domain_vs_data", "vgh_inner_spaces", "vgh_overlap_boundary25", "vgh_singleton_dbl"),
)
DATAFLY = [case for case in CASES if "Datafly" in case or case.startswith(("hand_datafly", "vgh_o", "vgh_sin"))]


def recorded(shared: Path, case: str) -> RecordedRun:
    return RecordedRun(shared / "fixtures" / "utd" / case, shared / "data" / "census-income_463.data")


def release(run: RecordedRun, folder: Path, output_format: str, *more: object) -> TextTable:
    """Run the toolbox on a recorded configuration; Mondrian cuts as the original does."""
    as_then = ["--cut", "classic"] if run.method == "Mondrian" else []
    arguments = [*run.arguments, *as_then, "-outputFormat", output_format, *more]
    run_in_process("-config", run.copy_to(folder), *arguments, "--order", "input", "--quiet").succeeded()
    return read_text_table(folder / "out.data", header=False) if output_format != "anatomy" else TextTable([], [])


def test_the_list_of_cases_holds_every_recorded_run_of_datafly_and_mondrian(shared: Path) -> None:
    known = {folder.name for folder in (shared / "fixtures" / "utd").iterdir()}
    ours = {case for case in known if recorded(shared, case).method in ("Datafly", "Mondrian")}
    assert set(CASES) == ours
    assert {case for case in CASES if recorded(shared, case).method == "Datafly"} == set(DATAFLY)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("output_format", ["genValsDist", "genVals"])
def test_the_configuration_of_the_manual_runs_on_the_census_sample(
    shared: Path, output_format: str, tmp_path: Path
) -> None:
    source = shared / "data" / "census-income_463.data"
    (tmp_path / "config.xml").write_text(MANUAL.format(source=source), encoding="utf-8")
    finished = run_in_process("-config", tmp_path / "config.xml", "-outputFormat", output_format, "--json")
    summary = finished.succeeded().document
    levels = [(one["name"], one["level"], one["height"]) for one in summary["quasi_identifiers"]]
    assert levels == [("sex", 0, 1), ("age", 1, 3)]
    assert (summary["records_read"], summary["records_skipped"], summary["records_suppressed"]) == (463, 0, 0)

    before = read_text_table(source, header=False).rows
    after = read_text_table(tmp_path / "release.data", header=False).rows
    pads = [1, 12] if output_format == "genValsDist" else []  # the statistics stand behind age and behind sex
    assert [len(row) for row in after] == [42 - 2 + len(pads)] * 463
    plain = [[value for place, value in enumerate(row) if place not in pads] for row in after]
    intervals = ((0, 25, "[0:25)"), (25, 50, "[25:50)"), (50, 75, "[50:75)"), (75, 101, "[75:100]"))
    expected = []
    for row in before:
        age = next(text for low, high, text in intervals if low <= int(row[AGE]) < high)
        expected.append([age, *row[3:]])  # without the identifiers in columns 1 and 2
    assert plain == expected
    sizes = Counter((row[0], row[10]) for row in plain)
    assert (summary["classes"], summary["smallest_class"]) == (len(sizes), min(sizes.values())) == (8, 7)


@pytest.mark.slow
@pytest.mark.parametrize("case", some(CASES, every=3, start=1))
def test_a_release_has_the_classes_of_the_recorded_one_and_the_same_records_in_the_same_order(
    shared: Path, case: str, tmp_path: Path
) -> None:
    """The original takes the width of a dimension from the declared domain, the toolbox from the data.

    In none of these cases that leads to another cut.
    """
    run = recorded(shared, case)
    found = release(run, tmp_path, "genVals")
    assert partition(run.shown(found)) == expected_partition(run)
    assert run.passed_through(found) == run.passed_through(run.input, is_input=True)
    for shown, original in zip(run.shown(found), zip(*original_columns(run), strict=True), strict=True):
        for text, value, codes in zip(shown, original, run.maps, strict=True):
            covers = category_is_covered if codes else number_is_covered
            assert covers(text, value), (text, value)


def expected_partition(run: RecordedRun) -> set[frozenset[int]]:
    if run.format != "genValsDist":
        return run.partition
    # Two classes with equal statistics look like one, so the run of the same name without statistics is better.
    plain = {"census_A_Datafly_k5_genValsDist": "census_A_Datafly_k5_genVals"}
    plain |= {"census_A_Mondrian_k5_genValsDist": "census_A_Mondrian_k5_genVals"}
    plain |= {"hand_outlier_Datafly_k3_dist": "hand_outlier_Datafly_k3"}
    return RecordedRun(run.folder.with_name(plain[run.folder.name]), run.census).partition


def original_columns(run: RecordedRun) -> list[list[str]]:
    return [[row[column] for row in run.input.rows] for column in run.quasi_identifiers]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("case", some(DATAFLY, every=3))
def test_datafly_shows_the_values_of_the_recorded_release(shared: Path, case: str, tmp_path: Path) -> None:
    """The original writes category 1 as [1.0], a set as its interval of codes, and the number 58 as [58.0]."""
    run = recorded(shared, case)
    plain = case.replace("_anatomy", "").replace("_dist", "")
    plain = re.sub(r"_k5_genValsDist|_k5$", "_k5_genVals", plain) if case.startswith("census_A_") else plain
    then = recorded(shared, plain)
    translated = [
        tuple(translate(text, codes) for text, codes in zip(shown, then.maps, strict=True))
        for shown in then.shown(then.release)
    ]
    assert run.shown(release(run, tmp_path, "genVals")) == translated


def translate(recorded_text: str, codes: dict[str, str]) -> str:
    if single := re.fullmatch(r"\[(\d+)\.0\]", recorded_text):
        return codes[single[1]] if codes else single[1]
    if codes and (both := re.fullmatch(r"\[(\d+):(\d+)\]", recorded_text)):
        return f"{{{','.join(codes[code] for code in codes if int(both[1]) <= int(code) <= int(both[2]))}}}"
    return recorded_text


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "case", ["hand_outlier_Datafly_k3_dist", "census_A_Datafly_k5_genValsDist", "census_A_Mondrian_k5_genValsDist"]
)
def test_the_statistics_of_each_class_are_the_recorded_numbers(shared: Path, case: str, tmp_path: Path) -> None:
    """The original puts the statistics in the place of a value, the toolbox behind it; both keep all suppressed apart."""
    run = recorded(shared, case)
    found = release(run, tmp_path, "genValsDist")
    statistics_shown = with_statistics(run, found)
    suppressed = 0
    for ours, then in zip(statistics_shown, run.shown(run.release), strict=True):
        if ours == ("", ""):
            suppressed += 1
            continue
        for text, before in zip(ours, then, strict=True):
            assert numbers(text) == pytest.approx(numbers(before), rel=1e-12, abs=1e-9)
    # The outlier is the only suppressed record; the original shows its very values, 62 with variance 0.
    assert suppressed == (1 if case.startswith("hand_outlier") else 0)


def with_statistics(run: RecordedRun, found: TextTable) -> list[tuple[str, ...]]:
    """Return the column behind each quasi-identifier, in configuration order."""
    ascending = sorted(run.quasi_identifiers)
    places = [run.released_place(column) + ascending.index(column) + 1 for column in run.quasi_identifiers]
    return [tuple(row[place] for place in places) for row in found.rows]


def numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(":")]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "case", ["hand_outlier_Datafly_k3_anatomy", "census_A_Datafly_k5_anatomy", "census_A_Mondrian_k5_anatomy"]
)
def test_anatomy_has_the_groups_of_the_recorded_release_but_not_its_order(
    shared: Path, case: str, tmp_path: Path
) -> None:
    run = recorded(shared, case)
    release(run, tmp_path, "anatomy")
    qit = read_text_table(tmp_path / "out_QIT.data", header=False).rows
    st = read_text_table(tmp_path / "out_ST.data", header=False).rows
    translated = [
        [*(translate(f"[{text}]", codes) for text, codes in zip(row, run.maps, strict=False)), row[-1]]
        for row in run.groups.rows
    ]
    sensitive = [
        [row[-1], *rest] for row, rest in zip(translated, run.passed_through(run.input, is_input=True), strict=True)
    ]
    alone = {row[-1] for row in translated if Counter(one[-1] for one in translated)[row[-1]] < run.k}
    # A suppressed record shows its roots; the original puts its values, all alone, into a group of its own.
    hidden = [["{F,M}", "[0:100)", row[-1]] if row[-1] in alone else row for row in translated]
    assert group_contents(qit, group=-1) == group_contents(hidden, group=-1)
    assert group_contents(st, group=0) == group_contents(sensitive, group=0)
    assert {row[-1] for row in qit} == {row[0] for row in st}
    groups = [row[-1] for row in qit]
    assert groups == sorted(groups, key=int) == [row[0] for row in st]
    original_order = [row[1:] for row in sensitive]
    assert [row[1:] for row in st] != original_order


def group_contents(rows: Sequence[Sequence[str]], *, group: int) -> Counter[tuple[tuple[str, ...], ...]]:
    """List what each group holds, whatever its number and order."""
    found = classes([[row[group]] for row in rows])
    place = group % len(rows[0])
    rest = [tuple(value for at, value in enumerate(row) if at != place) for row in rows]
    return Counter(tuple(sorted(rest[number] for number in members)) for members in found.values())
