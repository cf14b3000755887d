"""Releases of one reading are those of two readings, by every method and of every kind of text."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from helpers.amounts import times
from helpers.learned import (
    HEADER,
    KNOWN,
    ONE_READING,
    both_ways,
    delimited,
    write,
)
from helpers.random_tables import Sample, samples
from hypothesis import given, settings
from hypothesis import strategies as st

# Every way to release


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", ["7", None])
@pytest.mark.parametrize("order", ["shuffled", "sorted", "input"])
@pytest.mark.parametrize("form", ["genValsDist", "genVals"])
def test_every_format_and_order_is_that_of_two_readings(
    form: str, order: str, seed: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = "8,71,X,flu,x\n9,72,X,cold,x\n"
    folder = write(tmp_path, HEADER + KNOWN + later + KNOWN, output=f"format='{form}' order='{order}'")
    learned, twice = both_ways(monkeypatch, folder, 8, seed=seed)
    assert learned.readings == ONE_READING
    if order != "shuffled" or seed:
        assert learned.outcome == twice.outcome
        return
    assert sorted(learned.files["out.csv"].splitlines()) == sorted(twice.files["out.csv"].splitlines())


SUPPRESSES = "method='Datafly' k='3' suppThreshold='4'"
METHODS = {
    "Datafly": SUPPRESSES,
    "Datafly, suppressed records dropped": f"{SUPPRESSES} suppressed='drop'",
    "Mondrian of 2010": "method='Mondrian' k='3' compatibility='utd'",
    "Incognito_k": "method='Incognito_k' k='3' suppThreshold='4'",
    "Incognito_l": "method='Incognito_l' l='1.2'",
    "Incognito_t": "method='Incognito_t' t='0.9'",
    "LocalRecoding": "method='LocalRecoding' k='3'",
    "PrioPrivacy": "method='PrioPrivacy' k='3'",
    "Singletons": "method='Singletons' k='3'",
    "Anatomy": "method='Anatomy' l='2' seed='1'",
    "Anatomy of 2010": "method='Anatomy' l='2' seed='1' compatibility='utd'",
    "undeclared columns dropped": "method='Mondrian' k='3' undeclared='drop'",
    "undeclared columns refused": "method='Mondrian' k='3' undeclared='fail'",
}
TREES = (
    "<att name='age' type='number' priority='1'><vgh value='[0:100]'><node value='[0:30)'/><node value='[30:100]'/>"
    "</vgh></att><att name='sex' priority='2'><map><entry cat='F' int='0'/><entry cat='M' int='1'/></map>"
    "<vgh value='[0:1]'/></att>"
)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("root", METHODS.values(), ids=METHODS)
def test_every_method_makes_the_release_of_two_readings(
    root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = "8,71,F,flu,x\n9,72,M,cold,x\n10,,M,cold,x\n"
    folder = write(tmp_path, HEADER + KNOWN * 2 + later + KNOWN, root=root, qid=TREES)
    learned, twice = both_ways(monkeypatch, folder, 8)
    assert learned.outcome == twice.outcome
    assert bool(learned.files) == ("fail" not in root)


TREATED = {
    "pay": (
        "round:1000",
        "truncate:1000",
        "top:1700",
        "bottom:1300",
        "noise:gaussian:50",
        "microaggregate:3",
        "swap:50",
        "pram:0.5",
    ),
    "day": ("truncate:month", "top:2024-02-02", "redact", "mask:2", "prefix:4"),
}


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("column", "words"), [(column, words) for column, listed in TREATED.items() for words in listed]
)
def test_every_treatment_makes_what_it_makes_of_two_readings(
    column: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column of few values is kept as an enumeration, of which a value that is made need not be one."""
    records = [
        f"{number},{20 + number % 4},{'FM'[number % 2]},{('flu', 'cold')[number % 2]},x,"
        f"{(1200, 1499, 1500, 1999)[number % 4]},2024-0{1 + number % 3}-01\n"
        for number in range(24)
    ]
    text = HEADER.rstrip("\n") + ",pay,day\n" + "".join(records)
    rest = f"<id><att name='id'/></id><released><att name='{column}' treat='{words}'/></released>"
    folder = write(tmp_path, text, root="method='Mondrian' k='2' seed='1'", rest=rest)
    learned, twice = both_ways(monkeypatch, folder, 24)
    assert learned.readings == ONE_READING
    assert learned.outcome == twice.outcome
    assert learned.files


@pytest.mark.slow
def test_sensitive_values_are_judged_as_in_two_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = (
        "<privacy><model name='k-anonymity' k='2'/><model name='entropy l-diversity' l='1.5' attribute='illness'/>"
        "<model name='t-closeness' t='0.6' distance='hierarchical' attribute='illness'/>"
        "<model name='t-closeness' t='0.9' attribute='pay'/></privacy>"
    )
    header = "id,age,sex,illness,pay\n"
    lines = "".join(
        f"{number},{20 + number % 3},{'FM'[number % 2]},{('flu', 'cold', 'gout')[number % 5 % 3]},{100 * (number % 4)}\n"
        for number in range(30)
    )
    sens = "<att name='illness'><vgh file='ill.csv'/></att><att name='pay' type='number'/>"
    (tmp_path / "ill.csv").write_text("flu;lung;*\ncold;lung;*\ngout;joint;*\n")
    folder = write(
        tmp_path, header + lines, root="method='Mondrian'", sens=sens, rest=f"<id><att name='id'/></id>{models}"
    )
    learned, twice = both_ways(monkeypatch, folder, 12)
    assert learned.error == ("", "")
    assert learned.readings == ONE_READING
    assert learned.outcome == twice.outcome
    missing = write(
        tmp_path, header + lines + "60,20,F,rare,none\n", root="method='Mondrian'", sens=sens, rest=f"<id/>{models}"
    )
    learned, twice = both_ways(monkeypatch, missing, 12)
    assert learned.error == twice.error
    assert learned.error[0] == "InputError"


# Every kind of text


def packed(folder: Path, text: str) -> None:
    (folder / "in.csv").write_bytes(gzip.compress(text.encode()))


def in_latin_1(folder: Path, text: str) -> None:
    (folder / "in.csv").write_bytes(text.replace("flu", "grippé").encode("latin-1"))


def in_three_files(folder: Path, text: str) -> None:
    header, *lines = text.splitlines(keepends=True)
    (folder / "in.csv").unlink()
    (folder / "in.csv").mkdir()
    for number, end in enumerate(("\n", "\r\n", "\r")):
        part = header + "".join(lines[number * 9 : number * 9 + 9])
        (folder / "in.csv" / f"part-{number}.csv").write_bytes(part.replace("\n", end).encode())


def with_mixed_line_ends(folder: Path, text: str) -> None:
    (folder / "in.csv").write_bytes(text.replace("x\n", "x\r\n", 5).encode())


TEXTS: dict[str, tuple[Callable[[Path, str], None], str]] = {
    "packed": (packed, "header='true'"),
    "latin-1": (in_latin_1, "header='true' encoding='latin-1'"),
    "three files": (in_three_files, "header='true'"),
    "mixed line ends": (with_mixed_line_ends, "header='true'"),
}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("change", "attributes"), TEXTS.values(), ids=TEXTS)
def test_every_text_is_learned_as_it_is_read(
    change: Callable[[Path, str], None], attributes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEADER + KNOWN * 2 + "8,71,F,flu,x\n" * 11
    folder = write(tmp_path, text, given=attributes)
    change(folder, text)
    learned, twice = both_ways(monkeypatch, folder, 8)
    assert learned.readings == ONE_READING
    assert learned.outcome == twice.outcome
    assert learned.document["records_released"] == 27


# Random tables


@pytest.mark.slow
@settings(max_examples=times(3, slow=400), deadline=None)
@given(sample=samples(), first=st.integers(1, 45), most=st.sampled_from([2, 3, 60_000]), policy=st.data())
def test_random_tables_are_released_as_two_readings_release_them(
    sample: Sample, first: int, most: int, policy: st.DataObject
) -> None:
    missing = st.sampled_from([None, None, None, "", "?"])
    rows = [list(map(str, row)) for row in sample.frame.itertuples(index=False)]
    for row in rows:
        row[-1] = row[-1][:2] if first % 2 else row[-1]
        gap = policy.draw(missing)
        row[0] = row[0] if gap is None else gap
    on_missing = policy.draw(st.sampled_from(["skip", "keep", "fail"]))
    qid = "".join(f"<att name='{name}' type='{kind}'/>" for name, kind in sample.kinds.items())
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as monkeypatch:
        folder = write(
            Path(place),
            delimited([*sample.names, "record", "note"], rows),
            root=f"method='Mondrian' k='{sample.k}'",
            given=f"header='true' onMissing='{on_missing}'",
            qid=qid,
            sens="<att name='note' type='category'/>",
            rest="<id><att name='record'/></id>",
        )
        learned, twice = both_ways(monkeypatch, folder, first, most_values=most)
    assert learned.outcome == twice.outcome
