"""Dates and timestamps: from files and tables of any type to releases that read as dates, and back."""

import datetime as dt
from pathlib import Path
from random import Random

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers import in_order
from helpers.running import run_in_process

import toolbox
from toolbox import ConfigurationError, InputError, UsageError

BORN = ["24.01.1971", "05.03.1971", "11.06.1973", "29.02.1972", "31.12.1969", "01.01.1931", "02.02.1935", "12.11.1968"]
DAYS = [dt.date(*reversed([int(part) for part in text.split(".")])) for text in BORN]
RANGES = {
    "24.01.1971": "[1971-01-24:1971-03-05]",
    "05.03.1971": "[1971-01-24:1971-03-05]",
    "29.02.1972": "[1972-02-29:1973-06-11]",
    "11.06.1973": "[1972-02-29:1973-06-11]",
    "12.11.1968": "[1968-11-12:1969-12-31]",
    "31.12.1969": "[1968-11-12:1969-12-31]",
    "01.01.1931": "[1931-01-01:1935-02-02]",
    "02.02.1935": "[1931-01-01:1935-02-02]",
}


def configuration(folder: Path, att: str, *, root: str = "k='2'", output: str = "out.csv", more: str = "") -> Path:
    (folder / "in.csv").write_text("born,sex\n" + "".join(f"{text},f\n" for text in BORN))
    path = folder / "config.xml"
    path.write_text(
        f"<config {root}><input filename='in.csv' header='true'/><output filename='{output}' {more}/>"
        f"<qid>{att}</qid></config>"
    )
    return path


def release(table: object, column: str = "t", **arguments: object) -> list[object]:
    """Return a column of a 2-anonymous release."""
    frame = in_order.anonymize(table, quasi_identifiers=[column], **{"k": 2, **arguments}).release
    return list(frame[column])


# From file to file


@pytest.mark.slow
def test_dates_are_cut_in_their_order_released_as_ranges_and_judged_on_their_numbers(tmp_path: Path) -> None:
    path = configuration(tmp_path, "<att name='born' type='date'/>", more="format='genValsDist'")
    document = run_in_process("-config", path, "--json", "--order", "input").succeeded().document
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "born,born_mean:variance,sex"
    assert [line.split(",")[0] for line in lines[1:]] == [RANGES[text] for text in BORN]
    assert lines[1] == "[1971-01-24:1971-03-05],1971-02-13:400.0,f"  # 40 days apart
    assert [note for note in document["notes"] if note.startswith("born: ")] == [
        "born: its dates are read as %d.%m.%Y, which their values fit. Write format='..' if they are written otherwise."
    ]
    assert document["quasi_identifiers"][0]["range"] == "[1931-01-01:1935-02-02] .. [1972-02-29:1973-06-11]"
    config, original, released = toolbox.load_config(path), tmp_path / "in.csv", tmp_path / "out.csv"
    lost = toolbox.measure(original, released, config=config)
    widths = [(max(days) - min(days)).days for days in (DAYS[:2], DAYS[2:4], [DAYS[4], DAYS[7]], DAYS[5:7])]
    whole = (max(DAYS) - min(DAYS)).days
    assert lost.value("normalised certainty penalty") == pytest.approx(sum(widths) / 4 / whole)
    assert toolbox.check(released, config=config).achieved("k-anonymity") == 2
    consistency = toolbox.risk(released, original=original, config=config).risk.consistency
    assert consistency is not None
    assert (consistency.lowest, consistency.unmatched) == (2, 0)


@pytest.mark.slow
def test_methods_that_climb_hierarchies_find_months_years_and_decades(tmp_path: Path) -> None:
    path = configuration(
        tmp_path,
        "<att name='born' type='date'/>",
        root="method='Datafly' k='2' suppThreshold='0'",
        output="out.parquet",
    )
    config = toolbox.load_config(path)
    in_order.anonymize(config)
    shown = pq.read_table(tmp_path / "out.parquet").column("born").to_pylist()
    assert shown == ["1970s", "1970s", "1970s", "1970s", "1960s", "1930s", "1930s", "1960s"]
    lost = toolbox.measure(tmp_path / "in.csv", tmp_path / "out.parquet", config=config)
    assert lost.value("absolute distance") == 3  # month, year, decade
    assert lost.value("precision") == pytest.approx(1 / 4)


@pytest.mark.slow
def test_the_periods_of_a_hierarchy_are_chosen(tmp_path: Path) -> None:
    att = "<att name='born' type='date' hierarchy='quarter,year'/>"
    path = configuration(tmp_path, att, root="method='Datafly' k='2' suppThreshold='6'")
    summary = in_order.anonymize(toolbox.load_config(path)).summary
    shown = [line.split(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert shown == ["1971-Q1", "1971-Q1", "*", "*", "*", "*", "*", "*"]
    assert (summary.quasi_identifiers[0].level, summary.quasi_identifiers[0].height) == (1, 3)


@pytest.mark.slow
def test_regions_of_dates_are_named_by_dates(tmp_path: Path) -> None:
    path = configuration(tmp_path, "<att name='born' type='date'/>", root="k='4' naming='regions'")
    config = toolbox.load_config(path)
    in_order.anonymize(config)
    shown = [line.split(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert set(shown) == {"[1931-01-01:1969-12-31]", "(1969-12-31:1973-06-11]"}
    assert toolbox.risk(tmp_path / "out.csv", original=tmp_path / "in.csv", config=config).risk.consistency.lowest == 4


# From table to table


@pytest.mark.slow
def test_every_type_of_dates_is_one_of_ordered_numbers() -> None:
    moments = [dt.datetime(1960, 5, 6, 7, 8, 9), dt.datetime(1969, 12, 31, 23, 59, 59)]
    moments += [dt.datetime(2000, 2, 29, 12), dt.datetime(2024, 1, 1)]
    days = [moment.date() for moment in moments]
    columns = {f"timestamp {unit}": pa.array(moments, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")}
    columns |= {"date32": pa.array(days, pa.date32()), "date64": pa.array(days, pa.date64())}
    columns["midnight"] = pa.array(days, pa.date64()).cast(pa.timestamp("us"))
    columns["zone"] = pa.array(moments, pa.timestamp("ms", "Europe/Berlin"))
    table = pa.table(columns)
    result = in_order.anonymize(table, quasi_identifiers=list(columns), k=2)
    first, last = result.release.iloc[0].to_dict(), result.release.iloc[3].to_dict()
    for unit in ("s", "ms", "us", "ns"):
        assert first[f"timestamp {unit}"] == "[1960-05-06T07:08:09:1969-12-31T23:59:59]"
        assert last[f"timestamp {unit}"] == "[2000-02-29T12:00:00:2024-01-01T00:00:00]"
    for name in ("date32", "date64", "midnight"):
        assert (first[name], last[name]) == ("[1960-05-06:1969-12-31]", "[2000-02-29:2024-01-01]")
    assert first["zone"] == "[1960-05-06T08:08:09+01:00:1970-01-01T00:59:59+01:00]"
    judged = toolbox.risk(result.release, original=table, quasi_identifiers=["zone", "date64"]).risk.consistency
    assert judged is not None
    assert (judged.lowest, judged.unmatched) == (2, 0)


# By default the dates of the files above are cut, with the ranges written out.
@pytest.mark.slow
def test_dates_are_cut_where_the_numbers_of_their_days_are() -> None:
    random = Random(13)
    days = [dt.date(1925, 1, 1) + dt.timedelta(days=random.randrange(36_000)) for _ in range(150)]
    frame = pd.DataFrame({"t": days, "n": [day.toordinal() for day in days]})
    dates, numbers = release(frame, k=7), release(frame, "n", k=7)
    for shown, number in zip(dates, numbers, strict=True):
        low, high = (dt.date.fromordinal(int(end)) for end in str(number).strip("[]").split(":"))
        assert shown == f"[{low}:{high}]"


@pytest.mark.slow
def test_dates_of_python_reach_from_the_first_year_to_the_last() -> None:
    frame = pd.DataFrame({"t": [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(2000, 2, 29), dt.date(9999, 12, 31)]})
    low, high = "[0001-01-01:1969-12-31]", "[2000-02-29:9999-12-31]"
    assert release(frame) == [low, low, high, high]
    assert release(frame, method="Datafly", hierarchies={"t": ["decade"]}, k=1, suppression_threshold=0) == [
        str(day) for day in frame.t
    ]


@pytest.mark.slow
def test_moments_are_ordered_where_the_clock_is_put_back() -> None:
    zoned = pd.to_datetime(
        ["2024-10-27T01:30Z", "2024-10-27T00:30Z", "2024-10-27T01:10Z", "2024-10-27T00:50Z"], utc=True
    ).tz_convert("Europe/Berlin")
    frame = pd.DataFrame({"t": zoned})
    before = "[2024-10-27T02:30:00+02:00:2024-10-27T02:50:00+02:00]"
    after = "[2024-10-27T02:10:00+01:00:2024-10-27T02:30:00+01:00]"
    assert release(frame) == [after, before, after, before]
    hours = release(frame, method="LocalRecoding", hierarchies={"t": "hour,day"})
    assert hours == ["2024-10-27T02+01:00", "2024-10-27T02+02:00", "2024-10-27T02+01:00", "2024-10-27T02+02:00"]
    shown = pd.DataFrame({"t": hours})
    judged = toolbox.risk(shown, original=frame, quasi_identifiers=["t"], hierarchies={"t": "hour,day"}).risk
    assert (judged.consistency.lowest, judged.consistency.unmatched) == (2, 0)


@pytest.mark.slow
def test_texts_are_dates_for_whoever_says_so() -> None:
    frame = pd.DataFrame({"t": BORN})
    assert release(frame, kinds={"t": "date"}) == [RANGES[text] for text in BORN]
    assert (
        release(frame, kinds={"t": "date %d.%m.%Y"}, method="LocalRecoding", hierarchies={"t": "decade"})[4] == "1960s"
    )


@pytest.mark.slow
def test_who_stands_out_is_hidden_in_ranges_of_dates_not_in_their_means() -> None:
    frame = pd.DataFrame({"t": pd.to_datetime(DAYS)})
    assert release(frame, method="Singletons") == [RANGES[text] for text in BORN]


@pytest.mark.slow
def test_moments_of_parquet_are_written_in_their_zone(tmp_path: Path) -> None:
    moments = pa.array(
        [dt.datetime(2024, 10, 27, hour, 30) for hour in (1, 0, 1, 0)], pa.timestamp("us", "Europe/Berlin")
    )
    pq.write_table(pa.table({"t": moments, "other": moments}), tmp_path / "in.parquet")
    (tmp_path / "config.xml").write_text(
        "<config k='2'><input filename='in.parquet'/><output filename='out.csv'/><qid><att name='t'/></qid></config>"
    )
    config = toolbox.load_config(tmp_path / "config.xml")
    in_order.anonymize(config)
    before, after = (
        "2024-10-27T02:30:00+02:00,2024-10-27 00:30:00+00",
        "2024-10-27T02:30:00+01:00,2024-10-27 01:30:00+00",
    )
    assert (tmp_path / "out.csv").read_text().splitlines() == ["t,other", after, before, after, before]
    judged = toolbox.risk(tmp_path / "out.csv", original=tmp_path / "in.parquet", config=config).risk.consistency
    assert judged is not None
    assert (judged.lowest, judged.unmatched) == (2, 0)


@pytest.mark.slow
def test_a_note_says_that_categories_are_dates() -> None:
    result = toolbox.anonymize(pd.DataFrame({"t": BORN}), quasi_identifiers=["t"], k=4)
    assert result.summary.warnings[:1] == (
        "t: its values are dates as texts, and are taken for categories. "
        "Write kinds={'t': 'date'} to have them generalised as dates.",
    )
    silent = toolbox.anonymize(pd.DataFrame({"t": BORN}), quasi_identifiers=["t"], kinds={"t": "category"}, k=4)
    assert not any(note.startswith("t: ") for note in silent.summary.warnings)


@pytest.mark.slow
def test_a_sensitive_date_is_an_ordered_number() -> None:
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "admitted": pd.to_datetime(DAYS[:4])})
    result = in_order.anonymize(
        frame,
        quasi_identifiers=["age"],
        sensitive=["admitted"],
        models=[toolbox.TCloseness(t=0.9, attribute="admitted")],
    )
    # ranks 1, 2 | 4, 3 of four: the ordered distance, not the equal one of 0.5
    assert result.summary.proof.models[0].achieved == pytest.approx(1 / 3)
    pd.testing.assert_series_equal(result.release["admitted"], frame["admitted"])


# What is wrong


def test_the_message_for_a_column_of_dates_leads_to_its_type(tmp_path: Path) -> None:
    path = configuration(tmp_path, "<att name='born'/>")
    failed = run_in_process("-config", path)
    assert failed.status == 4
    assert "Write type='date', as all of them are dates." in failed.stderr
    assert "1971" not in failed.stderr


def test_faulty_dates_are_counted_with_their_places(tmp_path: Path) -> None:
    path = configuration(tmp_path, "<att name='born' type='date'/>")
    text = (tmp_path / "in.csv").read_text()
    (tmp_path / "in.csv").write_text(text + "31.02.1971,f\nunknown,f\n24.01.71,f\n")
    failed = run_in_process("-config", path)
    assert failed.status == 4
    assert failed.stderr.splitlines()[-2] == (
        "  column born: pattern '99.99.99', '99.99.9999', 'aaaaaaa' (lines 10, 11, 12) is no date of the years 1 to 9999, "
        "written as %d.%m.%Y. Correct it, name it in missing=, or write another format=."
    )


@pytest.mark.slow
def test_the_order_of_day_and_month_is_asked_for(tmp_path: Path) -> None:
    frame = pd.DataFrame({"t": ["01.02.1971", "03.04.1972"]})
    with pytest.raises(InputError, match=r"Write kinds={'t': 'date %d\.%m\.%Y'} or kinds={'t': 'date %m\.%d\.%Y'}"):
        release(frame, kinds={"t": "date"})
    assert release(frame, kinds={"t": "date %m.%d.%Y"}) == ["[1971-01-02:1972-03-04]"] * 2


@pytest.mark.slow
def test_missing_dates_are_treated_as_the_policy_says() -> None:
    frame = pd.DataFrame({"t": pd.to_datetime(["1971-01-24", None, "1973-06-11"])})
    assert release(frame, on_missing="skip") == ["[1971-01-24:1973-06-11]"] * 2
    with pytest.raises(InputError, match=r"missing \(row 2\)"):
        release(frame, on_missing="fail")
    with pytest.raises(InputError, match="to keep it makes a category of it, but the column holds dates"):
        release(frame, on_missing="keep")


def test_a_date_has_no_time_of_day_and_a_far_timestamp_no_microseconds() -> None:
    with pytest.raises(InputError, match="a date with a time of day"):
        release(pd.DataFrame({"t": ["1971-01-24", "1971-01-24 10:00"]}), kinds={"t": "date"})
    far = pa.table({"t": pa.array([dt.datetime(9999, 1, 1, 0, 0, 0, 1), dt.datetime(1970, 1, 1)], pa.timestamp("us"))})
    with pytest.raises(InputError, match="finer fractions of a second"):
        release(far)


@pytest.mark.parametrize(
    ("att", "message"),
    [
        ("type='date' format='%d.%q'", "holds '%q', which stands for nothing"),
        ("type='date' format='%m.%Y'", "says no day"),
        ("type='timestamp' format='%d.%m.%Y'", "says no time of the day"),
        ("format='%d.%m.%Y'", "is only for dates. Write type='date' or 'timestamp'."),
        ("type='date' hierarchy='year,month'", "is not in order. Write the shortest period first"),
        ("type='date' hierarchy='week,month'", "has longer periods than weeks"),
        ("type='date' hierarchy='years'", "is unknown. Did you mean 'year'?"),
        ("type='number' hierarchy='year'", "cannot be combined with values that are no dates"),
    ],
)
def test_what_is_said_of_dates_is_checked(tmp_path: Path, att: str, message: str) -> None:
    path = configuration(tmp_path, f"<att name='born' {att}/>")
    with pytest.raises(ConfigurationError, match=message.replace("?", r"\?").replace(".", r"\.")):
        toolbox.load_config(path)


def test_a_written_hierarchy_and_the_mode_of_2010_go_with_no_date(tmp_path: Path) -> None:
    path = configuration(tmp_path, "<att name='born' type='date'><vgh value='[0:1]'/></att>")
    with pytest.raises(ConfigurationError, match="Write hierarchy='month,year,decade' on <att> instead"):
        toolbox.load_config(path)
    path = configuration(tmp_path, "<att name='born' type='date'/>", root="compatibility='utd'")
    with pytest.raises(ConfigurationError, match="born is a date, which the toolbox of 2010 did not know"):
        toolbox.load_config(path)


def test_what_a_call_says_of_dates_is_checked() -> None:
    frame = pd.DataFrame({"t": pd.to_datetime(DAYS)})
    for arguments, message in (
        ({"kinds": {"t": "dates"}}, "'number', 'category', 'date', 'timestamp'"),
        ({"kinds": {"t": "date %Q"}}, "stands for nothing"),
        ({"kinds": {"t": "number %d"}}, "has more than one word"),
        ({"kinds": {"t": 5}}, "kinds"),
        ({"hierarchies": {"t": ["year", "month"]}}, "is not in order"),
        ({"kinds": {"t": "date"}, "hierarchies": {"t": [("a", "*")]}}, "Write hierarchies={'t': 'month,year,decade'}"),
    ):
        with pytest.raises(UsageError) as error:
            release(frame, **arguments)
        assert message in str(error.value)
