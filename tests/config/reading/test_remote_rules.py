"""What no engine does, and what no table of a database can be: each is refused with a remedy."""

from pathlib import Path

import pytest

from toolbox.config.formats import AS_IN_2010, FORMATS, OUR_OWN
from toolbox.config.model import EngineChoice, Limits, MethodFacts, Output, Remote
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.places import Places, check_remote
from toolbox.errors import Findings

TABLE = Remote(url="postgresql://h/db", table="t")
ENGINE = EngineChoice(name="postgresql", url=TABLE.url)
IN_ENGINE = Places(input=TABLE, output=TABLE, engine=ENGINE)
WRITTEN = Places(output=TABLE)
READ_HERE = "Leave it out, or read the records here: name another output."
ANATOMY = MethodFacts(name="Anatomy", full_domain=False, settings={}, only_format="anatomy")
FILE = Path("f")


def faults(places, *, method=None, limits=Limits(), compatibility=OUR_OWN, **output):
    findings = Findings()
    form = FORMATS[output.pop("form", "genVals")]
    given = Output(**{"path": None, "format": form, "order": "shuffled", "remote": places.output, **output})
    check_remote(places, given, limits, method, compatibility, findings, Overrides.called)
    return [str(fault) for fault in findings.faults]


def about_files(option):
    return f"{option} is about files, and the records stay in the engine postgresql. {READ_HERE}"


OF_ENGINES = [
    ({"order": "input"}, "order=input is asked for, and an engine keeps no order of records. Leave it out."),
    ({"order": "sorted"}, "order=sorted is asked for, and an engine keeps no order of records. Leave it out."),
    ({"rejects": FILE}, about_files("--rejects")),
    ({"split_size": 1}, about_files("--split-size")),
    ({"partition_by": ("year",)}, about_files("--partition-by")),
    ({"escapes_formulas": True}, about_files("--escape-formulas")),
    ({"input_digest": "keyed"}, about_files("--input-digest")),
    ({"limits": Limits(store=FILE)}, about_files("--store")),
    (
        {"compatibility": AS_IN_2010},
        f"compatibility asks for the files of 2010, which no engine writes. {READ_HERE}",
    ),
    (
        {"form": "anatomy"},
        "anatomy deals single records into groups, which no engine does. Choose another method and format.",
    ),
    (
        {"form": "anatomy", "method": ANATOMY},
        "Anatomy deals single records into groups, which no engine does. Choose another method and format.",
    ),
]
OF_TABLES = [
    ({"form": "anatomy"}, "anatomy makes two tables, and the output names one. Name a file as the output."),
    (
        {"split_size": 1},
        "--split-size is about files, and the output is a table of a database. Leave it out.",
    ),
    (
        {"partition_by": ("year",)},
        "--partition-by is about files, and the output is a table of a database. Leave it out.",
    ),
    (
        {"escapes_formulas": True},
        "--escape-formulas is about text, and the output is a table of a database. Leave it out.",
    ),
    (
        {"compatibility": AS_IN_2010},
        "compatibility asks for the files of 2010, and the output is a table. Name a file as the output.",
    ),
]


@pytest.mark.parametrize(("asked", "fault"), OF_ENGINES)
def test_what_needs_the_records_is_refused_in_an_engine(asked, fault):
    assert faults(IN_ENGINE, **asked) == [fault]


@pytest.mark.parametrize(("asked", "fault"), OF_TABLES)
def test_what_is_about_files_is_refused_for_a_table(asked, fault):
    assert faults(WRITTEN, **asked) == [fault]


@pytest.mark.parametrize("role", ["input", "output"])
def test_both_tables_must_be_in_the_engine(role):
    places = Places(**{name: TABLE for name in ("input", "output") if name != role}, engine=ENGINE)
    assert faults(places) == [
        f"The {role} is not in the engine postgresql. Records stay there: name a place of the engine."
    ]


def test_what_an_engine_does_is_not_refused():
    for form in ("genVals", "genValsDist"):
        assert faults(IN_ENGINE, form=form, suppressed="drop", report=FILE, statistics="rounded", replaces=True) == []


def test_what_a_table_can_be_is_not_refused():
    for order in ("input", "sorted", "shuffled"):
        assert faults(WRITTEN, order=order, report=FILE, rejects=FILE, input_digest="plain", form="genValsDist") == []


def test_a_release_that_is_a_file_may_be_anything():
    asked = [*OF_ENGINES, *OF_TABLES]
    assert [faults(Places(input=TABLE), **options) for options, _ in asked] == [[] for _ in asked]
    assert [faults(Places(), **options) for options, _ in asked] == [[] for _ in asked]


def test_all_that_is_refused_is_told_at_once():
    found = faults(IN_ENGINE, order="input", split_size=1, rejects=FILE, compatibility=AS_IN_2010, form="anatomy")
    assert len(found) == 4
