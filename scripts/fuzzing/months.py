"""Two months of the records of persons: released, saved as a recoding, and applied; judged without the toolbox."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from fuzzing.builders import built_of_categories, built_of_numbers
from fuzzing.cases import Case
from fuzzing.columns import Column, Kind
from fuzzing.covering import covers, tells_nothing
from fuzzing.damage import damaged
from fuzzing.draw import Draw
from fuzzing.hierarchies import Generalisations, of_categories, of_numbers
from fuzzing.runner import Runner, Verdict, decoded

KEY, RECODING, REPORT = "people.key", "recoding.json", "january.json"
JANUARY, FEBRUARY = ("january.csv", "first.csv"), ("february.csv", "second.csv")
"""The file of each month, and its release."""
_METHODS = ("Datafly", "Flash", "OLA", "Incognito", "MinGen", "Mondrian", "LocalRecoding")
_TOWNS = ("Graz", "Linz", "Wien", "Bad Ischl", 'St. "P"', "Zürich", "a,b", "Ohio")
_TREATMENTS = {
    "pay": (
        "round:100",
        "truncate:1000",
        "top:4000",
        "bottom:1500",
        "noise:gaussian:50",
        "swap:10",
    ),
    "seen": ("truncate:month", "truncate:year", "shift:days=30", "redact"),
    "mail": ("pseudonym", "redact", "mask:2", "prefix:1"),
}
CAP = "Choose a cap"
"""A cap that few are beyond is refused: how many are, the data says."""
_KEYED = ("pseudonym", "shift")
Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Months:
    """What is run, and what the judge may know of it."""

    seed: int
    files: Mapping[str, bytes]
    release: tuple[str, ...]
    """The command line that releases January and saves the recoding."""
    apply: tuple[str, ...]
    """The one that applies it to February."""
    quasi: tuple[Column, ...]
    k: int
    counted: str | None
    """The column whose values are counted in a class; None for records."""
    treatments: Mapping[str, str]
    is_damaged: bool
    """Whether the recoding is damaged before it is applied."""
    may_overlap: bool
    """Whether January's release is named beside February's, so that this one may be refused."""
    wrongs: tuple[str, ...]


def draw_months(seed: int) -> Months:
    """Draw two months; the same seed draws the same ones."""
    draw = Draw(seed)
    quasi = draw_known_columns(draw)
    treatments = {name: draw.choice(words) for name, words in _TREATMENTS.items() if draw.chance(0.6)}
    counted = "person" if draw.chance(0.8) or treatments.get("seen", "").startswith("shift") else None
    if counted is None and draw.chance(0.5):
        treatments["pay"] = "microaggregate:3"
    k = draw.choice((2, 2, 3, 4))
    files = _draw_files(draw, quasi)
    for column in quasi:
        files |= column.generalisations.files
    keyed = ["--key", KEY] if any(words.startswith(_KEYED) for words in treatments.values()) else []
    words = _draw_words(draw, quasi, treatments, counted, k)
    later = ["apply", RECODING, FEBRUARY[0], "-output", FEBRUARY[1], "--order", "input", "--json", *keyed]
    later += ["--on-missing", "keep", "-suppThreshold", draw.choice(("0", "5", "50"))]
    later += ["--same-domain-as", REPORT] if keyed else []
    later += ["--small-classes", draw.choice(("merge", "suppress"))] if draw.chance(0.4) else []
    # Without persons: no column of the first release tells who they are.
    may_overlap = counted is None and draw.chance(0.4)
    later += ["--with", JANUARY[1]] if may_overlap else []
    is_damaged = draw.wrong("a damaged recoding", 0.3)
    return Months(
        seed,
        files,
        (*words, *keyed),
        tuple(later),
        quasi,
        k,
        counted,
        treatments,
        is_damaged,
        may_overlap,
        tuple(draw.wrongs),
    )


def _draw_words(
    draw: Draw, quasi: Sequence[Column], treatments: Mapping[str, str], counted: str | None, k: int
) -> list[str]:
    """Draw the command line of the first month."""
    words = ["anonymize", JANUARY[0], "--qi", ",".join(column.name for column in quasi), "-k", str(k)]
    words += ["-method", draw.choice(_METHODS), "-output", JANUARY[1], "--order", "input", "--on-missing", "keep"]
    words += ["--save-recoding", RECODING, "--report", REPORT, "--json", "--seed", "7"]
    words += ["-suppThreshold", draw.choice(("0", "3", "50")), "--undeclared", draw.choice(("drop", "pass"))]
    words += ["--person", "person"] if counted else ["--id", "person", "--rows-are-people"]
    for column in quasi:
        words += ["--kind", f"{column.name}={column.kind}"]
        words += ["--hierarchy", f"{column.name}={column.generalisations.words}"]
    for name, treatment in treatments.items():
        words += ["--treat", f"{name}={treatment}"]
    return words


def draw_known_columns(draw: Draw) -> tuple[Column, ...]:
    """Draw one to three quasi-identifiers, each with a hierarchy that knows the values of both months, or all."""
    columns = []
    for name in draw.some(("age", "town", "size"), draw.choice((1, 2, 2, 3))):
        kind: Kind = "category" if name == "town" else "number"
        values = tuple(draw.some(_TOWNS if name == "town" else [str(age) for age in range(20, 60)], draw.whole(2, 8)))
        listed, built = (of_categories, built_of_categories) if name == "town" else (of_numbers, built_of_numbers)
        tree = Generalisations()
        while not tree.words:
            tree = built(draw, values) if draw.chance(0.6) else listed(draw, values, f"{name}.tree.csv")
        columns.append(Column(name, "qid", kind, values, tree, has_hierarchy=True))
    return tuple(columns)


def _draw_files(draw: Draw, quasi: Sequence[Column]) -> dict[str, bytes]:
    """Draw people who stay, come and go, with one to six records in a month."""
    people = [f"p{number}" for number in range(draw.choice((6, 12, 25, 40)))]
    moves = draw.chance(0.5)
    homes = {person: [draw.choice(column.values) for column in quasi] for person in people}
    files = {}
    for (file, _), month, here in (
        (JANUARY, 1, people[: len(people) * 3 // 4]),
        (FEBRUARY, 2, people[len(people) // 4 :]),
    ):
        names = [*(column.name for column in quasi), "person", "mail", "seen", "pay"]
        rows = []
        for person in here:
            for _ in range(draw.choice((1, 1, 2, 3, 6))):
                cells = (
                    [draw.choice(column.values) for column in quasi] if moves and draw.chance(0.3) else homes[person]
                )
                seen = date(2024, month, 1) + timedelta(draw.whole(0, 27))
                pay = draw.whole(1000, 6000)
                rows.append([*cells, person, f"{person}@example.org", seen.isoformat(), str(pay)])
        text = io.StringIO()
        places = draw.shuffled(range(len(names))) if month == 2 else range(len(names))
        csv.writer(text).writerows([[line[place] for place in places] for line in [names, *draw.shuffled(rows)]])
        files[file] = text.getvalue().encode()
    return files


class MonthJudge:
    """Judges the release of each month.

    Parameters
    ----------
    months : Months
    folder : Path
        Where the files and the releases are.
    """

    def __init__(self, months: Months, folder: Path) -> None:
        self._months = months
        self._folder = folder

    def find_faults(self, month: tuple[str, str], document: Mapping[str, object]) -> Iterator[str]:
        """Yield what is wrong with the release of a month."""
        read, shown = (self._rows(name) for name in month)
        if len(read) != len(shown):
            yield f"{month[1]} has {len(shown)} records, and {month[0]} {len(read)}"
            return
        yield from self._cells(read, shown)
        yield from self._classes(read, shown, int(str(document["records_suppressed"])))
        for name, words in self._months.treatments.items():
            before, after = ([row[name] for row in rows] for rows in (read, shown))
            people = [row["person"] for row in read]
            yield from (f"{name} by {words}: {fault}" for fault in _treated(words, before, after, people))
            if name == "mail" and words != "prefix:1":
                data = (self._folder / month[1]).read_text(encoding="utf-8")
                yield from (f"{month[1]} holds an address" for address in before if address in data)

    def find_tokens_that_differ(self) -> Iterator[str]:
        """Yield which values have other tokens in the second month than in the first."""
        if self._months.treatments.get("mail") == "pseudonym":
            first, second = (
                dict(zip(*([row["mail"] for row in self._rows(name)] for name in month), strict=True))
                for month in (JANUARY, FEBRUARY)
            )
            if len({*first.values(), *second.values()}) != len({*first, *second}):
                yield "two addresses have one token"

    def _rows(self, name: str) -> Rows:
        with (self._folder / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def _cells(self, read: Rows, shown: Rows) -> Iterator[str]:
        for column in self._months.quasi:
            for before, after in zip(read, shown, strict=True):
                if not covers(column, after[column.name], before[column.name]):
                    yield f"{column.name} shows {after[column.name]!r} for {before[column.name]!r}"
                    return

    def _classes(self, read: Rows, shown: Rows, suppressed: int) -> Iterator[str]:
        """Yield the classes of too few persons, or records; what is suppressed shows nothing."""
        classes: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for number, (before, after) in enumerate(zip(read, shown, strict=True)):
            who = before["person"] if self._months.counted else str(number)
            classes[tuple(after[column.name] for column in self._months.quasi)].append(who)
        for cells, people in classes.items():
            if len(set(people)) < self._months.k and not (
                suppressed and tells_nothing(self._months.quasi, cells, read)
            ):
                yield f"a class shows {len(set(people))} {self._months.counted or 'record'}s, of {self._months.k}"


def _treated(words: str, before: Sequence[str], after: Sequence[str], people: Sequence[str]) -> Iterator[str]:
    """Yield in what a treated column is not what its page promises."""
    pairs = list(zip(before, after, strict=True))
    name, _, number = words.partition(":")
    match name:
        case "pseudonym":
            holds = len(set(pairs)) == len(set(before)) == len(set(after)) and {len(shown) for shown in after} == {32}
        case "shift":
            moved = defaultdict(set)
            for person, (value, shown) in zip(people, pairs, strict=True):
                moved[person].add((date.fromisoformat(shown) - date.fromisoformat(value)).days)
            holds = all(len(days) == 1 and 0 < abs(min(days)) <= 30 for days in moved.values())
        case "redact":
            holds = len(set(after)) == 1
        case "swap":
            holds = sorted(before) == sorted(after)
        case "microaggregate":
            holds = all(count >= int(number) for count in Counter(after).values())
        case _:
            holds = all(_stands_for(name, number, shown, value) for value, shown in pairs)
    if not holds:
        yield "the promise is broken"


def _stands_for(name: str, number: str, shown: str, value: str) -> bool:
    """Return whether a treated value is one that its treatment makes of a value alone."""
    match name:
        case "top" | "bottom":
            return int(shown) == (min if name == "top" else max)(int(value), int(number))
        case "mask":
            return shown == "*" * (len(value) - int(number)) + value[-int(number) :]
        case "prefix":
            return shown == value[: int(number)]
        case "truncate" if not number.isdigit():
            return shown == value[: 7 if number == "month" else 4]
        case "round" | "truncate":
            return int(shown) % int(number) == 0 and abs(int(value) - int(shown)) < int(number)
    # Noise may be anything.
    return name == "noise"


def load_secret(folder: Path) -> str:
    """Return what the key file holds, which may stand in no other file and in no message."""
    return (folder / KEY).read_text(encoding="utf-8").split()[-1]


def damage_recoding(seed: int, data: bytes) -> bytes:
    """Damage a saved recoding as a disk does, or as somebody who changes one of its values."""
    draw = Draw(seed)
    if draw.chance(0.4):
        return damaged(draw, data)
    document = json.loads(data)
    place, key = document, draw.choice(sorted(document))
    while isinstance(place[key], (dict, list)) and place[key] and draw.chance(0.8):
        place = place[key]
        key = draw.choice(sorted(place)) if isinstance(place, dict) else draw.whole(0, len(place) - 1)
    if draw.chance(0.25):
        del place[key]
    else:
        place[key] = draw.choice((None, True, -1, 0, 10**30, 1e308, "", "x", "\u0000", "--", [], {}, [[]], {"": None}))
    return json.dumps(document).encode()


def run_months(runner: Runner, seed: int) -> Verdict:
    """Release the first month of some persons, save how, and apply it to the second, perhaps damaged."""
    months = draw_months(seed)
    verdict = Verdict(Case(seed, months.files, (), months.release, months.wrongs))
    with runner.entered(verdict.case):
        runner.call(("key", "new", KEY, "--quiet"), verdict)
        verdict.said.clear()
        judge, secret = MonthJudge(months, runner.folder), load_secret(runner.folder)
        if _run_month(runner, verdict, months.release, JANUARY, judge) and not verdict.faults:
            if months.is_damaged:
                path = runner.folder / RECODING
                path.write_bytes(damage_recoding(seed, path.read_bytes()))
            may_fail = months.is_damaged or months.may_overlap
            is_done = _run_month(runner, verdict, months.apply, FEBRUARY, None if may_fail else judge)
            verdict.faults += judge.find_tokens_that_differ() if is_done and not may_fail else ()
        told = [*(answer.out + answer.err for answer in verdict.said), *map(decoded, _list_others_than_key(runner))]
        verdict.faults += ["the key stands elsewhere than in its file"] if any(secret in text for text in told) else []
    return verdict


def _run_month(
    runner: Runner, verdict: Verdict, words: Sequence[str], month: tuple[str, str], judge: MonthJudge | None
) -> bool:
    """Run the command line of a month and judge its release, if there is a judge; return whether there is one."""
    before = runner.listed()
    answer = runner.call(words, verdict)
    declared = frozenset({RECODING, REPORT}) if answer.status == 0 else frozenset()
    released = runner.released(verdict, answer)
    verdict.faults += runner.changes(before, runner.listed(), released, declared)
    may_end = verdict.case.wrongs or judge is None or CAP in answer.err
    if answer.status not in (0, 3) and not may_end:
        verdict.faults.append(f"a sound case ended with status {answer.status}")
    if answer.status == 0 and judge is not None:
        verdict.faults += judge.find_faults(month, json.loads(answer.out))
    return answer.status == 0


def _list_others_than_key(runner: Runner) -> Iterator[bytes]:
    return (data for name, data in runner.listed().items() if name != KEY)
