"""A run on an engine proves what was written: engines that do one thing wrong publish nothing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from engines.postgresql_bench import PostgreSQLBench
from flows.on_engine_contract import Options, arguments_of, configured, made_there
from helpers.duck_bench import DuckBench
from helpers.duck_engine import INPUT, RELEASE, STAGED, DuckEngine
from helpers.plugged import install

import toolbox
from toolbox.config.model import Column, Config, Remote
from toolbox.config.reading.recoding import read_recoding
from toolbox.engines.engine import CountedRecords, CountRequest, RecordRecoding, Staged
from toolbox.errors import EngineError, InputError, OutputError, ProofError, UsageError
from toolbox.flows.release.engine import run_on_engine
from toolbox.flows.release.pipeline import Outcome

PEOPLE = pa.table(
    {
        "name": [f"name {place}" for place in range(13)],
        "age": pa.array([20, 21, 22, 30, 31, 32, 40, 41, 42, 50, 51, 52, 20], pa.int64()),
        "sick": [*["flu", "cold", "gout"] * 4, None],
        "note": [f"note {place}" for place in range(13)],
    }
)
"""Four classes of three, and a record that lacks a value, though others have its age."""
DECADES = [(age, f"{age // 10 * 10}s", "*") for age in (*PEOPLE["age"].to_pylist()[:12], 70)]
WHO: Options = {
    "quasi_identifiers": ["age"],
    "sensitive": ["sick"],
    "identifiers": ["name"],
    "models": [toolbox.KAnonymity(k=3), toolbox.DistinctLDiversity(l=2, attribute="sick")],
    "hierarchies": {"age": DECADES},
    "method": "Incognito",
    "on_missing": "skip",
    "suppression_threshold": 0,
}
RELEASED = Counter(
    (f"{age // 10 * 10}s", sick, note)
    for age, sick, note in zip(*(PEOPLE[name].to_pylist()[:12] for name in ("age", "sick", "note")), strict=True)
)
OLD = [("an older release",)]


def run(engine: DuckEngine, options: Options = WHO, **changes: Any) -> Outcome:
    """Run on an engine that holds these people."""
    arguments = arguments_of(options)
    config = replace(configured(options, PEOPLE), **changes)
    return run_on_engine(config, engine, method=arguments.chosen_method, models=arguments.models)


def bench_of(double: type[DuckEngine], records: pa.Table = PEOPLE) -> DuckBench:
    bench = DuckBench(double)
    bench.fill(records)
    return bench


def require_nothing_published(
    double: type[DuckEngine], says: str, options: Options = WHO, records: pa.Table = PEOPLE
) -> None:
    """Run on a mutant: the proof fails in these words, an old release stays, and nothing else is left."""
    bench = bench_of(double, records)
    bench.database.execute(f"CREATE TABLE {RELEASE} AS SELECT 'an older release' AS text")
    engine = bench.engine(replace=True)
    with pytest.raises(ProofError, match=says) as caught:
        run(engine, options)
    assert "publish" not in engine.calls
    assert bench.tables() == {INPUT, RELEASE}
    assert bench.released() == OLD
    assert not any(cell in str(caught.value) for cell in ("flu", "note 1", "name 1", "20s"))


@pytest.mark.slow
def test_the_engine_that_does_as_it_should_publishes_the_release_before_its_report(tmp_path: Path) -> None:
    """Whoever waits is told once, as soon as the release is published."""
    report = tmp_path / "report.json"
    there: list[bool] = []
    told: list[str] = []

    class Spy(DuckEngine):
        def publish(self, staged: Staged) -> None:
            there.append(report.exists())
            super().publish(staged)

    bench = bench_of(Spy)
    engine, arguments, config = bench.engine(), arguments_of(WHO), configured(WHO, PEOPLE)
    summary = run_on_engine(
        replace(config, output=replace(config.output, report=report)),
        engine,
        method=arguments.chosen_method,
        models=arguments.models,
        placed=lambda: told.append(engine.calls[-1]),
    ).summary
    assert Counter(bench.released() or []) == RELEASED
    assert engine.calls == ["schema", "count", "write", "recount", "publish"]
    assert (summary.records_read, summary.records_skipped, summary.proof.records) == (13, 1, 12)
    assert (summary.proof.classes, summary.proof.smallest_class) == (4, 3)
    assert "The records have no order: an engine keeps none." in summary.notes
    assert (told, there) == (["publish"], [False])
    document = json.loads(report.read_text())
    assert (document["records_released"], document["release"]) == (12, ["release"])


# Wrong in what it writes

WRONG_SIZE = "a class is missing, invented or of another size"
CHANGED = "records were exchanged or changed"
FIRST = f"rowid = (SELECT min(rowid) FROM {STAGED})"


def writing(*statements: str) -> type[DuckEngine]:
    """Return a mutant that does something more when it has written the release."""

    class Mutant(DuckEngine):
        def write(self, recoding: RecordRecoding) -> Staged:
            staged = super().write(recoding)
            before = self.database.sql(f"FROM {STAGED}").fetchall()
            for statement in statements:
                self.database.execute(statement)
            assert Counter(before) != Counter(self.database.sql(f"FROM {STAGED}").fetchall())
            return staged

    return Mutant


def exchange(column: str, one: str, other: str) -> str:
    """Return the statement that exchanges the values of two records, known by their notes, in one column."""
    return (
        f"UPDATE {STAGED} SET {column} = there.{column} FROM {STAGED} there "
        f"WHERE {STAGED}.note IN ('{one}', '{other}') AND there.note IN ('{one}', '{other}') "
        f"AND there.note <> {STAGED}.note"
    )


# By default the first and the last are tried: the proof finds one by the sizes, and the other by the sums.
SPOILT: dict[str, tuple[str, str]] = {
    "a record is lost": (f"DELETE FROM {STAGED} WHERE {FIRST}", WRONG_SIZE),
    "a record is doubled": (f"INSERT INTO {STAGED} FROM {STAGED} WHERE {FIRST}", WRONG_SIZE),
    "a class is lost": (f"DELETE FROM {STAGED} WHERE age = '30s'", WRONG_SIZE),
    "all is lost": (f"DELETE FROM {STAGED}", WRONG_SIZE),
    "all is doubled": (f"INSERT INTO {STAGED} FROM {STAGED}", WRONG_SIZE),
    "a text is wrong": (f"UPDATE {STAGED} SET age = '20t' WHERE {FIRST}", WRONG_SIZE),
    "a text is null": (f"UPDATE {STAGED} SET age = NULL WHERE {FIRST}", WRONG_SIZE),
    "an original value is shown": (f"UPDATE {STAGED} SET age = '20' WHERE note = 'note 0'", WRONG_SIZE),
    "two classes show one text": (f"UPDATE {STAGED} SET age = '20s' WHERE age = '30s'", WRONG_SIZE),
    "a record is in another class": (f"UPDATE {STAGED} SET age = '20s' WHERE note = 'note 5'", WRONG_SIZE),
    "two classes of one size exchange their texts": (
        f"UPDATE {STAGED} SET age = CASE age WHEN '20s' THEN '30s' ELSE '20s' END WHERE age IN ('20s', '30s')",
        CHANGED,
    ),
    "a passed value is changed": (f"UPDATE {STAGED} SET note = 'note' WHERE note = 'note 1'", CHANGED),
    "a passed value is lost": (f"UPDATE {STAGED} SET note = NULL WHERE note = 'note 1'", CHANGED),
    "a sensitive value is changed": (f"UPDATE {STAGED} SET sick = 'flu' WHERE note = 'note 1'", CHANGED),
    "two records of a class exchange a value": (exchange("sick", "note 0", "note 1"), CHANGED),
    "one is lost and another of its class doubled": (
        f"UPDATE {STAGED} SET sick = 'flu', note = 'note 0' WHERE note = 'note 1'",
        CHANGED,
    ),
    "a record is invented in the place of one": (
        f"UPDATE {STAGED} SET note = 'note 99', sick = 'cold' WHERE note = 'note 1'",
        CHANGED,
    ),
    "two records of classes of one size are exchanged": (exchange("age", "note 1", "note 4"), CHANGED),
}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SPOILT)
def test_a_release_that_was_spoilt_is_not_published(name: str) -> None:
    statement, says = SPOILT[name]
    require_nothing_published(writing(statement), says)


@pytest.mark.slow
def test_an_engine_that_releases_an_unusable_record_publishes_nothing() -> None:
    class Mutant(DuckEngine):
        def write(self, recoding: RecordRecoding) -> Staged:
            return super().write(replace(recoding, request=replace(recoding.request, lacking=())))

    require_nothing_published(Mutant, WRONG_SIZE)


@pytest.mark.slow
def test_an_engine_that_shows_suppressed_records_which_are_to_be_dropped_publishes_nothing() -> None:
    alone = {"name": ["name 13"], "age": [70], "sick": ["flu"], "note": ["note 13"]}
    records = pa.concat_tables([PEOPLE, pa.table(alone)])
    options = {**WHO, "method": "Datafly", "suppression_threshold": 1, "suppressed": "drop"}
    options["models"] = [toolbox.KAnonymity(k=3)]
    statement = f"INSERT INTO {STAGED} SELECT '*', sick, note FROM {INPUT} WHERE age = 70"
    require_nothing_published(writing(statement), WRONG_SIZE, options, records)
    bench = bench_of(DuckEngine, records)
    summary = run(bench.engine(), options).summary
    assert (len(bench.released() or []), summary.proof.records_suppressed) == (12, 1)


def test_an_engine_that_exchanges_classes_unseen_has_exchanged_nothing() -> None:
    """Where nothing passes, records of one class are all alike: two that are exchanged are the same release."""
    options = {**WHO, "sensitive": [], "models": [toolbox.KAnonymity(k=3)], "undeclared": "drop", "on_missing": "keep"}
    bench = bench_of(DuckEngine)
    run(bench.engine(), options)
    assert Counter(bench.released() or []) == {("20s",): 4, ("30s",): 3, ("40s",): 3, ("50s",): 3}


@pytest.mark.slow
def test_an_input_that_gives_other_records_each_time_is_named_as_the_cause() -> None:
    class Volatile(DuckEngine):
        def write(self, recoding: RecordRecoding) -> Staged:
            self.database.execute(f"DELETE FROM {INPUT} WHERE note = 'note 4'")
            return super().write(recoding)

    bench = bench_of(Volatile)
    with pytest.raises(InputError, match="the table people gives other records each time it is read") as caught:
        run(bench.engine())
    assert "write its records into a table first" in str(caught.value)
    assert bench.tables() == {INPUT}


@pytest.mark.slow
def test_a_query_that_draws_its_records_is_named_as_the_cause(postgresql_bench: PostgreSQLBench) -> None:
    records = pa.concat_tables([PEOPLE] * 20)
    postgresql_bench.fill(records)
    query = f"SELECT * FROM {postgresql_bench.quoted('the people')} WHERE random() < 0.5"
    options = {**WHO, "models": [toolbox.KAnonymity(k=3)]}
    arguments, config = arguments_of(options), configured(options, records)
    with pytest.raises(InputError, match="the query gives other records each time it is read"):
        run_on_engine(config, postgresql_bench.engine(query=query), models=arguments.models)
    assert postgresql_bench.released() is None


# Wrong in what it counts


def counting(change: Callable[[CountedRecords], CountedRecords], *, at: str = "count") -> type[DuckEngine]:
    """Return a mutant that counts the input, or the release, otherwise."""

    class Mutant(DuckEngine):
        def count(self, request: CountRequest) -> CountedRecords:
            counted = super().count(request)
            return change(counted) if at == "count" else counted

        def recount(self, staged: Staged, request: CountRequest) -> CountedRecords:
            counted = super().recount(staged, request)
            return change(counted) if at == "recount" else counted

    return Mutant


def with_column(table: pa.Table, name: str, change: Callable[[list[Any]], list[Any]]) -> pa.Table:
    place = table.column_names.index(name)
    values = change(table[name].to_pylist())
    return table.set_column(place, name, pa.array(values, table.schema.field(name).type))


def of_combinations(name: str, change: Callable[[list[Any]], list[Any]]) -> Callable[[CountedRecords], CountedRecords]:
    return lambda counted: counted._replace(combinations=with_column(counted.combinations, name, change))


def of_values(name: str, change: Callable[[list[Any]], list[Any]]) -> Callable[[CountedRecords], CountedRecords]:
    return lambda counted: counted._replace(held=tuple(with_column(held, name, change) for held in counted.held))


def first_more(values: list[int]) -> list[int]:
    return [values[0] + 1, *values[1:]]


def usable(counted: CountedRecords) -> CountedRecords:
    """Take the unusable records for usable ones of some age; without any they would be skipped all the same."""
    of_age = of_combinations("by_1", lambda ages: [max(filter(None, ages)) if age is None else age for age in ages])
    return of_combinations("unusable", lambda all_: [False] * len(all_))(of_age(counted))


def nothing(counted: CountedRecords) -> CountedRecords:
    return CountedRecords(counted.combinations.slice(0, 0), tuple(held.slice(0, 0) for held in counted.held))


# Here they are a wrong sum, and values that do not add up.
MISCOUNTED: dict[str, tuple[type[DuckEngine], str]] = {
    "a sum is wrong in the release": (counting(of_combinations("sum_2", first_more), at="recount"), CHANGED),
    "one size is too large at first": (counting(of_combinations("size", first_more)), WRONG_SIZE),
    "all sizes are too large at first": (
        counting(of_combinations("size", lambda all_: [n + 1 for n in all_])),
        WRONG_SIZE,
    ),
    "a sum is wrong at first": (counting(of_combinations("sum_1", first_more)), CHANGED),
    "the other sum is wrong at first": (counting(of_combinations("sum_2", first_more)), CHANGED),
    "an unusable record is usable at first": (
        counting(usable),
        WRONG_SIZE,
    ),
    "the release is said to be empty": (counting(nothing, at="recount"), WRONG_SIZE),
    "one size is too large in the release": (counting(of_combinations("size", first_more), at="recount"), WRONG_SIZE),
    "a class holds one sensitive value only": (
        counting(of_values("value", lambda all_: ["flu"] * len(all_)), at="recount"),
        "distinct l-diversity",
    ),
    "a sensitive value was never counted": (
        counting(of_values("value", lambda all_: ["plague", *all_[1:]]), at="recount"),
        "a value of sick is none of those that were counted",
    ),
    "there are more sensitive values than records": (
        counting(of_values("size", first_more), at="recount"),
        "the values of sick do not add up",
    ),
}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MISCOUNTED)
def test_an_engine_that_counts_wrongly_publishes_nothing(name: str) -> None:
    require_nothing_published(*MISCOUNTED[name])


@pytest.mark.slow
def test_records_of_a_combination_that_was_not_counted_are_left_out_of_release_and_summary() -> None:
    """An engine that hides records from the first count hides them from us: what is released is proved nevertheless."""
    hiding = counting(lambda counted: CountedRecords(*_without_key(counted)))
    bench = bench_of(hiding)
    summary = run(bench.engine(), {**WHO, "models": [toolbox.KAnonymity(k=2)]}).summary
    assert len(bench.released() or []) == summary.proof.records == summary.records_read - summary.records_skipped < 12


def _without_key(counted: CountedRecords) -> tuple[pa.Table, tuple[pa.Table, ...]]:
    """Leave one combination out."""
    key = counted.combinations["key"][0].as_py()
    kept = [
        pa.array([one != key for one in table["key"].to_pylist()]) for table in (counted.combinations, *counted.held)
    ]
    first, *held = (table.filter(keep) for table, keep in zip((counted.combinations, *counted.held), kept, strict=True))
    return first, tuple(held)


@pytest.mark.slow
def test_sensitive_values_that_were_made_up_at_first_do_not_prove_anything() -> None:
    """The search believes that each class holds three illnesses; what was written holds one."""
    records = PEOPLE.set_column(2, "sick", pa.array(["flu"] * 12 + [None], pa.string()))

    def made_up(counted: CountedRecords) -> CountedRecords:
        (held,) = counted.held
        names = pa.array(["flu", "cold", "gout"] * 4, pa.string())
        return counted._replace(held=(held.set_column(1, "value", names),))

    require_nothing_published(counting(made_up), "distinct l-diversity", records=records)


# Keys


def one_key(counted: CountedRecords) -> CountedRecords:
    return of_combinations("key", lambda keys: [keys[0]] * len(keys))(counted)


@pytest.mark.slow
def test_another_salt_is_tried_where_two_combinations_and_then_two_classes_have_one_key() -> None:
    salts: list[int] = []
    recounted: list[int] = []

    class Mutant(DuckEngine):
        def count(self, request: CountRequest) -> CountedRecords:
            salts.append(request.salt)
            return one_key(super().count(request)) if request.salt < 2 else super().count(request)

        def write(self, recoding: RecordRecoding) -> Staged:
            salts.append(recoding.request.salt)
            return super().write(recoding)

        def recount(self, staged: Staged, request: CountRequest) -> CountedRecords:
            recounted.append(request.salt)
            return one_key(super().recount(staged, request)) if request.salt < 1 else super().recount(staged, request)

    bench = bench_of(Mutant)
    run(bench.engine())
    assert (salts, recounted) == ([0, 1, 2, 2], [0, 1])
    assert Counter(bench.released() or []) == RELEASED


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("at", ["recount", "count"])
def test_an_engine_with_one_key_for_all_is_given_up(at: str) -> None:
    bench = bench_of(counting(one_key, at=at))
    engine = bench.engine()
    with pytest.raises(EngineError, match="gives different combinations one key, with each of 8 salts"):
        run(engine)
    assert engine.calls.count(at) == 8
    assert bench.tables() == {INPUT}


# The flow around it


@pytest.mark.slow
def test_an_old_release_is_refused_before_anything_is_counted_or_replaced_on_demand() -> None:
    bench = bench_of(DuckEngine)
    bench.database.execute(f"CREATE TABLE {RELEASE} AS SELECT 'an older release' AS text")
    engine = bench.engine()
    with pytest.raises(OutputError):
        run(engine)
    assert engine.calls == ["schema"]
    assert bench.released() == OLD
    run(bench.engine(replace=True))
    assert Counter(bench.released() or []) == RELEASED


def test_two_columns_of_one_name_are_refused() -> None:
    class Mutant(DuckEngine):
        def schema(self) -> pa.Schema:
            found = super().schema()
            return pa.schema([*found, pa.field("note", pa.string()), pa.field("note", pa.int64())])

    bench = bench_of(Mutant)
    with pytest.raises(UsageError, match=r"the table people has several columns called note\. Give each a name"):
        run(bench.engine())
    assert bench.tables() == {INPUT}


def test_an_undeclared_column_is_refused_before_anything_is_counted() -> None:
    engine = bench_of(DuckEngine).engine()
    with pytest.raises(UsageError, match="nobody declared note"):
        run(engine, {**WHO, "undeclared": "fail"})
    assert engine.calls == ["schema"]


def by_position(config: Config) -> Config:
    """Name the columns by their positions, one of them otherwise than the input does."""
    (age,), (sick,) = config.quasi_identifiers, config.sensitive
    return replace(
        config,
        identifiers=(Column(index=0, name=None),),
        quasi_identifiers=(replace(age, column=Column(index=1, name="years")),),
        sensitive=(replace(sick, column=Column(index=2, name=None)),),
    )


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", ["genValsDist", "genVals"])
def test_columns_may_be_named_by_their_positions_or_otherwise_than_the_input_does(form: str) -> None:
    options = {**WHO, "models": [toolbox.KAnonymity(k=3)], "output_format": form}
    bench = bench_of(DuckEngine)
    arguments = arguments_of(options)
    config = by_position(configured(options, PEOPLE))
    run_on_engine(config, bench.engine(), method=arguments.chosen_method, models=arguments.models)
    names = [name for name, *_ in bench.database.sql(f"DESCRIBE {RELEASE}").fetchall()]
    shown = ["age", *(["age_mean:variance"] if form == "genValsDist" else [])]
    assert names == [*shown, "sick", "note"]
    assert Counter((row[0], *row[-2:]) for row in bench.released() or []) == RELEASED


@pytest.mark.slow
def test_a_statistic_that_is_called_like_a_column_is_refused() -> None:
    """Nobody can tell two columns of one name apart in a release."""
    records = PEOPLE.append_column("age_mean:variance", PEOPLE["note"])
    bench = DuckBench()
    options = {**WHO, "output_format": "genValsDist"}
    with pytest.raises(UsageError, match="The release has several columns called age_mean:variance"):
        made_there(bench, records, options)
    assert bench.tables() == {INPUT}


@pytest.mark.slow
def test_a_run_that_is_interrupted_while_it_writes_leaves_nothing() -> None:
    class Mutant(DuckEngine):
        def write(self, recoding: RecordRecoding) -> Staged:
            super().write(recoding)
            raise KeyboardInterrupt

    bench = bench_of(Mutant)
    with pytest.raises(KeyboardInterrupt):
        run(bench.engine())
    assert bench.tables() == {INPUT}


@pytest.mark.slow
def test_a_release_stands_whatever_becomes_of_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its engine keeps an order, so that nothing is said of there being none."""
    report = tmp_path / "report.json"

    class Rival(DuckEngine):
        keeps_order = True

        def publish(self, staged: Staged) -> None:
            super().publish(staged)
            report.mkdir()
            (report / "something").touch()

    bench = bench_of(Rival)
    summary = run(bench.engine(), output=replace(configured(WHO, PEOPLE).output, report=report)).summary
    assert Counter(bench.released() or []) == RELEASED
    assert "The records have no order: an engine keeps none." not in summary.notes
    assert "the release is complete, but the files beside it could not be written" in capsys.readouterr().err


@pytest.mark.slow
def test_a_column_that_only_a_folder_above_tells_is_said_to_be_lost() -> None:
    bench = bench_of(DuckEngine)
    config = configured(WHO, PEOPLE)
    assert config.input is not None
    source = replace(config.input, remote=Remote(url="s3a://bucket/people/year=2020", format="parquet"))
    summary = run(bench.engine(), input=source).summary
    assert any("called year=.., but no column is" in note for note in summary.notes)


# Persons

VISITS = pa.concat_tables([PEOPLE, PEOPLE.slice(0, 3), PEOPLE.slice(0, 1)])
"""Some of these people have several records, and one of those lacks a value."""
BY_PERSON: Options = {**WHO, "identifiers": [], "person": ["name"]}


@pytest.mark.slow
def test_a_release_by_person_is_counted_with_their_column_and_published_without_it() -> None:
    bench = bench_of(DuckEngine, VISITS)
    engine = bench.engine()
    summary = run(engine, BY_PERSON).summary
    counted = ["write", "recount", "remove_column", "recount", "publish"]
    assert engine.calls == ["schema", "count", *counted]
    assert Counter(bench.released() or []) == RELEASED + Counter(
        {
            ("20s", sick, note): times
            for sick, note, times in (("flu", "note 0", 2), ("cold", "note 1", 1), ("gout", "note 2", 1))
        }
    )
    persons = summary.proof.persons
    assert persons is not None
    assert (persons.column, persons.count, persons.suppressed, persons.judged_by) == ("name", 12, 0, "row")
    assert (summary.proof.smallest_class, summary.proof.records) == (3, 16)
    assert not any("people a class has" in each for each in summary.not_proved)


PERSON_COLUMN = "toolbox_person_0"
WRONG_PERSONS = "a class has more or fewer persons than were counted"
TWO_ARE_ONE = f"UPDATE {STAGED} SET {PERSON_COLUMN} = (SELECT min({PERSON_COLUMN}) FROM {STAGED} WHERE age = '30s') WHERE age = '30s'"


@pytest.mark.slow
def test_a_class_of_fewer_persons_is_found_in_what_was_written() -> None:
    require_nothing_published(writing(TWO_ARE_ONE), WRONG_PERSONS, BY_PERSON, VISITS)


@pytest.mark.slow
def test_an_engine_that_changes_records_when_the_column_of_persons_goes_publishes_nothing() -> None:
    class Mutant(DuckEngine):
        def remove_column(self, staged: Staged, header: str) -> Staged:
            left = super().remove_column(staged, header)
            self.database.execute(f"DELETE FROM {STAGED} WHERE {FIRST}")
            return left

    require_nothing_published(Mutant, WRONG_SIZE, BY_PERSON, VISITS)


@pytest.mark.slow
def test_a_model_judges_the_persons_that_were_found() -> None:
    """Each class holds three illnesses, but the engine says that only one person has any."""
    more = counting(of_values("persons", lambda all_: [0] * len(all_)), at="recount")
    require_nothing_published(more, "the values of sick do not add up", BY_PERSON, VISITS)


def test_an_engine_that_does_not_say_that_it_counts_persons_is_not_asked() -> None:
    class Older(DuckEngine):
        counts_persons = False

    engine = bench_of(Older, VISITS).engine()
    with pytest.raises(UsageError, match="The engine of the table people counts records, no persons"):
        run(engine, BY_PERSON)
    assert engine.calls == []


def test_profiles_are_refused() -> None:
    engine = bench_of(DuckEngine, VISITS).engine()
    with pytest.raises(UsageError, match="'profile' compares all records of each person, which stay in an engine"):
        run(engine, {**BY_PERSON, "models": [toolbox.KAnonymity(k=3)], "method": "Flash", "attacker": "profile"})
    assert engine.calls == []


def test_a_header_below_other_lines_is_refused() -> None:
    engine, declared = bench_of(DuckEngine).engine(), configured(WHO, PEOPLE).input
    assert declared is not None
    with pytest.raises(
        UsageError, match=r"The header is in line 3 \(headerLine\), and the table people reads it in the"
    ):
        run(engine, input=replace(declared, header_line=3))
    assert engine.calls == []


def test_a_mark_that_an_engine_cannot_find_in_the_column_of_the_person_is_refused() -> None:
    records = VISITS.set_column(0, "name", pa.array(range(VISITS.num_rows), pa.int64()))
    bench = bench_of(DuckEngine, records)
    config = configured(BY_PERSON, records, missing="7")
    with pytest.raises(UsageError, match="marks values of name, age as missing"):
        run_on_engine(config, bench.engine(), models=arguments_of(BY_PERSON).models)


# Columns whose values a release changes

TREATMENTS = '''
from sqlalchemy import String, cast, func

from toolbox.treatments.treatment import Treatment

class Capitals(Treatment):
    """Texts in capital letters."""

    name, words, promise = "capitals", "In capital letters", "no letter is small"

    def treat(self, value):
        return func.upper(cast(value, String))

    def treat_in_postgresql(self, value):
        return func.upper(value)

    def is_kept_by(self, text):
        return text == func.upper(text)

class Forgetful(Capitals):
    """Forgets its promise in an engine."""

    name = "forgetful"

    def treat_in_postgresql(self, value):
        return value
'''


@pytest.fixture
def treatments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {"capitals": "Capitals", "forgetful": "Forgetful"}
    install(tmp_path, monkeypatch, "toolbox.treatments", entries, TREATMENTS)


def treat_note(name: str) -> tuple[tuple[Column, str], ...]:
    return ((Column(index=None, name="note"), name),)


@pytest.mark.slow
@pytest.mark.usefixtures("treatments")
def test_an_engine_treats_a_column_by_its_own_expression() -> None:
    bench = bench_of(DuckEngine)
    summary = run(bench.engine(), treated=treat_note("capitals")).summary
    assert Counter(bench.released() or []) == Counter((age, sick, note.upper()) for age, sick, note in RELEASED)
    assert [column.name for column in summary.passed] == ["sick"]


@pytest.mark.slow
@pytest.mark.usefixtures("treatments")
def test_what_an_engine_makes_of_it_is_counted_again_and_one_without_an_expression_is_refused() -> None:
    bench = bench_of(DuckEngine)
    # Of each of the twelve cells one text is missing, one is too many, and that one is not in capitals.
    with pytest.raises(ProofError, match="36 cells of 'note' would break what the treatment 'forgetful' promises"):
        run(bench.engine(), treated=treat_note("forgetful"))
    with pytest.raises(UsageError, match="'escape' has no expression of PostgreSQL"):
        run(bench.engine(), treated=treat_note("escape"))
    assert bench.tables() == {INPUT}


@pytest.mark.slow
def test_one_cell_that_is_not_as_it_was_treated_is_found() -> None:
    treated = {"treated": ((Column(index=None, name="note"), "prefix:4"),)}
    for statement in (
        f"UPDATE {STAGED} SET note = 'note 1' WHERE {FIRST}",
        f"UPDATE {STAGED} SET note = NULL WHERE {FIRST}",
    ):
        bench = bench_of(writing(statement))
        with pytest.raises(ProofError, match=CHANGED):
            run(bench.engine(), **treated)
        assert bench.tables() == {INPUT}
    bench = bench_of(DuckEngine)
    run(bench.engine(), **treated)
    assert {note for _, _, note in bench.released() or []} == {"note"}


@pytest.mark.slow
def test_a_recount_that_shows_other_texts_breaks_the_promise() -> None:
    lying = counting(
        of_values("value", lambda all_: ["note 1" if one == "note" else one for one in all_]), at="recount"
    )
    options = {**WHO, "models": [toolbox.KAnonymity(k=3)], "sensitive": []}
    bench = bench_of(lying)
    # The text is too many twelve times, the other is missing as often, and it is longer than its prefix.
    with pytest.raises(ProofError, match="39 cells of 'note' would break what the treatment 'prefix' promises"):
        run(bench.engine(), {**options, "undeclared": "pass"}, treated=((Column(index=None, name="note"), "prefix:4"),))
    assert bench.tables() == {INPUT}


# A saved recoding


@pytest.mark.slow
def test_a_saved_recoding_is_applied_to_what_the_engine_has_counted(tmp_path: Path) -> None:
    """Nothing is searched; the engine joins the classes to its records, and counts them again."""
    options = {**WHO, "method": "Flash"}
    recoding = toolbox.Recoding.fit(PEOPLE, **options)
    file = tmp_path / "recoding.json"
    recoding.to_json(file)
    bench = bench_of(DuckEngine)
    arguments = arguments_of(options)
    config = replace(configured(options, PEOPLE), recoding=read_recoding(file))
    summary = run_on_engine(config, bench.engine(), method=arguments.chosen_method, models=arguments.models).summary
    assert Counter(bench.released() or []) == RELEASED
    assert summary.document()["recoding"]["kept"] == 12
