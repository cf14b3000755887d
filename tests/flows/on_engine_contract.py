"""What a run on an engine promises: the release, as a multiset, and the summary of a run on a table of the same records.

A test of an engine makes a `Bench` and hands it to each of `CHECKS`.
"""

from __future__ import annotations

import random
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Protocol

import pyarrow as pa
from engines.contract import FLAG, FLOAT, ID, ILLNESS, TEXT, WHOLE, hard_records, shown
from helpers.amounts import some
from helpers.joined import near

import toolbox
from toolbox.config.model import Config, Remote
from toolbox.engines.engine import Engine
from toolbox.errors import InputError, ToolboxError, UsageError
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments, describe
from toolbox.flows.arguments.population import find_population
from toolbox.flows.release.engine import run_on_engine
from toolbox.messages import name_python_arguments
from toolbox.report.runs.summary import Summary
from toolbox.store.input.source import list_date_columns

Options = Mapping[str, Any]


class Bench(Protocol):
    """A place where an engine is tried: one input, one release."""

    def fill(self, records: pa.Table) -> None:
        """Make these records the input, beside which there is no release."""

    def engine(self, *, replace: bool = False) -> Engine:
        """Return an engine for the input and the release, which nobody has entered."""

    def released(self) -> list[tuple[Any, ...]] | None:
        """Return the rows of the release as any reader sees them; None if there is none."""


# Two ways to one release


def arguments_of(options: Options) -> AnonymizeArguments:
    """Return the arguments of a call of `toolbox.anonymize`."""
    empty = {"quasi_identifiers": (), "sensitive": (), "identifiers": ()}
    columns = {**empty, "hierarchies": {}, "kinds": {}, "priorities": {}, "weights": {}, "person": (), "treatments": {}}
    names = ("method", "k", "l", "c", "t", "suppression_threshold", "suppressed", "on_missing", "undeclared")
    others = (
        "rows_are_people",
        "attacker",
        "output_format",
        "order",
        "statistics",
        "seed",
        "index",
        "limits",
        "population",
    )
    plain = dict.fromkeys((*names, *others))
    known = {name: value for name, value in options.items() if name in plain}
    described = {name: options.get(name, value) for name, value in columns.items()}
    settings = {name: value for name, value in options.items() if name not in {*plain, *columns, "models"}}
    given = {**plain, **known, "models": options.get("models", ()), "settings": settings}
    return AnonymizeArguments(columns=ColumnArguments(**described), **given).with_models_listed()


def configured(options: Options, records: pa.Table, missing: str = "") -> Config:
    """Return the configuration of such a call whose release is a table of an engine, and that marks what is missing."""
    config = describe(arguments_of(options), dates=list_date_columns(records.schema))
    assert config.input is not None
    source = replace(config.input, missing=missing)
    return replace(config, input=source, output=replace(config.output, remote=Remote(table="release")))


def made_there(
    bench: Bench, records: pa.Table, options: Options, missing: str = ""
) -> tuple[Summary, list[tuple[Any, ...]]]:
    """Make a release on the engine."""
    bench.fill(records)
    arguments = arguments_of(options)
    config = configured(options, records, missing)
    with name_python_arguments():
        chosen: Any = {"method": arguments.chosen_method, "models": arguments.models}
        outcome = run_on_engine(config, bench.engine(), **chosen, people=find_population(config, arguments.population))
    released = bench.released()
    assert released is not None
    return outcome.summary, released


def made_here(records: pa.Table, options: Options) -> tuple[Summary, list[tuple[Any, ...]]]:
    """Make a release of the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of records that lack a value
        made = toolbox.anonymize(records, **options)
    rows = made.to_arrow()
    return made.summary, list(zip(*(column.to_pylist() for column in rows.columns), strict=True))


def bag(rows: Sequence[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """Return rows without their order; the last digits of statistics depend on the order of a sum."""
    return Counter(tuple(_near(shown(value)) for value in row) for row in rows)


def _near(value: Any) -> Any:
    is_statistic = isinstance(value, str) and re.fullmatch(r"-?\d[\d.e:+-]*", value)
    return near(value) if is_statistic and _is_numbers(value) else value


def _is_numbers(text: str) -> bool:
    try:
        return bool([float(part) for part in text.split(":")])
    except ValueError:
        return False


def require_same(bench: Bench, records: pa.Table, **options: Any) -> list[tuple[Any, ...]]:
    """Make both releases, and compare them and what is told of them; return the rows of the engine."""
    here, expected = made_here(records, options)
    there, released = made_there(bench, records, options)
    assert bag(released) == bag(expected)
    assert told_of(there) == told_of(here)
    return released


def told_of(summary: Summary) -> dict[str, Any]:
    """Return what a summary says of the records."""
    proof = summary.proof
    return {
        "counts": (summary.records_read, summary.records_skipped, proof.records, proof.records_suppressed),
        "classes": (proof.classes, proof.smallest_class, proof.average_class),
        "models": [(one.name, one.holds, f"{one.achieved or 0.0:.9g}") for one in proof.models],
        "levels": [(one.name, one.level, one.height, one.range) for one in summary.quasi_identifiers],
        "values": [(one.original_values, one.generalised_values) for one in summary.quasi_identifiers],
    }


def require_same_error(bench: Bench, records: pa.Table, **options: Any) -> str:
    """Let both runs fail; return what the one on the engine says, if that is the same but for places."""
    wrong = [failure(lambda: made_here(records, options)), failure(lambda: made_there(bench, records, options))]
    assert type(wrong[0]) is type(wrong[1])
    said = [
        re.sub(r" \(rows? [\d, ]+\)", "", str(error).removeprefix(name))
        for error, name in zip(wrong, ("the table", bench.engine().name), strict=True)
    ]
    assert said[0] == said[1]
    assert not re.search(r"\brows? \d", str(wrong[1]))
    assert bench.released() is None
    return str(wrong[1])


def failure(run: Callable[[], object]) -> ToolboxError:
    """Return the error of a run."""
    try:
        run()
    except ToolboxError as error:
        return error
    raise AssertionError("nothing failed")


# Records

AGE, TOWN, SICK, PERSON, NOTE, PAY = "age", "town", "illness", "person", "note", "pay"
TOWNS = {"Graz": "Styria", "Leoben": "Styria", "Linz": "Upper", "Wels": "Upper", "Wien": "Vienna"}
TOWN_TREE = [(town, region, "*") for town, region in TOWNS.items()]
AGE_TREE = [(age, f"{age // 5 * 5}-{age // 5 * 5 + 4}", f"{age // 20 * 20}s", "*") for age in range(20, 80)]
ILLNESSES = {"flu": "lungs", "cold": "lungs", "asthma": "lungs", "gout": "joints", "sprain": "joints"}
ILLNESS_TREE = [(illness, organ, "*") for illness, organ in ILLNESSES.items()]


def people(number: int = 300, *, lacking: bool = False, seed: int = 1) -> pa.Table:
    """Return records with one column of each part; if they lack values, one in ten of every column but the numbers."""
    draw = random.Random(seed)

    def values(choose: Callable[[], Any]) -> list[Any]:
        return [None if lacking and draw.random() < 0.1 else choose() for _ in range(number)]

    columns = {
        PERSON: pa.array([f"person {place}" for place in range(number)], pa.string()),
        AGE: pa.array(values(lambda: draw.randrange(20, 80)), pa.int64()),
        TOWN: pa.array(values(lambda: draw.choice(list(TOWNS))), pa.string()),
        SICK: pa.array(values(lambda: draw.choice(list(ILLNESSES))), pa.string()),
        NOTE: pa.array([f"it's {place % 40}" for place in range(number)], pa.string()),
        PAY: pa.array([1000 + place % 7 * 250 for place in range(number)], pa.int64()),
    }
    return pa.table(columns)


WHO: Options = {"quasi_identifiers": [AGE, TOWN], "sensitive": [SICK], "identifiers": [PERSON]}
TREES: Options = {"hierarchies": {AGE: AGE_TREE, TOWN: TOWN_TREE}}

# What both ways share


def check_each_method_releases_the_same(bench: Bench) -> None:
    methods = ("Mondrian", "Datafly", "Incognito", "LocalRecoding", "PrioPrivacy", "Singletons")
    for method in some(methods, every=6, start=4):
        options = {**WHO, **TREES, "method": method}
        more: Options = {"priorities": {AGE: 1, TOWN: 2}} if method == "PrioPrivacy" else {}
        require_same(bench, people(), **options, **more, k=5)
    require_same(bench, people(), **WHO, method="Mondrian", k=5, dimension="distinct")


BY_PERSON: Options = {"quasi_identifiers": [AGE, TOWN], "sensitive": [SICK], "person": [PERSON]}


def visits(number: int = 120, *, lacking: bool = False) -> pa.Table:
    """Return several records of each person, who is of one age and town; each record has a note of its own."""
    draw, persons = random.Random(3), people(number, lacking=lacking)
    rows = [dict(one) for one in persons.to_pylist() for _ in range(draw.choice((1, 1, 2, 6)))]
    for place, row in enumerate(rows):
        row.update({SICK: draw.choice(list(ILLNESSES)), NOTE: f"note {place}", PAY: draw.randrange(1000, 4000)})
    return pa.Table.from_pylist(rows, persons.schema)


def require_persons(records: pa.Table, rows: Sequence[tuple[Any, ...]], least: int) -> None:
    """Count the different persons of each class by brute force, whom a note of each record tells."""
    of_note = dict(zip(records[NOTE].to_pylist(), records[PERSON].to_pylist(), strict=True))
    classes: dict[tuple[Any, ...], set[str]] = {}
    for age, town, _, note, _ in rows:
        classes.setdefault((age, town), set()).add(of_note[note])
    assert len(classes) > 1
    assert min(map(len, classes.values())) >= least


def check_classes_count_persons(bench: Bench) -> None:
    """Mondrian on intervals of its own, and a method that suppresses, in persons."""
    records = visits()
    require_persons(records, require_same(bench, records, **BY_PERSON, k=5), 5)
    rows = require_same(bench, records, **BY_PERSON, **TREES, method="Datafly", k=5, suppression_threshold=4)
    require_persons(records, [row for row in rows if row[:2] != ("*", "*")], 5)


def check_models_of_sensitive_values_count_persons(bench: Bench) -> None:
    models = [
        toolbox.KAnonymity(k=4),
        toolbox.DistinctLDiversity(l=3, attribute=SICK),
        toolbox.EntropyLDiversity(l=2, attribute=SICK),
        toolbox.TCloseness(t=0.4, attribute=SICK),
        toolbox.AlphaKAnonymity(alpha=0.9, k=4, attribute=SICK),
    ]
    for method in ("Mondrian", "Incognito"):
        hierarchies = TREES if method == "Incognito" else {}
        rows = require_same(bench, visits(), **BY_PERSON, **hierarchies, method=method, models=models)
        require_persons(visits(), rows, 4)


def check_one_record_of_each_person_is_released_as_records_are(bench: Bench) -> None:
    rows = require_same(bench, people(), **BY_PERSON, k=5)
    assert bag(rows) == bag(require_same(bench, people(), **WHO, k=5))


def check_records_without_a_person_count_as_one_person(bench: Bench) -> None:
    """They are of one age and town, so that they have one combination together."""
    records = visits()
    who = [None if row % 2 else "" for row in range(6)]
    more = {AGE: [50] * 6, TOWN: ["Graz"] * 6, SICK: ["flu"] * 6, NOTE: [f"nobody {row}" for row in range(6)]}
    nobody = pa.table({PERSON: pa.array(who, pa.string()), **more, PAY: [1] * 6}, schema=records.schema)
    records = pa.concat_tables([records, nobody])
    rows = require_same(bench, records, **BY_PERSON, k=5)
    assert len(rows) == records.num_rows
    texts = [who or None for who in records[PERSON].to_pylist()]
    require_persons(records.set_column(0, PERSON, pa.array(texts, pa.string())), rows, 5)


def check_a_record_that_is_skipped_gives_no_person_another_combination(bench: Bench) -> None:
    records = visits()
    lacking = records.slice(0, 20)
    for place, name in ((1, AGE), (2, TOWN)):
        values = [None if row % 2 == place % 2 else one for row, one in _numbered(lacking, name)]
        lacking = lacking.set_column(place, name, pa.array(values, lacking.schema.field(name).type))
    rows = require_same(bench, pa.concat_tables([records, lacking]), **BY_PERSON, k=5, on_missing="skip")
    assert len(rows) == records.num_rows


def check_persons_who_have_several_combinations_are_refused(bench: Bench) -> None:
    records = visits()
    ages = [20 if row == 3 else one for row, one in _numbered(records, AGE)]
    wrong = failure(
        lambda: made_there(bench, records.set_column(1, AGE, pa.array(ages, pa.int64())), {**BY_PERSON, "k": 5})
    )
    assert isinstance(wrong, InputError)
    assert (
        "1 person by person has records with different values of the quasi-identifiers age, town. An engine counts "
        "persons only where all records of each agree in these. Leave out the column that varies;"
    ) in str(wrong)
    assert bench.released() is None


def check_records_without_a_person_that_have_several_combinations_are_refused(bench: Bench) -> None:
    records = people(40)
    who = [None if row < 3 else one for row, one in _numbered(records, PERSON)]
    records = records.set_column(0, PERSON, pa.array(who, pa.string()))
    wrong = failure(lambda: made_there(bench, records, {**BY_PERSON, "k": 5}))
    assert isinstance(wrong, InputError)
    assert "3 records without a value of person are of one person together, and have different values" in str(wrong)
    assert bench.released() is None


def check_methods_with_a_parameter_of_their_own_release_the_same(bench: Bench) -> None:
    require_same(bench, people(), **WHO, **TREES, method="Incognito_l", l=2.5)
    require_same(bench, people(), **WHO, **TREES, method="Incognito_l", l=2, c=2.0)
    require_same(bench, people(), **WHO, **TREES, method="Incognito_t", t=0.3)


def check_several_models_at_once_release_the_same(bench: Bench) -> None:
    hierarchies = {**TREES["hierarchies"], SICK: ILLNESS_TREE}
    models = [
        toolbox.KAnonymity(k=4),
        toolbox.DistinctLDiversity(l=3, attribute=SICK),
        toolbox.TCloseness(t=0.4, distance="hierarchical", attribute=SICK),
        toolbox.EntropyLDiversity(l=2, attribute=SICK),
        toolbox.AlphaKAnonymity(alpha=0.7, k=4, attribute=SICK),
    ]
    for method in ("Mondrian", "Incognito"):
        require_same(bench, people(), **WHO, hierarchies=hierarchies, method=method, models=models)


def check_classes_are_compared_with_a_population(bench: Bench) -> None:
    records, others = people(), people(900, seed=2)
    everybody = pa.concat_tables([records, others]).select([AGE, TOWN])
    for model in (toolbox.KMap(k=12), toolbox.DeltaPresence(delta_min=0.0, delta_max=0.5)):
        require_same(bench, records, **WHO, **TREES, method="Datafly", models=[model], population=everybody)


def check_numbers_may_be_sensitive(bench: Bench) -> None:
    who = {**WHO, "sensitive": [SICK, PAY]}
    models = [toolbox.TCloseness(t=0.3, attribute=PAY), toolbox.DistinctLDiversity(l=2, attribute=SICK)]
    require_same(bench, people(), **who, models=models, k=3)


def check_suppressed_records_are_kept_or_dropped(bench: Bench) -> None:
    records = people(310)
    options = {**WHO, **TREES, "method": "Datafly", "k": 5, "suppression_threshold": 80}
    kept = require_same(bench, records, **options, suppressed="keep")
    dropped = require_same(bench, records, **options, suppressed="drop")
    suppressed = Counter(row[:2] for row in kept)["*", "*"]
    assert 5 <= suppressed <= 80
    assert (len(kept), len(dropped)) == (310, 310 - suppressed)


def check_records_that_lack_a_value_are_skipped_kept_or_refused(bench: Bench) -> None:
    records = people(lacking=True)
    counts = {}
    for policy in ("skip", "keep"):
        counts[policy] = len(require_same(bench, records, **WHO, k=4, on_missing=policy, kinds={AGE: "category"}))
    lacking = [row for row in records.select([AGE, TOWN, SICK]).to_pylist() if None in row.values()]
    assert len(lacking) > 50
    assert counts == {"skip": 300 - len(lacking), "keep": 300}
    wrong = failure(lambda: made_there(bench, records, {**WHO, "k": 4, "on_missing": "fail"}))
    assert isinstance(wrong, InputError)
    assert f"{len(lacking)} records lack a declared value. Complete them, or write on_missing='skip'" in str(wrong)
    assert bench.released() is None


def check_records_that_lack_only_a_sensitive_value_are_skipped_or_kept(bench: Bench) -> None:
    records = people()
    sick = [None if place % 11 == 0 else "" if place % 13 == 1 else one for place, one in _numbered(records, SICK)]
    pay = [None if place % 17 == 2 else one for place, one in _numbered(records, PAY)]
    records = records.set_column(3, SICK, pa.array(sick, pa.string())).set_column(5, PAY, pa.array(pay, pa.int64()))
    who = {**WHO, "sensitive": [SICK, PAY], "models": [toolbox.DistinctLDiversity(l=2, attribute=SICK)], "k": 3}
    assert len(require_same(bench, records, **who, on_missing="skip")) == sum(
        bool(one) and two is not None for one, two in zip(sick, pay, strict=True)
    )
    who["sensitive"] = [SICK]
    kept = require_same(bench, records, **who, on_missing="keep")
    assert len(kept) == 300
    assert {None, ""} < {row[2] for row in kept}


def _numbered(records: pa.Table, name: str) -> list[tuple[int, Any]]:
    return list(enumerate(records[name].to_pylist()))


def check_a_mark_stands_for_a_missing_value(bench: Bench) -> None:
    """In texts it is a null; in the judge's table there is one."""
    marked, null = people(), people()
    for place, name in ((2, TOWN), (3, SICK)):
        texts = [("it's" if row % 9 == place else one) for row, one in _numbered(marked, name)]
        marked = marked.set_column(place, name, pa.array(texts, pa.string()))
        nulls = [None if one == "it's" else one for one in texts]
        null = null.set_column(place, name, pa.array(nulls, pa.string()))
    options = {**WHO, "k": 4, "models": [toolbox.DistinctLDiversity(l=2, attribute=SICK)], "on_missing": "skip"}
    there, released = made_there(bench, marked, options, missing="it's")
    here, expected = made_here(null, options)
    assert bag(released) == bag(expected)
    assert told_of(there) == told_of(here)
    assert there.records_skipped == 67


def check_a_mark_that_no_engine_can_find_is_refused(bench: Bench) -> None:
    wrong = failure(lambda: made_there(bench, people(), {**WHO, "sensitive": [SICK, PAY], "k": 4}, missing="1000"))
    assert isinstance(wrong, UsageError)
    assert "missing='1000' marks values of pay as missing" in str(wrong)
    assert bench.released() is None


def check_a_category_that_a_hierarchy_lacks_is_refused_without_a_place_and_without_a_sensitive_cell(
    bench: Bench,
) -> None:
    options = {**WHO, "k": 4, "hierarchies": {TOWN: [row for row in TOWN_TREE if row[0] != "Wels"]}}
    said = require_same_error(bench, people(), **options)
    assert "column town: 'Wels' is" in said
    options = {**WHO, "k": 4, "hierarchies": {SICK: [row for row in ILLNESS_TREE if row[0] != "sprain"]}}
    for models in ([toolbox.KAnonymity(k=4)], [toolbox.DistinctLDiversity(l=2, attribute=SICK)]):
        said = require_same_error(bench, people(), **{**options, "k": None}, models=models)
        assert "column illness: pattern 'aaaaaa' is" in said
        assert "sprain" not in said


def check_a_table_in_which_every_record_lacks_a_value_is_refused(bench: Bench) -> None:
    records = people(20).set_column(3, SICK, pa.array([None] * 20, pa.string()))
    assert "all 20 records lack a declared value" in require_same_error(bench, records, **WHO, k=2)


def check_a_table_without_a_record_is_refused(bench: Bench) -> None:
    assert "holds no record" in require_same_error(bench, people(0), **WHO, k=2)


def check_every_kind_of_value_passes_as_it_is(bench: Bench) -> None:
    """Null, '', -0.0, NaN, zones, decimals, the largest numbers, quotes and ends of lines; names that need quotes."""
    records = hard_records()
    ages = pa.array([20 + place % 30 for place in range(records.num_rows)], pa.int64())
    records = records.append_column("the age", ages)
    rows = require_same(bench, records, quasi_identifiers=["the age"], k=5)
    assert len(rows) == 400
    assert {"0.0", "-0.0", "nan"} < {shown(row[3]) for row in rows}


def check_texts_of_every_kind_are_generalised(bench: Bench) -> None:
    for policy in ("skip", "keep"):
        options = {"quasi_identifiers": [TEXT, FLAG], "sensitive": [ILLNESS], "identifiers": [ID], "k": 6}
        require_same(bench, hard_records(), **options, on_missing=policy, undeclared="drop")


def check_numbers_and_dates_of_every_kind_are_generalised(bench: Bench) -> None:
    records = typed_records()
    for names in (["whole"], ["price", "share"], ["day", "moment"], ["zoned", "flag"], records.column_names):
        options: Options = {"quasi_identifiers": names, "k": 5, "on_missing": "skip"}
        require_same(bench, records, **options, undeclared="drop")
        require_same(bench, records, **options, output_format="genValsDist")


def typed_records(number: int = 240) -> pa.Table:
    """Return records of numbers, dates and flags that repeat, some of them null, zero with a sign, or before 1970."""
    draw = random.Random(4)

    def values(*known: Any) -> list[Any]:
        return [draw.choice(known) for _ in range(number)]

    early, late = datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(2024, 3, 31, 2, 30)
    zones = [late.replace(tzinfo=UTC) + timedelta(hours=hour) for hour in range(4)]
    prices = [Decimal(text) for text in ("-1.50", "0.00", "10.05", "99999999.99")]
    return pa.table(
        {
            "whole": pa.array(values(0, 1, -5, 2**40, 7), pa.int64()),
            "price": pa.array(values(*prices), pa.decimal128(18, 2)),
            "share": pa.array(values(0.0, -0.0, 0.1, 1e16, 1 / 3), pa.float64()),
            "day": pa.array(values(None, date(1969, 12, 31), date(2024, 2, 29), date(1900, 1, 1)), pa.date32()),
            "moment": pa.array(values(early, late, late + timedelta(days=1)), pa.timestamp("us")),
            "zoned": pa.array(values(*zones), pa.timestamp("us", "UTC")),
            "flag": pa.array(values(True, False, None), pa.bool_()),
        }
    )


def staff(number: int = 120) -> pa.Table:
    """Return records of numbers, dates and texts that are treated: some are null, empty, negative or at a border."""
    draw = random.Random(6)
    days = [None, date(1969, 12, 31), date(2024, 2, 29), date(2021, 1, 3), date(1, 1, 1), date(9999, 12, 31)]
    early, late = datetime(1969, 12, 31, 23, 59, 59), datetime(2024, 3, 31, 2, 30)
    prices = [None, *(Decimal(text) for text in ("-1.50", "0.00", "10.05", "0.25", "-0.13", "99999999.99"))]
    known: dict[str, tuple[pa.DataType, list[Any]]] = {
        AGE: (pa.int64(), list(range(20, 40))),
        PAY: (pa.int64(), [None, 0, 499, 500, 1499, 1500, -1, -500, -501, 2**40, 60_000]),
        "price": (pa.decimal128(18, 2), prices),
        "rate": (pa.float64(), [None, 0.0, 0.5, 1.5, -2.5, 250.25, 1e8, 749.9999]),
        "since": (pa.date32(), days),
        "seen": (pa.timestamp("us"), [None, early, late, late + timedelta(days=1)]),
        "phone": (pa.string(), [None, "", "5550123", "55", "0", "+43 (ä)", "a\nb", "🙂🙂🙂"]),
        NOTE: (pa.string(), [None, "", "x", "O'Neil", "100%", "long \\ text"]),
    }
    return pa.table(
        {name: pa.array([draw.choice(values) for _ in range(number)], kind) for name, (kind, values) in known.items()}
    )


TREATED = [
    {PAY: "round:1000", "price": "round:0.25", "rate": "round:0.5", "since": "truncate:month", "seen": "truncate:hour"},
    {PAY: "truncate:500", "price": "truncate:10", "rate": "truncate:100", "since": "truncate:week", "phone": "mask"},
    {PAY: "top:1500", "price": "bottom:-1", "rate": "top:1.5", "since": "top:2021-01-03", "phone": "mask:2"},
    {PAY: "bottom:0", "seen": "bottom:2000-01-01", "phone": "prefix:2", NOTE: "redact:n/a", "rate": "redact"},
    {"since": "truncate:decade", "seen": "truncate:quarter", NOTE: "prefix:1", "phone": "redact"},
    {"since": "truncate:year", "seen": "truncate:day"},
]


def check_treated_columns_are_released_as_here(bench: Bench) -> None:
    for treatments in TREATED:
        rows = require_same(bench, staff(), quasi_identifiers=[AGE], k=2, treatments=treatments)
        assert len(rows) == 120


def check_an_identifier_that_a_treatment_hides_is_released_as_here(bench: Bench) -> None:
    treated = {PERSON: "mask"}
    rows = require_same(bench, people(), **WHO, k=5, treatments=treated)
    assert {row[0] for row in rows} == {"*" * length for length in (8, 9, 10)}
    by_person = require_same(bench, visits(), **BY_PERSON, k=5, treatments={PERSON: "redact", PAY: "round:500"})
    assert {row[0] for row in by_person} == {"*"}


def check_what_an_engine_cannot_treat_is_refused_in_words(bench: Bench) -> None:
    refused = {
        PAY: ("swap:5", "noise:gaussian:10", "pram:0.8", "round:1000:random", "truncate:month", "top:2000-01-01"),
        NOTE: ("round:10", "truncate:year", "top:5", "escape"),
    }
    for name, treatments in refused.items():
        for treatment in treatments:
            options = {"quasi_identifiers": [AGE], "k": 2, "treatments": {name: treatment}}
            wrong = failure(lambda options=options: made_there(bench, staff(), options))
            assert isinstance(wrong, UsageError)
            assert "read the records here" in str(wrong)
            assert bench.released() is None
    wrong = failure(lambda: made_there(bench, visits(), {**BY_PERSON, "k": 5, "treatments": {PAY: "top:3000"}}))
    assert "'pay' cannot be treated by 'top' in" in str(wrong)
    assert "it promises something of persons" in str(wrong)


def check_values_that_a_treatment_cannot_read_are_refused_as_here(bench: Bench) -> None:
    """A number beyond what is exact, and a cap that fewer than k records are beyond."""
    records = staff().set_column(1, PAY, pa.array([2**60 + place for place in range(120)], pa.int64()))
    options: Options = {"quasi_identifiers": [AGE], "k": 2}
    said = require_same_error(bench, records, **options, treatments={PAY: "round:1000"})
    assert "120 cells of 'pay' are no value that 'round' can read" in said
    said = require_same_error(bench, records, **options, treatments={PAY: f"top:{2**50}"})
    assert said
    few = staff().set_column(1, PAY, pa.array([place * 10 for place in range(120)], pa.int64()))
    said = require_same_error(bench, few, **options, treatments={PAY: "top:1185"})
    assert "1 record of 'pay' is above the cap 1185, fewer than k=2" in said


def check_numbers_that_are_no_whole_ones_are_refused_as_here(bench: Bench) -> None:
    """The largest whole numbers, and what is no number at all."""
    for name in (WHOLE, FLOAT):
        require_same_error(bench, hard_records(), quasi_identifiers=[name], k=5)


def check_statistics_are_the_same_exact_and_rounded(bench: Bench) -> None:
    for statistics in ("exact", "rounded"):
        options = {**WHO, "k": 5, "output_format": "genValsDist", "statistics": statistics}
        rows = require_same(bench, people(), **options)
        assert len(rows[0]) == 7
        suppressing = {**options, **TREES, "method": "Datafly", "suppression_threshold": 20}
        for suppressed in ("keep", "drop"):
            require_same(bench, people(), **suppressing, suppressed=suppressed)


def check_undeclared_columns_pass_are_dropped_or_refused(bench: Bench) -> None:
    widths = {
        policy: len(require_same(bench, people(), **WHO, k=5, undeclared=policy)[0]) for policy in ("pass", "drop")
    }
    assert widths == {"pass": 5, "drop": 3}
    said = require_same_error(bench, people(), **WHO, k=5, undeclared="fail")
    assert "nobody declared note, pay" in said


def check_identifiers_are_never_released(bench: Bench) -> None:
    rows = require_same(bench, people(), **WHO, k=5)
    assert not any("person" in str(value) for row in rows for value in row)


def check_sixty_four_quasi_identifiers_are_generalised(bench: Bench) -> None:
    draw = random.Random(2)
    names = [f"q {place}" for place in range(64)]
    columns = {name: pa.array([draw.choice("xyz") for _ in range(60)], pa.string()) for name in names}
    rows = require_same(bench, pa.table(columns), quasi_identifiers=names, k=20)
    assert {len(row) for row in rows} == {64}


def check_names_may_hold_anything(bench: Bench) -> None:
    hostile = ["select", 'a "quoted" name', "größe.%s", "Order", ":x", "🙂", "it's", "a b", "%", "\\"]
    draw = random.Random(3)
    columns = {name: pa.array([draw.choice(["u", "v", "w"]) for _ in range(80)], pa.string()) for name in hostile}
    options: dict[str, Any] = {"quasi_identifiers": hostile[:6], "sensitive": hostile[6:8], "identifiers": hostile[8:9]}
    models = [toolbox.DistinctLDiversity(l=2, attribute=name) for name in hostile[6:8]]
    options["rows_are_people"] = True
    require_same(bench, pa.table(columns), **options, models=models, k=3, output_format="genVals")


def check_a_column_that_is_not_there_is_refused_with_its_near_name(bench: Bench) -> None:
    wrong = failure(lambda: made_there(bench, people(), {"quasi_identifiers": ["agee"], "k": 5}))
    assert isinstance(wrong, UsageError)
    assert "Did you mean 'age'?" in str(wrong)


def check_what_cannot_be_satisfied_leaves_nothing(bench: Bench) -> None:
    said = require_same_error(bench, people(), **WHO, **TREES, method="Datafly", k=301, suppression_threshold=0)
    assert said
    assert bench.released() is None


def check_the_smallest_tables_are_released(bench: Bench) -> None:
    for number in (1, 2, 5):
        require_same(bench, people(number), **WHO, k=1)
    rows = require_same(bench, people(5), **WHO, k=5)
    assert len({row[:2] for row in rows}) == 1


def check_sensitive_values_are_judged_as_they_are_written(bench: Bench) -> None:
    """Flags, days and decimals, of which a reader may see another text than the engine."""
    records = typed_records().append_column(AGE, pa.array([place % 12 for place in range(240)], pa.int64()))
    for name in some(("share", "flag", "price", "zoned", "day"), every=5):
        options = {"quasi_identifiers": [AGE], "sensitive": [name], "k": 4, "on_missing": "skip"}
        require_same(bench, records, **options, models=[toolbox.DistinctLDiversity(l=2, attribute=name)])


CHECKS: list[Callable[[Bench], None]] = [
    check for name, check in list(globals().items()) if name.startswith("check_") and callable(check)
]
"""All checks; each needs a bench of its own."""
