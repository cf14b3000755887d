"""The judge of fuzzed releases complains about each thing that can be wrong, and about nothing else."""

import json
import math
from dataclasses import replace

import pytest
from fuzzing.builders import built_of_categories, built_of_numbers
from fuzzing.cases import Told
from fuzzing.columns import Column
from fuzzing.covering import covers
from fuzzing.dialects import Dialect, Line
from fuzzing.draw import Draw
from fuzzing.hierarchies import Generalisations
from fuzzing.judge import Judge
from fuzzing.months import JANUARY, MonthJudge, draw_months
from fuzzing.options import Options
from fuzzing.surveys import SurveyJudge, draw_survey, find_wrong_pairs

NO_LABELS = Generalisations()
TOWNS = Generalisations(
    "", {}, {"Graz": frozenset({"south"}), "Linz": frozenset({"north"}), "Wien": frozenset({"north"})}
)
COLUMNS = (
    Column("age", "qid", "number", ("21", "25", "60"), NO_LABELS, False),
    Column("town", "qid", "category", ("Graz", "Linz", "Wien"), TOWNS, True),
    Column("illness", "sens", "category", ("flu", "gout"), NO_LABELS, False),
    Column("id", "id", "number", (), NO_LABELS, False),
    Column("note", "other", "number", (), NO_LABELS, False),
)
RECORDS = (
    ("21", "Linz", "flu", "1", "a"),
    ("25", "Wien", "gout", "2", "b"),
    ("60", "Graz", "flu", "3", None),
    ("60", "Graz", "flu", "4", ""),
)
GOOD = 'age,town,illness,note\n[21:25],north,flu,a\n[21:25],"{Linz,Wien}",gout,b\n60,Graz,flu,\n60,Graz,flu,""\n'
GOOD = GOOD.replace('"{Linz,Wien}"', "north")
DIALECT = Dialect(
    separator=",",
    encoding="utf-8",
    line_ends=("\n",),
    header=True,
    quotes=0,
    quotes_least=False,
    blank_lines=0,
    uneven_lines=0,
    byte_order_mark=False,
)


def options(**given):
    plain = {
        "method": "Mondrian",
        "k": 2,
        "output": "out.csv",
        "format": "genVals",
        "missing": "?",
        "on_missing": "skip",
        "suppressed": "keep",
        "seed": None,
        "separator": None,
        "split": False,
        "max_rejects": None,
    }
    return Options(**plain | given)


def document(**given):
    plain = {
        "records_read": 4,
        "records_skipped": 0,
        "lines_rejected": 0,
        "lines_blank": 0,
        "records_suppressed": 0,
        "records_released": 4,
        "requirements": [{"name": "k-anonymity", "attribute": None, "parameters": {"k": 2}}],
        "release": ["out.csv"],
    }
    return json.loads(json.dumps(plain | given))


def faults(folder, release, *, said=None, lines=RECORDS, **given):
    (folder / "out.csv").write_text(release, encoding="utf-8", newline="")
    known = tuple(line if isinstance(line, Line) else Line("record", line) for line in lines)
    told = Told(COLUMNS, options(**given), DIALECT, ("in.csv",), known)
    return "\n".join(Judge(told, folder, document(**said or {})).faults())


def test_a_good_release_has_no_fault(tmp_path):
    assert faults(tmp_path, GOOD) == ""
    assert faults(tmp_path, GOOD.replace("north", '"{Linz,Wien}"').replace("60", "[60:60]")) == ""
    assert faults(tmp_path, GOOD.replace("[21:25]", "[ 21 :25 ]")) == ""


def test_what_a_builder_promises_of_each_text():
    drawn = {}
    for seed in range(200):
        made = built_of_categories(Draw(seed), ["Graz", "flu"])
        drawn[made.words] = (made.labels["Graz"], made.labels["flu"])
    assert drawn["prefix:2"] == ({"Gr**"}, {"fl*"})
    assert drawn["prefix:3,1"] == ({"Gra*", "G***"}, {"flu", "f**"})
    assert drawn["suffix:1"] == ({"***z"}, {"**u"})
    assert drawn["email:other=root"] == (set(), set())
    assert drawn["auto:1"] == ({"flu..Graz"}, {"flu..Graz"})
    assert drawn['order:"Graz","flu":size=2,4'] == ({"Graz..flu"}, {"Graz..flu"})
    # What is listed alone stays as it is, what is not has the root alone.
    assert drawn['order:"flu":size=2,4:other=root'] == (set(), set())


def test_an_end_of_a_range_that_could_be_read_in_two_ways_stands_in_quotes():
    made = [built_of_categories(Draw(seed), ['"a"', "b"]) for seed in range(200)]
    chosen = next(one for one in made if one.words == "auto:1")
    assert chosen.labels == {'"a"': {'"""a"""', '"""a"""..b'}, "b": {'"""a"""..b'}}


def test_a_built_interval_covers_what_it_says():
    column = Column("age", "qid", "number", ("4", "5"), built_of_numbers(Draw(0), ["4", "5"]), True)
    shown = {label: [covers(column, label, text) for text in ("4", "5")] for label in ("<5", ">=5", "[4:5)", "<4", "*")}
    assert shown == {
        "<5": [True, False],
        ">=5": [False, True],
        "[4:5)": [True, False],
        "<4": [False, False],
        "*": [True, True],
    }


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("[21:25],north,gout,b\n", "", "the release has 3 records, not 4"),
        ("60,Graz,flu,\n", "60,Graz,flu,\n60,Graz,flu,\n", "the release has 5 records, not 4"),
        ("north,flu,a\n[21:25],north,gout,b", "north,gout,b\n[21:25],north,flu,a", "record 1"),
        ("[21:25],north,gout", "[21:25),north,gout", "column 0 shows '[21:25)' for '25'"),
        ("[21:25],north,gout", "[21:25],south,gout", "column 1 shows 'south' for 'Wien'"),
        ("[21:25],north,gout", "[21:25],{Linz},gout", "column 1 shows '{Linz}' for 'Wien'"),
        ("60,Graz,flu,\n", "61,Graz,flu,\n", "column 0 shows '61' for '60'"),
        ("north,gout", "north,flu", "column 2 has 'flu' instead of 'gout'"),
        ('flu,""', "flu,", "column 4 has None instead of ''"),
        ("[21:25],north,gout", "[20:25],north,gout", "a class of 1 records violates k-anonymity"),
        ("note", "notes", "the header is"),
        ("[21:25],north,gout,b", "[21:25],north,gout", "1 lines that are no records"),
    ],
)
def test_each_wrong_release_has_a_fault(tmp_path, right, wrong, complaint):
    assert right in GOOD
    assert complaint in faults(tmp_path, GOOD.replace(right, wrong, 1))


def test_every_line_of_the_input_is_accounted_for(tmp_path):
    more = (*RECORDS, Line("rejected"), Line("blank"), ("", "Graz", "flu", "5", "c"), ("60", "Graz", "?", "6", "d"))
    said = {"records_read": 6, "records_skipped": 2, "lines_rejected": 1, "lines_blank": 1}
    assert faults(tmp_path, GOOD, lines=more, said=said) == ""
    for name, count in said.items():
        assert f"{name} is {count - 1}, and the input has {count}" in faults(
            tmp_path, GOOD, lines=more, said={**said, name: count - 1}
        )


@pytest.mark.parametrize(("limit", "allowed"), [(None, 10), ("3", 3), ("50%", 4), ("100%", 1000)])
def test_a_release_of_half_a_file_is_none(tmp_path, limit, allowed):
    for rejected in (min(allowed, 20), min(allowed, 20) + 1):
        lines = (*RECORDS, *[Line("rejected")] * rejected)
        complaint = faults(tmp_path, GOOD, lines=lines, said={"lines_rejected": rejected}, max_rejects=limit)
        assert ("more than is allowed" in complaint) is (rejected > allowed)


def test_formulas_are_escaped_and_read_back(tmp_path):
    lines = [(*record[:4], note) for record, note in zip(RECORDS, ("=1+1", "'=1", "-5", "-"), strict=True)]
    release = "age,town,illness,note\n[21:25],north,flu,'=1+1\n[21:25],north,gout,''=1\n60,Graz,flu,-5\n60,Graz,flu,-\n"
    assert faults(tmp_path, release, lines=lines, is_escaped=True) == ""
    assert "has formulas" in faults(tmp_path, release.replace("'=1+1", "=1+1"), lines=lines, is_escaped=True)
    assert "column 4 has" in faults(tmp_path, release.replace("''=1", "'=1"), lines=lines, is_escaped=True)
    assert "column 4 has" in faults(tmp_path, release, lines=lines)


def test_only_a_suppressed_class_at_the_roots_may_be_small(tmp_path):
    small = GOOD.replace('60,Graz,flu,""', '*,*,flu,""').replace("60,Graz,flu,\n", "60,*,flu,\n")
    assert faults(tmp_path, small).count("a class of 1 records violates") == 2
    assert faults(tmp_path, small, said={"records_suppressed": 1}).count("a class of 1 records violates") == 1


def test_dropped_records_are_missed_by_nobody(tmp_path):
    said = {"records_suppressed": 2, "records_released": 2}
    assert faults(tmp_path, GOOD.partition("60")[0], said=said, suppressed="drop") == ""
    assert "the release has 2 records" in faults(tmp_path, GOOD.partition("60")[0], suppressed="drop")


def test_what_was_asked_for_must_be_required(tmp_path):
    assert "the requirements lack k = 3" in faults(tmp_path, GOOD, k=3)


@pytest.mark.parametrize(
    ("name", "parameters", "holds"),
    [
        ("distinct l-diversity", {"l": 1}, True),
        ("distinct l-diversity", {"l": 2}, False),
        ("entropy l-diversity", {"l": 1}, True),
        ("entropy l-diversity", {"l": 1.5}, False),
        ("recursive (c,l)-diversity", {"c": 2, "l": 1}, True),
        ("recursive (c,l)-diversity", {"c": 1, "l": 1}, False),
        ("(alpha,k)-anonymity", {"alpha": 1, "k": 2}, True),
        ("(alpha,k)-anonymity", {"alpha": 0.9, "k": 2}, False),
        ("p-sensitive k-anonymity", {"p": 2, "k": 2}, False),
        ("t-closeness", {"t": 0.25, "distance": "equal"}, True),
        ("t-closeness", {"t": 0.24, "distance": "equal"}, False),
    ],
)
def test_models_of_sensitive_columns(tmp_path, name, parameters, holds):
    # The class of Graz has the flu twice, that of the north flu and gout, the table three times flu.
    asked = [{"name": name, "attribute": "column 2", "parameters": parameters}]
    complaint = faults(tmp_path, GOOD, said={"requirements": asked}, method="Incognito_l")
    assert (complaint == "") is holds


def anatomy_faults(folder, quasi, rest):
    (folder / "out_QIT.csv").write_text(quasi)
    (folder / "out_ST.csv").write_text(rest)
    said = {"release": ["out_QIT.csv", "out_ST.csv"]}
    known = tuple(Line("record", record) for record in RECORDS)
    told = Told(COLUMNS, options(format="anatomy"), DIALECT, ("in.csv",), known)
    return "\n".join(Judge(told, folder, document(**said)).faults())


QUASI = "age,town,group\n25,Wien,0\n21,Linz,0\n60,Graz,1\n60.0,Graz,1\n"
REST = 'group,illness,note\n0,flu,a\n0,gout,b\n1,flu,""\n1,flu,\n'


def test_anatomy(tmp_path):
    assert anatomy_faults(tmp_path, QUASI, REST) == ""
    assert "quasi-identifiers that the input has not" in anatomy_faults(tmp_path, QUASI.replace("25", "24"), REST)
    assert "records that the input has not" in anatomy_faults(tmp_path, QUASI, REST.replace("gout", "flu"))
    assert "differ in size" in anatomy_faults(tmp_path, QUASI, REST.replace("0,gout", "1,gout"))
    assert "a class of 1 records violates" in anatomy_faults(tmp_path, QUASI, REST.replace("0,gout", "2,gout"))
    assert "has 4 and 3 records" in anatomy_faults(tmp_path, QUASI, REST.replace("1,flu,\n", ""))


GOOD_MONTH = """town,pay,seen,mail
north,1000,2024-01-05,{a}
north,1500,2024-01-09,{a}
north,2000,2024-02-01,{b}
""".replace("{a}", "a" * 32).replace("{b}", "b" * 32)


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        ("", "", ""),
        ("north,1000", "south,1000", "town shows 'south' for 'Linz'"),
        ("north,2000", "Wien,2000", "a class shows 1 persons, of 2"),
        ("1500", "1512", "pay by round:500: the promise is broken"),
        ("2024-01-09", "2024-01-08", "seen by shift:days=30: the promise is broken"),
        ("b" * 32, "a" * 32, "mail by pseudonym: the promise is broken"),
        ("b" * 32, "p2@example.org", "first.csv holds an address"),
        ("north,2000", "north,2000,,\nnorth,2000", "first.csv has 4 records, and january.csv 3"),
    ],
)
def test_of_a_month_persons_cells_and_treatments_are_judged(right, wrong, fault, tmp_path):
    treatments = {"pay": "round:500", "seen": "shift:days=30", "mail": "pseudonym"}
    months = replace(draw_months(0), quasi=(COLUMNS[1],), k=2, counted="person", treatments=treatments)
    (tmp_path / "january.csv").write_text(
        "town,person,pay,seen,mail\nLinz,p1,1100,2024-01-01,p1@example.org\n"
        "Wien,p1,1300,2024-01-05,p1@example.org\nWien,p2,1900,2024-01-31,p2@example.org\n"
    )
    (tmp_path / "first.csv").write_text(GOOD_MONTH.replace(right, wrong) if right else GOOD_MONTH)
    faults = list(MonthJudge(months, tmp_path).find_faults(JANUARY, {"records_suppressed": 0}))
    assert fault in faults if fault else faults == []


SURVEY = b"town,person,home,weight,pay\nLinz,a,1,2,1\nLinz,b,2,4,1\nWien,c,2,10,1\n"
RISKS = {
    "sample": {
        "smallest": 6.0,
        "below_k": 2,
        "light": 0,
        # Of two who stand for six, and of one who stands for ten: both forms are exact.
        "exact": {"expected": 2 * (0.5 - 0.25 * math.log(3)) + math.log(10) / 9, "highest": math.log(10) / 9},
        "household": None,
    }
}


@pytest.mark.parametrize(
    ("name", "figure", "fault"),
    [
        ("smallest", 6.0, None),
        ("smallest", 2.0, "smallest is 2.0, not 6.0"),
        ("below_k", 3, "below_k is 3, not 2"),
        ("exact", {"expected": 1.0, "highest": math.log(10) / 9}, "the exact risk, expected, is 1.0"),
    ],
)
def test_of_a_survey_the_risks_are_judged(name, figure, fault):
    survey = replace(
        draw_survey(0), files={"survey.csv": SURVEY}, quasi=(COLUMNS[1],), k=7, fraction=None, has_persons=False
    )
    faults = list(SurveyJudge(survey).find_wrong_risks({"sample": {**RISKS["sample"], name: figure}}))
    assert [each.startswith(fault) for each in faults] == [True] if fault else faults == []


@pytest.mark.parametrize(
    ("shown", "suppressed", "fault"),
    [
        (["south", "south", "south"], 0, "town shows what does not cover its original"),
        (["north", "north", "north"], 0, None),
        (["Linz", "Linz", "Wien"], 0, "a class stands for 6.0 people, of 7"),
        # What is suppressed shows nothing; another class is judged as ever.
        (["Linz", "Linz", "Wien"], 1, "a class stands for 6.0 people, of 7"),
        (["*", "*", "Wien"], 2, None),
    ],
)
def test_of_a_survey_the_people_of_each_class_are_judged(shown, suppressed, fault):
    survey = replace(
        draw_survey(0), files={"survey.csv": SURVEY}, quasi=(COLUMNS[1],), k=7, fraction=None, has_persons=False
    )
    faults = list(SurveyJudge(survey).find_small_classes([{"town": town} for town in shown], suppressed))
    assert faults == ([fault] if fault else [])


@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        ({"before": 1, "after": 2.0, "lowest": 0, "highest": 2}, None),
        ({"before": 3, "after": 2.0, "lowest": 0, "highest": 2}, "a cell of ['a', 'b'] is outside its bounds"),
        ({"before": 1, "after": 1.0, "lowest": 0, "highest": 2}, "the cells of ['a', 'b'] add up to 1.0, not 2"),
    ],
)
def test_of_a_pair_of_columns_each_cell_allows_what_the_original_is(cell, fault):
    pairs = {"pairs": [{"columns": ["a", "b"], "cells": [cell], "more_cells": 0}]}
    assert list(find_wrong_pairs(pairs, 2)) == ([fault] if fault else [])
