"""Judges count persons: what each says of random tables by person, beside the same count in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pandas as pd
import pytest
from helpers.amounts import times

import toolbox
from toolbox.cli.main import main
from toolbox.detection.suda import list_size_scores
from toolbox.errors import InputError, UnknownColumnError, UsageError

QUASI_IDENTIFIERS = ["age", "sex"]
DECLARED: dict[str, Any] = {"quasi_identifiers": QUASI_IDENTIFIERS, "person": "person"}
WITH_ILLNESS: dict[str, Any] = {**DECLARED, "sensitive": ["illness"]}
K = 3


class Row(NamedTuple):
    """One record, and what is released of it."""

    person: str | None
    age: int
    sex: str
    low: int
    high: int
    shown: str
    illness: str

    @property
    def cells(self) -> tuple[str, str]:
        """What the release shows of the quasi-identifiers."""
        return "*" if (self.low, self.high) == (0, 9) else f"[{self.low}:{self.high}]", self.shown

    def covers(self, other: Row) -> bool:
        """Whether the released row could be that of another record."""
        return self.low <= other.age <= self.high and self.shown in (other.sex, "*")


def draw_row(draw: Random, person: str | None, age: int, sex: str) -> Row:
    """Draw what is released of a record: never something else than what is true."""
    low, high = draw.choice([(age // 3 * 3, age // 3 * 3 + 2), (0, 9), (age, age + 1)])
    return Row(person, age, sex, low, high, draw.choice((sex, "*")), draw.choice(("flu", "cold", "gout")))


def draw_rows(draw: Random, *, varies: bool, lacks: bool = False) -> list[Row]:
    """Draw persons with 1 to 4 rows, whose quasi-identifiers are the same in all of them, or not."""
    rows: list[Row] = []
    for number in range(draw.randint(3, 9)):
        row = draw_row(draw, f"P{number}", draw.randint(1, 8), draw.choice("fm"))
        for _ in range(draw.choice((1, 1, 2, 3, 4))):
            if varies and draw.random() < 0.7:
                row = draw_row(draw, row.person, draw.randint(1, 8), draw.choice("fm"))
            illness = draw.choice(("flu", "cold", "gout"))
            rows.append(row._replace(illness=illness, person=None if lacks and draw.random() < 0.15 else row.person))
    draw.shuffle(rows)
    return rows


def publish(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the release, which keeps the column of the person."""
    shown = [(row.person, *row.cells, row.illness) for row in rows]
    return pd.DataFrame(shown, columns=["person", "age", "sex", "illness"], dtype="object")


def recorded(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the original records."""
    return pd.DataFrame(
        [(row.person, row.age, row.sex, row.illness) for row in rows], columns=["person", "age", "sex", "illness"]
    )


def draw_tables(name: str, *, some: int = 4) -> Iterator[tuple[Random, list[Row]]]:
    """Draw tables of which half vary within a person, and some lack persons."""
    draw = Random(name)
    for number in range(times(some, slow=100)):
        yield draw, draw_rows(draw, varies=number % 2 == 1, lacks=number % 4 > 1)


def fewest_by_person(counts: Iterable[tuple[str | None, int]]) -> list[int]:
    """Return for each person the fewest of their counts that is not 0; 0 if all are."""
    found: dict[str | None, list[int]] = defaultdict(list)
    for person, count in counts:
        found[person].append(count)
    return [min(filter(None, each), default=0) for each in found.values()]


def histogram(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Count how often each number occurs, ascending."""
    return tuple(sorted(Counter(numbers).items()))


# Who fits: the persons of the released records that could be somebody's, and a register of people.


@pytest.mark.slow
def test_consistency_counts_the_persons_who_could_be_somebody() -> None:
    for draw, rows in draw_tables("consistency"):
        lost = [row for row in rows if draw.random() < 0.9] or rows
        told = toolbox.risk(publish(lost), original=recorded(rows), k=K, **DECLARED).risk.consistency
        fitting = fewest_by_person(
            (each.person, len({row.person for row in lost if row.covers(each)})) for each in rows
        )
        assert told is not None
        assert told.counts == histogram(fitting)
        assert (told.people, told.below_k) == (len(fitting), sum(count < K for count in fitting))
        assert (told.alone, told.unmatched, told.lowest) == (fitting.count(1), fitting.count(0), min(fitting))
        found = [1 / count for count in fitting if count]
        assert told.average_risk == pytest.approx(sum(found) / max(1, len(found)))


@pytest.mark.slow
def test_a_journalist_finds_persons_among_people() -> None:
    for draw, rows in draw_tables("journalist"):
        register = [draw_row(draw, None, draw.randint(1, 8), draw.choice("fm")) for _ in range(30)]
        register += rows
        told = toolbox.risk(publish(rows), population=recorded(register)[QUASI_IDENTIFIERS], **DECLARED).risk
        classes: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in rows:
            if row.cells != ("*", "*"):
                classes[row.cells].append(row)
        persons = {cells: len({row.person for row in members}) for cells, members in classes.items()}
        risks = {
            cells: 1 / max(persons[cells], sum(members[0].covers(each) for each in register))
            for cells, members in classes.items()
        }
        if not risks:
            continue
        assert told.journalist is not None and told.uniqueness.records == list(persons.values()).count(1)
        assert told.journalist.highest == pytest.approx(max(risks.values()))
        average = sum(persons[cells] * risks[cells] for cells in risks) / sum(persons.values())
        assert told.journalist.average == pytest.approx(average)


@pytest.mark.slow
def test_matching_gives_each_person_one_row() -> None:
    pytest.importorskip("scipy")
    for _, drawn in draw_tables("matching", some=6):
        fixed: dict[str | None, Row] = {}
        rows = [fixed.setdefault(row.person, row)._replace(illness=row.illness) for row in drawn if row.person]
        once = [row for number, row in enumerate(rows) if row.person not in {r.person for r in rows[:number]}]
        asked: dict[str, Any] = {"matching": True, "k": K}
        by_person = toolbox.risk(publish(rows), original=recorded(rows), **asked, **DECLARED).matching
        alone = publish(once), recorded(once)
        by_row = toolbox.risk(alone[0], original=alone[1], **asked, quasi_identifiers=QUASI_IDENTIFIERS).matching
        assert by_person is not None and by_row is not None
        assert (by_person.people, by_person.rows, by_person.unassigned) == (len(once), len(once), by_row.unassigned)
        assert by_person.beliefs is not None and by_row.beliefs is not None
        assert by_person.beliefs.counts == by_row.beliefs.counts
        assert by_person.beliefs.matchable_below_k == by_row.beliefs.matchable_below_k
        assert by_person.beliefs.expected_hits == pytest.approx(by_row.beliefs.expected_hits)


@pytest.mark.slow
def test_matching_refuses_a_person_in_several_places() -> None:
    pytest.importorskip("scipy")
    rows = [
        Row("P1", 1, "f", 0, 2, "f", "flu"),
        Row("P1", 4, "f", 3, 5, "f", "flu"),
        Row("P2", 4, "f", 3, 5, "f", "flu"),
    ]
    asked: dict[str, Any] = {"original": recorded(rows), "matching": True}
    with pytest.raises(UsageError, match=r"1 person is in several classes of the release\. Make one record of each"):
        toolbox.risk(publish(rows), **asked, **DECLARED)
    same = [row._replace(low=0, high=5) for row in rows]
    with pytest.raises(UsageError, match="1 person is in several combinations of the original records"):
        toolbox.risk(publish(same), **asked, **DECLARED)


def guess_value(rows: Sequence[Row]) -> str:
    """Return the value that most persons have, of several the first in their order."""
    having: dict[str, set[str | None]] = defaultdict(set)
    for row in rows:
        having[row.illness].add(row.person)
    return min(having, key=lambda value: (-len(having[value]), value))


@pytest.mark.slow
def test_attacks_on_a_control_group_count_persons() -> None:
    for draw, rows in draw_tables("control"):
        others = [row._replace(person=f"X{row.person}") for row in draw_rows(draw, varies=True)]
        told = toolbox.risk(
            publish(rows), original=recorded(rows), control=recorded(others), k=K, **WITH_ILLNESS
        ).control
        assert told is not None
        shown = [row for row in rows if row.cells != ("*", "*")]
        for attack in told.attacks:
            for group, success in ((rows, attack.inside), (others, attack.outside)):
                found = set()
                for each in group:
                    fitting = [row for row in shown if row.covers(each)]
                    count = len({row.person for row in fitting})
                    succeeds = {"fits": count >= 1, "fits few": 1 <= count < K, "fits one": count == 1}
                    succeeds["value"] = guess_value(fitting or rows) == each.illness
                    if succeeds[attack.name]:
                        found.add(each.person)
                assert (success.people, success.successes) == (len({row.person for row in group}), len(found))


# An earlier release of the same people.

Pair = tuple[Row, Row]


def link_by_person(now: Sequence[Row], before: Sequence[Row]) -> list[Pair]:
    """Link all rows of a person; rows that name nobody are linked with none."""
    return [(row, other) for row in now for other in before if row.person == other.person and row.person is not None]


def link_by_order(now: Sequence[Row], before: Sequence[Row]) -> list[Pair]:
    """Link the rows in one place."""
    return list(zip(now, before, strict=True))


def values_of(rows: Sequence[Row], cells: tuple[str, str]) -> set[str]:
    """Return the illnesses of a class."""
    return {row.illness for row in rows if row.cells == cells}


def require_joint(joint: Any, pairs: Sequence[Pair], now: Sequence[Row], before: Sequence[Row]) -> None:
    """Compare classes, consistency and values of two releases with a count of every pair of linked rows."""
    assert joint.by_person
    together: dict[Any, set[str | None]] = defaultdict(set)
    for row, other in pairs:
        together[row.cells, other.cells].add(row.person)
    sizes = fewest_by_person((row.person, len(together[row.cells, other.cells])) for row, other in pairs)
    assert joint.classes.counts == histogram(sizes)
    assert (joint.classes.records, joint.classes.smallest) == (len(sizes), min(sizes))
    assert (joint.classes.below_k, joint.classes.alone) == (sum(size < K for size in sizes), sizes.count(1))

    fitting = fewest_by_person(
        (each.person, len({row.person for row, other in pairs if row.covers(each) and other.covers(each)}))
        for each in now
    )
    people = joint.consistency
    assert people.counts == histogram(fitting)
    assert (people.people, people.unmatched, people.alone) == (len(fitting), fitting.count(0), fitting.count(1))
    assert people.below_k == sum(0 < count < K for count in fitting)

    left: dict[str | None, list[int]] = defaultdict(list)
    changed = set()
    for row, other in pairs:
        here, there = values_of(now, row.cells), values_of(before, other.cells)
        left[row.person].append(len(here & there))
        if here != there:
            changed.add(row.person)
    require_values(joint.values[0], left)
    assert (joint.values[0].changed, joint.values[0].below_k) == (len(changed), None)


def require_values(values: Any, left: dict[str | None, list[int]]) -> None:
    """Compare the values that are left with the numbers of them, for each row of each person."""
    assert values.people == len(left)
    assert values.certain == sum(1 in each for each in left.values())
    assert values.none == sum(not any(each) for each in left.values())
    assert values.fewest == min(min(each) for each in left.values())


@pytest.mark.slow
def test_an_earlier_release_is_linked_by_person() -> None:
    for draw, now in draw_tables("earlier by person"):
        before = [draw_row(draw, row.person, row.age, row.sex) for row in now if draw.random() < 0.8]
        before += [draw_row(draw, f"Q{draw.randint(1, 3)}", draw.randint(1, 8), "f")]
        pairs = link_by_person(now, before)
        if not pairs:
            continue
        told = toolbox.risk(
            publish(now), original=recorded(now), earlier=publish(before), key="person", k=K, **WITH_ILLNESS
        )
        require_joint(told.joint, pairs, now, before)


@pytest.mark.slow
@pytest.mark.parametrize("key", [None, "row"])
def test_rows_that_are_linked_one_by_one_count_their_persons(key: str | None) -> None:
    for draw, now in draw_tables(f"earlier by {key}"):
        before = [draw_row(draw, row.person, row.age, row.sex) for row in now]
        number = [str(place) for place, _ in enumerate(now)]
        release, earlier = publish(now).assign(row=number), publish(before).drop(columns="person").assign(row=number)
        if key is not None:
            earlier = earlier.sample(frac=1, random_state=1)
        told = toolbox.risk(release, original=recorded(now), earlier=earlier, key=key, k=K, **WITH_ILLNESS)
        require_joint(told.joint, link_by_order(now, before), now, before)


@pytest.mark.slow
def test_without_a_link_persons_are_counted_who_could_be_somebody() -> None:
    for draw, now in draw_tables("earlier without a link"):
        before = [draw_row(draw, row.person, row.age, row.sex) for row in now if draw.random() < 0.8] or now[:1]
        earlier = publish(before).drop(columns="person")
        told = toolbox.risk(publish(now), original=recorded(now), earlier=earlier, key="none", k=K, **WITH_ILLNESS)
        left, few = defaultdict(list), set()
        for each in now:
            common = {row.illness for row in now if row.covers(each)}
            common &= {row.illness for row in before if row.covers(each)}
            left[each.person].append(len(common))
            persons = {row.person for row in now if row.covers(each) and row.illness in common}
            if 0 < len(persons) < K:
                few.add(each.person)
        assert told.joint is not None and told.joint.classes is None
        require_values(told.joint.values[0], left)
        assert told.joint.values[0].below_k == len(few)


@pytest.mark.slow
def test_with_one_row_for_each_person_nothing_changes() -> None:
    draw = Random("one row each")
    now = [draw_row(draw, f"P{number}", draw.randint(1, 8), draw.choice("fm")) for number in range(9)]
    before = [draw_row(draw, row.person, row.age, row.sex) for row in now]
    asked: dict[str, Any] = {"original": recorded(now), "earlier": publish(before), "key": "person", "k": K}
    by_row = toolbox.risk(publish(now), **asked, **{**WITH_ILLNESS, "person": ()}).joint
    by_person = toolbox.risk(publish(now), **asked, **WITH_ILLNESS).joint
    assert by_row is not None and by_person is not None
    assert (by_person.classes, by_person.consistency, by_person.values) == (
        by_row.classes,
        by_row.consistency,
        by_row.values,
    )


@pytest.mark.slow
def test_what_cannot_link_persons_is_told_with_the_remedy() -> None:
    rows = [Row("P1", 1, "f", 0, 2, "f", "flu")] * 2 + [Row("P2", 1, "f", 0, 2, "f", "flu")]
    table, two = publish(rows), publish(rows).assign(household="H")
    asked: dict[str, Any] = {"quasi_identifiers": QUASI_IDENTIFIERS}
    with pytest.raises(InputError, match=r"key of 1 record is missing .* tells persons apart, also write person="):
        toolbox.risk(table, **asked, earlier=table, key="person")
    with pytest.raises(UnknownColumnError, match="no column 'person'"):
        toolbox.risk(table, **DECLARED, earlier=table.drop(columns="person"), key="person")
    with pytest.raises(InputError, match="No person of the table is in"):
        toolbox.risk(table, **DECLARED, earlier=table.assign(person="Q"), key="person")
    both = toolbox.risk(two, **asked, person=["household", "person"], earlier=two, key="household,person").joint
    assert both is not None and both.classes is not None and both.classes.counts == ((2, 2),)


def test_a_person_is_no_quasi_identifier_of_a_judge() -> None:
    table = publish([Row("P1", 1, "f", 0, 2, "f", "flu")])
    with pytest.raises(UsageError, match=r"person tells persons apart \(person=\), and is a quasi-identifier"):
        toolbox.check(table, quasi_identifiers=["age", "person"], person="person")


def test_a_person_without_a_name_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("P1,34,f\nP1,34,f\nP2,31,f\n")
    (tmp_path / "visits.xml").write_text(
        "<config><input filename='visits.csv' header='no'/><output filename='out.csv'/><person><att index='0'/></person>"
        "<qid><att index='1'/><att index='2'/></qid></config>"
    )
    report = toolbox.check(tmp_path / "visits.csv", config=toolbox.load_config(tmp_path / "visits.xml"))
    assert any("by position, without a name, so that records are counted here" in note for note in report.not_proved)


# What a release has lost.


def list_class_persons(rows: Sequence[Row]) -> dict[tuple[str, str], set[str | None]]:
    """Return the persons of each class, those of the suppressed rows among them."""
    found: dict[tuple[str, str], set[str | None]] = defaultdict(set)
    for row in rows:
        found[row.cells].add(row.person)
    return found


def measure_sizes(rows: Sequence[Row], kept: Sequence[Row]) -> dict[str, float]:
    """Measure by the definitions, from the persons of each class and of each original combination."""
    classes = list_class_persons(kept)
    hidden = len(classes.pop(("*", "*"), set()))
    combinations_before: dict[tuple[int, str], set[str | None]] = defaultdict(set)
    for row in rows:
        combinations_before[row.age, row.sex].add(row.person)
    before, sizes = [len(each) for each in combinations_before.values()], [len(each) for each in classes.values()]
    everybody, lacking = len({row.person for row in rows}), len({row.person for row in rows} - {r.person for r in kept})
    suppressed = hidden + lacking
    expected = {
        "number of classes": len(sizes),
        "suppressed records": suppressed,
        "share of suppressed records": suppressed / everybody,
        "discernibility": sum(size**2 for size in sizes) + hidden**2,
    }
    small = [size for size in sizes if size < K]
    cost = sum(size**2 for size in sizes if size >= K) + (suppressed + sum(small)) * everybody
    expected["discernibility with suppression"] = cost
    squares, worst = sum(size**2 for size in before), everybody**2
    lost = sum(size**2 for size in sizes) + suppressed * everybody - squares
    expected["discernibility (ARX)"] = 1 - min(max(lost / (worst - squares), 0), 1) if worst != squares else 1
    if sizes:
        average, best = sum(sizes) / len(sizes), sum(before) / len(before)
        expected |= {"average class size": average, "C_avg": average / K}
        expected["average class size (ARX)"] = 1 - (average - best) / (everybody - best) if everybody != best else 1
    return expected


@pytest.mark.slow
@pytest.mark.parametrize("keeps_person", [False, True])
def test_sizes_of_classes_count_persons(keeps_person: bool) -> None:
    for draw, drawn in draw_tables(f"measure {keeps_person}"):
        rows, asked = drawn, {**DECLARED, "k": K}
        if not keeps_person:
            # Whoever agrees in all quasi-identifiers became the same, as every run makes it.
            shown = {(row.age, row.sex): row for row in rows}
            rows = [
                row._replace(**{n: getattr(shown[row.age, row.sex], n) for n in ("low", "high", "shown")})
                for row in rows
            ]
        kept = [row for row in rows if keeps_person and draw.random() < 0.9] or rows
        if len({row.person for row in rows}) == 1 or len({(row.age, row.sex) for row in rows}) == 1:
            continue
        release = publish(kept) if keeps_person else publish(kept).drop(columns="person")
        told = toolbox.measure(recorded(rows), release, **asked)
        by_row = toolbox.measure(recorded(rows), release, **{**asked, "person": ()})
        expected = measure_sizes(rows, kept)
        for measure in told.measures:
            if measure.name in expected:
                assert measure.value == pytest.approx(expected[measure.name]), measure.name
                assert "records" not in measure.unit
        # A metric of cells says what it says by record.
        others = {*expected, "number of combinations", "C_avg", "average class size", "average class size (ARX)"}
        assert [each for each in told.measures if each.name not in others] == [
            each for each in by_row.measures if each.name not in others
        ]
        assert told.persons == len({row.person for row in rows}) and by_row.persons is None
        assert any("Persons are counted (by person) in the sizes of classes" in note for note in told.notes)


@pytest.mark.slow
def test_with_one_record_of_each_person_all_metrics_are_the_same() -> None:
    draw = Random("measured")
    rows = [draw_row(draw, f"P{number}", draw.randint(1, 8), draw.choice("fm")) for number in range(12)]
    by_person = toolbox.measure(recorded(rows), publish(rows), k=K, **DECLARED)
    by_row = toolbox.measure(recorded(rows), publish(rows), k=K, quasi_identifiers=QUASI_IDENTIFIERS)
    assert [(each.name, each.attribute, each.value) for each in by_person.measures] == [
        (each.name, each.attribute, each.value) for each in by_row.measures
    ]


@pytest.mark.slow
def test_a_measure_says_where_nobody_can_tell_the_persons_of_a_class() -> None:
    rows = [
        Row("P1", 1, "f", 0, 2, "f", "flu"),
        Row("P2", 1, "f", 0, 9, "*", "flu"),
        Row("P3", 5, "m", 3, 5, "m", "flu"),
    ]
    release = publish(rows).drop(columns="person")
    with pytest.raises(UsageError, match=r"records that agree .* are in several classes\. Keep the column"):
        toolbox.measure(recorded(rows), release, **DECLARED)
    with pytest.raises(UsageError, match=r"nobody can tell which persons are in each class: .* leave person= out"):
        toolbox.measure(recorded(rows), release[:2], **DECLARED)
    with pytest.raises(UnknownColumnError, match="no column 'patient'"):
        toolbox.measure(recorded(rows), release, quasi_identifiers=QUASI_IDENTIFIERS, person="patient")


# Which columns identify people, before anything is released.

Cells = tuple[str | None, ...]
Subset = tuple[int, ...]
COLUMNS = ("age", "sex", "illness")


def list_subsets(most: int) -> list[Subset]:
    """List the subsets of the columns, by their size."""
    return [subset for size in range(1, most + 1) for subset in combinations(range(len(COLUMNS)), size)]


def draw_cells(draw: Random, rows: Sequence[Row]) -> list[tuple[str | None, Cells]]:
    """Return the person and the cells of each row, some of them empty."""
    cells = [(row.person, (str(row.age), row.sex, row.illness)) for row in rows]
    return [
        (person, tuple(None if draw.random() < 0.08 else cell for cell in each))
        if draw.random() < 0.5
        else (person, each)
        for person, each in cells
    ]


def group_persons(cells: Sequence[tuple[str | None, Cells]], subset: Subset) -> dict[Cells, set[str | None]]:
    """Return the persons who have each combination of values."""
    found: dict[Cells, set[str | None]] = defaultdict(set)
    for person, each in cells:
        found[tuple(each[column] for column in subset)].add(person)
    return found


def find_alone(cells: Sequence[tuple[str | None, Cells]], subset: Subset) -> set[str | None]:
    """Return the persons with a combination that nobody else has."""
    return {next(iter(each)) for each in group_persons(cells, subset).values() if len(each) == 1}


def separate(cells: Sequence[tuple[str | None, Cells]], subset: Subset) -> float:
    """Return the share of the pairs of combinations of different persons that differ."""
    held = {(person, tuple(each[column] for column in subset)) for person, each in cells}
    pairs = [(one, other) for one, other in combinations(held, 2) if one[0] != other[0]]
    return sum(one[1] != other[1] for one, other in pairs) / len(pairs) if pairs else 1.0


@pytest.mark.slow
@pytest.mark.parametrize("missing_is_a_value", [False, True])
def test_columns_that_identify_tell_persons_apart(missing_is_a_value: bool) -> None:
    for draw, rows in draw_tables(f"detect {missing_is_a_value}", some=6):
        cells = draw_cells(draw, rows)
        table = pd.DataFrame([(person, *each) for person, each in cells], columns=["person", *COLUMNS], dtype="object")
        complete = cells if missing_is_a_value else [(person, each) for person, each in cells if None not in each]
        if not complete:
            continue
        report = toolbox.detect(
            table, person="person", everything=True, max_columns=3, missing_is_a_value=missing_is_a_value
        )
        found = report.detection
        everybody = {person for person, _ in complete}
        assert (found.records, found.complete) == (len({person for person, _ in cells}), len(everybody))
        unique = [
            subset
            for subset in list_subsets(3)
            if all(len(each) == 1 for each in group_persons(cells, subset).values())
        ]
        minimal = [subset for subset in unique if not any(set(part) < set(subset) for part in unique)]
        assert set(found.identifiers) == {tuple(COLUMNS[column] for column in subset) for subset in minimal}
        shown = {one.columns: one for one in found.subsets}
        for subset in list_subsets(3):
            names = tuple(COLUMNS[column] for column in subset)
            assert (names in shown) == (subset not in unique)
            if names in shown:
                groups, alone = group_persons(complete, subset), find_alone(complete, subset)
                sizes, one = [len(each) for each in groups.values()], shown[names]
                assert (one.singletons, one.distinct) == (len(alone), len(groups))
                assert one.share == pytest.approx(len(alone) / len(everybody))
                assert (one.smallest_group, one.largest_group) == (min(sizes), max(sizes))
                assert one.distinct_ratio == pytest.approx(len(groups) / sum(sizes))
                assert one.separation_ratio == pytest.approx(separate(complete, subset))
        for place, column in enumerate(found.columns):
            assert column.missing == len({person for person, each in cells if each[place] is None})
        assert any("Persons are counted (by person)" in note for note in report.notes)


def list_uniques(cells: Sequence[tuple[str | None, Cells]], most: int) -> dict[str | None, set[tuple[Subset, Cells]]]:
    """List the minimal uniques of each person: values that nobody else has, and no part of which is so."""
    alone = {
        (subset, values): persons
        for subset in list_subsets(most)
        for values, persons in group_persons(cells, subset).items()
        if len(persons) == 1
    }

    def has_part(subset: Subset, values: Cells) -> bool:
        places = [place for size in range(1, len(subset)) for place in combinations(range(len(subset)), size)]
        return any((tuple(subset[p] for p in each), tuple(values[p] for p in each)) in alone for each in places)

    found: dict[str | None, set[tuple[Subset, Cells]]] = defaultdict(set)
    for (subset, values), persons in alone.items():
        if not has_part(subset, values):
            found[next(iter(persons))].add((subset, values))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("most", [2, 3])
def test_a_minimal_unique_is_what_only_one_person_has(most: int) -> None:
    for _, rows in draw_tables(f"SUDA {most}", some=6):
        cells: list[tuple[str | None, Cells]] = [(row.person, (str(row.age), row.sex, row.illness)) for row in rows]
        table = pd.DataFrame([(person, *each) for person, each in cells], columns=["person", *COLUMNS])
        report = toolbox.detect(table, person="person", everything=True, suda=most, sampling_fraction=0.1)
        special, uniques = report.special, list_uniques(cells, most)
        if any(len(columns) == 1 for columns in report.detection.identifiers) or special is None:
            continue
        points = list_size_scores(3, most)
        scores = {person: sum(points[len(subset) - 1] for subset, _ in each) for person, each in uniques.items()}
        assert (special.records, special.special) == (len({person for person, _ in cells}), len(uniques))
        sizes = Counter(len(subset) for each in uniques.values() for subset, _ in each)
        assert special.by_size == tuple(sizes[size] for size in range(1, most + 1))
        assert sorted(record.score for record in special.top) == sorted(scores.values())
        for record in special.top:
            person = cells[record.record - 1][0]
            assert record.score == scores[person]
            assert record.uniques == tuple(
                sum(len(subset) == size for subset, _ in uniques[person]) for size in range(1, most + 1)
            )
        named = {
            tuple(COLUMNS[column] for column in subset): len(
                {person for person, each in uniques.items() if any(other == subset for other, _ in each)}
            )
            for subset in list_subsets(most)
        }
        assert {one.columns: one.records for one in special.subsets} == {
            columns: count for columns, count in named.items() if count
        }
        groups = group_persons(cells, (0, 1, 2)).values()
        assert special.alone == len({person for each in groups if len(each) == 1 for person in each})
        assert special.pairs == len({person for each in groups if len(each) == 2 for person in each})
        total = sum(scores.values()) or 1
        for place, column in enumerate(special.columns):
            of_column = [subset for each in uniques.values() for subset, _ in each if place in subset]
            assert column.uniques == len(of_column)
            assert column.contribution == pytest.approx(sum(points[len(subset) - 1] for subset in of_column) / total)


def test_the_person_is_not_looked_at_and_is_named_once() -> None:
    rows = [Row("P1", 1, "f", 0, 2, "f", "flu")] * 2 + [Row("P2", 1, "f", 0, 2, "f", "flu")]
    table = recorded(rows)
    report = toolbox.detect(table, person="person")
    assert [column.name for column in report.detection.columns] == list(COLUMNS)
    assert report.person == ("person",) and report.document()["person"] == ["person"]
    with pytest.raises(UsageError, match=r"person tells persons apart \(person=\): it finds everybody"):
        toolbox.detect(table, person="person", columns=["person", "age"])
    with pytest.raises(UsageError, match="patient"):
        toolbox.detect(table, person="patient")


# What consoles say.


def test_tables_say_persons_where_persons_are_counted(tmp_path, capsys) -> None:
    (tmp_path / "visits.csv").write_text("person,ward,illness\nP1,A,flu\nP1,A,gout\nP2,A,flu\nP3,B,flu\n")
    asked = [str(tmp_path / "visits.csv"), "--person", "person"]

    assert main(["risk", *asked, "--qi", "ward", "--sensitive", "illness"]) == 0
    risk = capsys.readouterr().out
    assert main(["detect", *asked, "--columns", "ward,illness", "--suda", "2"]) == 0
    detect = capsys.readouterr().out

    for told in (risk, detect):
        before_notes = told.partition("note ")[0]
        assert "persons" in before_notes and "records" not in before_notes


def test_a_table_without_a_header_is_told_to_have_no_names(tmp_path, capsys) -> None:
    (tmp_path / "visits.csv").write_text("P1,A,flu\nP2,A,flu\n")

    assert main(["risk", str(tmp_path / "visits.csv"), "--header", "no", "--person", "0", "--qi", "1"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "visits.csv has no header that could name '0'. This column is found by its name, not by a position" in told
