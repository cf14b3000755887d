"""Random cases, which seeds decide: no exception, no loss, no wrong release, nothing left behind."""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from helpers import children

# A case takes a third of one; the machine may have much else to do.
_SECONDS_A_CASE = 10
FUZZ = Path(__file__).parents[2] / "scripts" / "fuzz.py"


def fuzzed(first: int, count: int, family: str = "releases") -> Counter[str]:
    """Run cases apart, since as root the fuzzer becomes another user; return how many ended with each status."""
    command = [sys.executable, FUZZ, "--seed", str(first), "--fuzz", str(count), "--json", "--family", family]
    done = children.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, limit=_SECONDS_A_CASE * count
    )
    assert done.stdout, done.stderr
    document = json.loads(done.stdout)
    told = [f"scripts/fuzz.py --only {case['seed']}: {'; '.join(case['faults'])}" for case in document["failures"]]
    assert not told, "\n".join(told)
    assert document["cases"] == count
    return Counter(document["statuses"])


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("first", range(0, 252, 12))
def test_whatever_the_input_is_the_release_is_right_or_there_is_none(first):
    statuses = fuzzed(first, 12)
    # If the toolbox refused everything, nothing would have been judged.
    assert statuses["0"] >= 3
    assert statuses["2"] + statuses["4"] >= 1


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 6_000, 500))
def test_many_more_cases(first):
    assert fuzzed(first, 500)["0"] >= 150


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("family", ["options", "plans", "faults", "months", "surveys"])
def test_odd_words_and_failing_disks_end_with_a_word_and_without_a_trace(family):
    statuses = fuzzed(0, 6, family)
    assert set(statuses) <= {"0", "2", "3", "4", "130"}


def test_every_third_plan_at_least_is_a_sound_study_of_a_few_cells(tmp_path, monkeypatch):
    from fuzzing.plans import draw_plan

    from toolbox.experiments.plan.reader import read_plan
    from toolbox.experiments.study import _list_cells

    monkeypatch.chdir(tmp_path)
    cases = [draw_plan(seed) for seed in range(90)]
    sound = [case for case in cases if case.cells]
    assert cases == [draw_plan(seed) for seed in range(90)]
    assert len(sound) >= 30
    assert {name for case in sound for name in case.files if name.startswith("study")} == {"study.toml", "study.xml"}
    for case in sound[:6]:
        for name, data in case.files.items():
            (tmp_path / name).write_bytes(data)
        assert case.files["in.csv"].count(b"\n") <= 61
        assert 1 <= len(list(_list_cells(read_plan(case.arguments[1])))) == case.cells <= 4


@pytest.mark.slow
def test_odd_uploads_are_taken_whole_or_refused():
    pytest.importorskip("starlette", reason="the extra app is not installed")
    statuses = fuzzed(0, 60, "uploads")
    assert set(statuses) <= {"200", "303", "400", "404", "None"}
    assert statuses["303"] >= 20
    assert statuses["200"] >= 10


def test_a_call_that_is_to_fail_is_one_that_the_run_makes():
    from fuzzing.draw import Draw
    from fuzzing.faults import Failing

    drawn = {
        (one.call, one.number) for one in (Failing.drawn(Draw(seed), {"open": 2, "link": 1}) for seed in range(60))
    }
    assert drawn == {("open", 1), ("open", 2), ("link", 1)}


@pytest.mark.parametrize(
    ("body", "files"),
    [
        (b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\na\r\n--xy\r\n--x--', [b"a\r\n--xy"]),
        (b'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\na\r\n--x--', []),
        (b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\na\r\n--x-', None),
        (b"--x\r\ncontent-disposition: a; name=file\r\n\r\n1\r\n" * 2 + b"--x--", [b"1", b"1"]),
    ],
)
def test_the_judge_of_uploads_reads_forms_without_the_toolbox(body, files):
    pytest.importorskip("starlette", reason="the extra app is not installed")
    from fuzzing.uploads import files_of_form

    assert files_of_form(body, b"x") == files


@pytest.mark.slow
@pytest.mark.parametrize("family", ["options", "plans", "uploads", "faults", "months", "surveys"])
def test_many_more_odd_words_and_failing_disks(family):
    assert sum(fuzzed(1_000, 1_000, family).values()) == 1_000


def test_a_case_is_the_same_whenever_it_is_drawn():
    from fuzzing.cases import draw_case

    assert [draw_case(seed) for seed in range(30)] == [draw_case(seed) for seed in range(30)]
