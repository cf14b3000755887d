"""The page of a run comes with the release, or neither of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from flows.on_engine_contract import BY_PERSON, TREES, Options, arguments_of, configured, people, visits
from helpers.duck_bench import DuckBench
from helpers.duck_engine import DuckEngine
from helpers.page_text import figures, rows, words
from sqlalchemy import func, select

import toolbox
from toolbox.config.model import Config, Limits
from toolbox.config.reading.overrides import Overrides
from toolbox.engines.engine import CountedRecords, CountRequest, Staged
from toolbox.errors import OutputError, UsageError
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.release.anonymize import run
from toolbox.flows.release.engine import run_on_engine
from toolbox.flows.release.pages import _share_memory
from toolbox.store.engine.store import Store
from toolbox.store.input.layout import Layout
from toolbox.store.input.source import Account
from toolbox.store.load.loading import Loaded
from toolbox.store.tables import Tables

PEOPLE = "name,age,town,illness,visits\n" + "".join(
    f"p{number},{20 + number % 4},{('Graz', 'Linz')[number % 2]},{('flu', 'cold')[number // 8]},{number}\n"
    for number in range(16)
)
ANATOMY = "<output filename='out.csv' format='anatomy'/>"


def config(folder: Path, output: str = "<output filename='out.csv' order='sorted'/>", **options: str) -> Config:
    (folder / "people.csv").write_text(PEOPLE)
    attributes = "method='Anatomy' l='2'" if output == ANATOMY else "method='Mondrian' k='4'"
    (folder / "c.xml").write_text(
        f"<config {attributes}><input filename='people.csv' header='true'/>{output}<id><att name='name'/></id>"
        "<qid><att name='age'/><att name='town' type='category'/></qid>"
        "<sens><att name='illness' type='category'/></sens></config>"
    )
    return read_configuration(folder / "c.xml", Overrides(html=str(folder / "r.html"), **options))


@pytest.mark.slow
def test_a_run_writes_the_page_beside_its_release(tmp_path: Path) -> None:
    run(config(tmp_path))
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.xml", "out.csv", "people.csv", "r.html"]
    assert "Release report: out.csv" in words(page)
    assert "satisfies k-anonymity with k = 4" in words(page)
    assert ["21", "4", "4"] in rows(page)
    assert "Nobody declared this column, and it is released unchanged: visits." in words(page)
    assert str(tmp_path / "people.csv") in words(page)


def test_whose_sensitive_value_follows_from_the_class_is_told_by_the_run_too(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,illness\n" + "20,flu\n" * 3 + "60,gout\n60,flu\n60,flu\n")
    (tmp_path / "c.xml").write_text(
        "<config method='Mondrian' k='3'><input filename='people.csv' header='true'/><output filename='out.csv'/>"
        "<qid><att name='age'/></qid><sens><att name='illness' type='category'/></sens></config>"
    )
    asked = Overrides(html=str(tmp_path / "r.html"), report=str(tmp_path / "r.json"))
    summary = run(read_configuration(tmp_path / "c.xml", asked)).summary
    (advice,) = summary.advice
    assert advice.finding == "illness is certain of 3 people, whose class has one value of it."
    document = json.loads((tmp_path / "r.json").read_text())
    assert [each["finding"] for each in document["advice"]] == [advice.finding]


def test_a_public_page_says_which_values_are_true_of_nobody(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,pay,illness\n" + "".join(f"{20 + n},{n * 100},flu\n" for n in range(6)))
    (tmp_path / "c.xml").write_text(
        "<config method='MDAV' k='3'><input filename='people.csv' header='true'/><output filename='out.csv'/>"
        "<qid><att name='age'/></qid><sens><att name='illness' type='category'/></sens>"
        "<released><att name='pay' treat='noise:gaussian:50'/></released></config>"
    )
    asked = Overrides(html=str(tmp_path / "r.html"), report_kind="public")
    run(read_configuration(tmp_path / "c.xml", asked))
    page = words((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "Not proved: age: values are means of groups, and not true of the record." in page
    assert "Not proved: pay: what is shown is not true of the record." in page


@pytest.mark.slow
def test_the_same_input_makes_the_same_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    pages = []
    for _ in range(2):
        run(config(tmp_path))
        pages.append((tmp_path / "r.html").read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_a_split_release_is_judged_as_its_readers_find_it(tmp_path: Path) -> None:
    run(config(tmp_path, split_size="1KB"))
    assert "Records released 16 rows of the release" in words((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_an_anatomy_is_judged_by_both_its_files(tmp_path: Path) -> None:
    run(config(tmp_path, ANATOMY))
    said = words((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "satisfies distinct l-diversity of illness with l = 2." in said
    assert "could not be measured" not in said


def test_the_judges_take_half_of_the_memory_of_the_run(tmp_path: Path) -> None:
    limits = Limits(memory="400MB")
    with Store(tmp_path, limits) as store:
        with _share_memory(made_in(store), limits) as shared:
            assert shared.memory == "200MB"
            assert memory_of(store) == pytest.approx(200e6, rel=0.01)
            with Store(tmp_path, shared) as judging:
                assert memory_of(judging) == pytest.approx(200e6, rel=0.01)
        assert memory_of(store) == pytest.approx(400e6, rel=0.01)


def made_in(store: Store) -> Loaded:
    nothing = store.create_constant("combinations", {"size": (int, [])})
    tables = Tables(
        store=store,
        quasi_identifiers=(),
        records=None,
        keys=None,
        equivalence=nothing,
        combinations=nothing,
        record_count=0,
    )
    layout = Layout((), True, (), (), (), (), ())
    return Loaded(tables, layout, records_read=0, records_skipped=0, account=Account())


def memory_of(store: Store) -> float:
    """Return what the engine says that it may take, in bytes."""
    number, unit = str(store.scalar(select(func.current_setting("memory_limit")))).split()
    return float(number) * {"MiB": 2**20, "GiB": 2**30}[unit]


@pytest.mark.slow
def test_so_many_combinations_are_not_compared_which_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("income,sex\n" + "".join(f"{n},{'FM'[n % 2]}\n" for n in range(200_001)))
    (tmp_path / "c.xml").write_text(
        "<config method='Mondrian' k='2'><input filename='people.csv' header='true'/><output filename='out.csv'/>"
        "<qid><att name='income'/></qid><sens><att name='sex'/></sens></config>"
    )
    run(read_configuration(tmp_path / "c.xml", Overrides(html=str(tmp_path / "r.html"))))
    page = words((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "The original records have 200,001 different combinations. With so many, a run does not compare" in page
    assert "Before: 200,001 of 200,001 records (100.0%) were in classes below k = 2, and 200,001 were alone." in page
    assert "Measured afterwards, they take minutes: toolbox report --original FILE." in page
    assert "The release was not compared with the original records." in page
    assert "Detail left" not in page


@pytest.mark.slow
def test_where_the_page_cannot_be_written_nothing_is_released(tmp_path: Path) -> None:
    wanted = config(tmp_path)
    (tmp_path / "r.html").mkdir()
    with pytest.raises(OutputError):
        run(wanted)
    assert not (tmp_path / "out.csv").exists()


def test_a_release_that_becomes_a_table_without_an_engine_has_no_page(tmp_path: Path) -> None:
    wanted = config(tmp_path)
    with pytest.raises(UsageError, match="--html describes a release in files"):
        run(replace(wanted, output=replace(wanted.output, path=None)))


# Where the records stay in an engine, counts are judged

WHO: Options = {"quasi_identifiers": ["age", "town"], "sensitive": ["illness"], "identifiers": ["person"], "k": 5}
DIVERSE = [toolbox.DistinctLDiversity(l=2, attribute="illness")]


def pages(
    folder: Path, options: Options, records: pa.Table, double: type[DuckEngine] = DuckEngine, kind: str = "internal"
) -> list[str]:
    """Return the page of a run on an engine, and that of a run on a file of the same records."""
    arguments, bench = arguments_of(options), DuckBench(double)
    bench.fill(records)
    described = configured(options, records)
    pq.write_table(records, folder / "people.parquet")
    output = replace(described.output, html=folder / "page.html")
    there = replace(described, output=output, others={**described.others, "report_kind": kind})
    here = replace(output, remote=None, path=folder / "release.parquet")
    chosen: Any = {"method": arguments.chosen_method, "models": arguments.models}
    run_on_engine(there, bench.engine(), **chosen)
    found = [(folder / "page.html").read_text(encoding="utf-8")]
    assert described.input is not None
    run(replace(there, input=replace(described.input, path=folder / "people.parquet"), output=here), **chosen)
    return [*found, (folder / "page.html").read_text(encoding="utf-8")]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({**WHO, "models": DIVERSE}, "internal"),
        ({**WHO, **TREES, "method": "Incognito", "suppression_threshold": 30, "on_missing": "skip"}, "internal"),
        ({**WHO, **TREES, "method": "Datafly", "suppression_threshold": 30, "suppressed": "drop"}, "internal"),
        ({**WHO, "output_format": "genValsDist"}, "internal"),
        ({**WHO, "models": DIVERSE}, "public"),
    ],
)
def test_the_page_of_an_engine_has_the_figures_of_a_run_on_a_file(tmp_path: Path, options: Options, kind: str) -> None:
    """The losses, who was at risk before, and both sides of each picture as well."""
    records = people(lacking="on_missing" in options)
    there, here = pages(tmp_path, options, records, kind=kind)
    assert figures(there) == figures(here)
    assert ("This page is made of counts: of the release as it was written" in words(there)) == (kind == "internal")
    assert ("Detail left" in words(there)) == (kind == "internal")


def test_whose_sensitive_value_follows_from_the_class_is_told_by_a_run_on_an_engine_too(tmp_path: Path) -> None:
    records = pa.table({"age": [20] * 3 + [60] * 3, "illness": ["flu"] * 3 + ["gout", "flu", "flu"]})
    described = configured({"quasi_identifiers": ["age"], "sensitive": ["illness"], "k": 3}, records)
    output = replace(described.output, html=tmp_path / "page.html", report=tmp_path / "r.json")
    (advice,) = run_on_engine(replace(described, output=output), DuckEngine.of(records)).summary.advice
    assert advice.finding == "illness is certain of 3 people, whose class has one value of it."
    document = json.loads((tmp_path / "r.json").read_text())
    assert [each["finding"] for each in document["advice"]] == [advice.finding]


@pytest.mark.slow
def test_by_person_the_page_of_an_engine_counts_records_as_that_of_a_file_does(tmp_path: Path) -> None:
    """But for the losses, where a run on a file counts the persons of its input."""
    there, here = pages(tmp_path, {**BY_PERSON, "k": 5}, visits())
    assert figures(there)[:40] == figures(here)[:40]
    assert "The figures of this page count records" in words(there)
    assert "The proof has counted persons, by person" in words(there)


@pytest.mark.slow
def test_sensitive_values_that_are_too_many_for_a_page_do_not_stop_the_release(tmp_path: Path) -> None:
    class Narrow(DuckEngine):
        def recount(self, staged: Staged, request: CountRequest) -> CountedRecords:
            return super().recount(staged, replace(request, most=40 if "illness" in request.by else 5_000))

    there, here = map(words, pages(tmp_path, {**WHO, "models": DIVERSE}, people(), Narrow))
    assert "The classes hold too many different sensitive values to be counted for this page." in there
    assert "distinct l-diversity of illness" in there
    assert "sensitive, released as it is" in there
    certain = "In no class does everybody have the same value of illness."
    assert (certain in there, certain in here) == (False, True)


TOWNS = "south;south;*\nnorth;south;*\nwest;far;*\n"
"""One value is called as a node above others is, so that only a reader of the texts takes both for one."""


_ON_FILES = "All figures were measured on the finished release, by code that has no part in making it."
_ON_TABLES = (
    "All figures were measured in the tables that were proved and of which the release was written, by code that has no "
    "part in making it. The files themselves were not read again."
)


@pytest.mark.parametrize(
    ("attributes", "more"),
    [
        pytest.param("method='Datafly' k='30' suppThreshold='20%'", {"suppressed": "drop"}),
        pytest.param("method='Datafly' k='30' suppThreshold='20%'", {}, marks=pytest.mark.slow),
        pytest.param("method='Mondrian' k='4'", {}, marks=pytest.mark.slow),
        pytest.param("method='LocalRecoding' k='3'", {}, marks=pytest.mark.slow),
    ],
)
def test_the_page_of_very_many_combinations_says_what_a_reader_of_the_file_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attributes: str, more: dict[str, str]
) -> None:
    ills, pays = ("flu", "gout", "", '"a, b"'), ("1", "1.0", "2,5", "", "1000")
    rows = [f"{n % 31};{('south', 'north', 'west')[n % 7 % 3]};{ills[n % 4]};{pays[n % 5]}" for n in range(300)]
    people = "\n".join(["age;town;illness;pay", *rows])
    (tmp_path / "people.csv").write_text(people)
    (tmp_path / "towns.csv").write_text(TOWNS)
    (tmp_path / "c.xml").write_text(
        f"<config {attributes}><input filename='people.csv' header='true' separator=';' missing='' onMissing='keep'/>"
        "<output filename='out.csv' order='sorted'/><qid><att name='age'><vgh build='intervals' width='5,10,20'/></att>"
        "<att name='town'><vgh file='towns.csv'/></att></qid><sens><att name='illness'/><att name='pay'/></sens></config>"
    )
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setattr("toolbox.flows.release.pages._MOST_COMPARED", 0)
    told = []
    for escaping in (None, "true"):
        # What may be escaped in the file is read there.
        options = {"html": str(tmp_path / "r.html"), "escape_formulas": escaping, **more}
        run(read_configuration(tmp_path / "c.xml", Overrides(**options)))
        told.append((tmp_path / "r.html").read_text(encoding="utf-8"))
    counted, read = told
    assert _ON_FILES not in counted
    assert _ON_TABLES not in read
    assert counted.replace(_ON_TABLES, _ON_FILES) == read


@pytest.mark.slow
def test_classes_that_only_a_reader_of_the_texts_takes_for_one_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = {"south,f": 50, "south,m": 3, "north,m": 2, "west,f": 50, "west,m": 50}
    rows = [f"{row},{'flu' if n % 2 else 'gout'}" for row, count in people.items() for n in range(count)]
    (tmp_path / "people.csv").write_text("\n".join(["town,sex,illness", *rows]))
    (tmp_path / "towns.csv").write_text(TOWNS)
    (tmp_path / "c.xml").write_text(
        "<config method='LocalRecoding' k='5'><input filename='people.csv' header='true'/>"
        "<output filename='out.csv' order='sorted'/><qid><att name='town'><vgh file='towns.csv'/></att>"
        "<att name='sex' type='category'/></qid><sens><att name='illness'/></sens></config>"
    )
    monkeypatch.setattr("toolbox.flows.release.pages._MOST_COMPARED", 0)
    run(read_configuration(tmp_path / "c.xml", Overrides(html=str(tmp_path / "r.html"))))
    assert (tmp_path / "out.csv").read_text().count("south,m") == 5
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Smallest class 5 records" in words(page)
    assert "Classes 4" in words(page)
