"""What every method promises, ours or a plugin's: one function per promise, which fails if it is broken."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pandas as pd
import pytest
from helpers.releases import category_is_covered, label_covers, number_is_covered

import toolbox
from toolbox import SettingError, Summary, UnsatisfiableError
from toolbox.methods.registry import find_method

K = 3

PATIENTS = pd.DataFrame(
    [
        ("Ana", 23, "north", "F", "flu", 37.5),
        ("Ben", 61, "south", "M", "cold", 36.9),
        ("Cleo", 25, "east, rural", "F", "flu", 38.0),
        ("Dan", 64, "south", "M", "asthma", 36.6),
        ("Eva", 29, "north", "F", "cold", 37.1),
        ("Finn", 67, "west", "M", "flu", 38.2),
        ("Gus", 23, "north", "M", "cold", 36.5),
        ("Hana", 38, "west", "F", "asthma", 37.0),
        ("Ines", 41, "east, rural", "F", "flu", 39.1),
        ("Jan", 45, "south", "M", "cold", 36.8),
        ("Kim", 23, "north", "F", "asthma", 37.2),
        ("Lea", 99, "west", "F", "flu", 38.8),
        ("Max", 45, "south", "M", "flu", 37.7),
    ],
    columns=["name", "age", "region", "sex", "illness", "temperature"],
)
QIDS = ["age", "region", "sex"]
HIERARCHIES: dict[str, list[tuple[str, ...]]] = {
    "age": [(str(age), f"{age // 10 * 10}s", "0-49" if age < 50 else "50-99", "*") for age in range(100)],
    "region": [("north", "cold", "*"), ("east, rural", "cold", "*"), ("south", "warm", "*"), ("west", "warm", "*")],
    "sex": [("F", "*"), ("M", "*")],
}
LABELS = {name: {row[0]: row for row in rows} for name, rows in HIERARCHIES.items()}
ROOT = ("*", "*", "*")


@dataclass(frozen=True)
class Released:
    """What a method hands out."""

    frame: pd.DataFrame
    summary: Summary
    parts: tuple[pd.DataFrame, ...] = ()


@dataclass(frozen=True)
class Method:
    """A method under the contract."""

    name: str

    def release(self, table: pd.DataFrame, *, k: int = K, seed: int = 1, **more: object) -> Released:
        """Anonymise patients: the name is dropped, the illness is sensitive, the temperature passes through."""
        result = toolbox.anonymize(
            table,
            quasi_identifiers=QIDS,
            sensitive=["illness"],
            identifiers=["name"],
            hierarchies=HIERARCHIES,
            method=self.name,
            k=k,
            seed=seed,
            **more,
        )
        return Released(result.parts[0], result.summary, result.parts)


def _rows(frame: pd.DataFrame, names: list[str]) -> list[tuple[object, ...]]:
    return list(frame[names].itertuples(index=False, name=None))


def check_every_record_is_present_once(method: Method) -> None:
    """Everything but names and quasi-identifiers stands where it stood, row by row."""
    released = method.release(PATIENTS)
    rest = ["illness", "temperature"]
    assert _rows(released.frame, rest) == _rows(PATIENTS, rest)
    assert released.summary.records_released == released.summary.proof.records == len(PATIENTS)


def check_identifiers_are_dropped_and_columns_keep_their_order(method: Method) -> None:
    assert list(method.release(PATIENTS).frame) == ["age", "region", "sex", "illness", "temperature"]


def check_classes_satisfy_the_models(method: Method) -> None:
    """Whoever reads the release finds at least k records alike, apart from suppressed ones."""
    for k in (2, 3, len(PATIENTS)):
        released = method.release(PATIENTS, k=k)
        sizes = Counter(_rows(released.frame, QIDS))
        suppressed = released.summary.proof.records_suppressed
        if suppressed:
            assert sizes[ROOT] >= suppressed
            sizes[ROOT] -= suppressed
        assert min((size for size in sizes.values() if size), default=k) >= k


def check_the_summary_counts_what_is_released(method: Method) -> None:
    released = method.release(PATIENTS)
    sizes = Counter(_rows(released.frame, QIDS))
    proof = released.summary.proof
    sizes[ROOT] -= proof.records_suppressed
    counted = [size for size in sizes.values() if size]
    assert (proof.classes, proof.smallest_class) == (len(counted), min(counted))
    assert proof.average_class == pytest.approx(sum(counted) / len(counted))
    assert [(one.name, one.required, one.achieved, one.holds) for one in proof.models] == [
        ("k-anonymity", K, min(counted), True)
    ]


def check_values_cover_the_originals(method: Method) -> None:
    """Every released value is the original, a range or a set around it, or a label above it."""
    released = method.release(PATIENTS).frame
    for name in QIDS:
        plain = number_is_covered if name == "age" else category_is_covered
        for shown, original in zip(released[name], PATIENTS[name].astype(str), strict=True):
            assert plain(shown, original) or label_covers(shown, original, LABELS[name]), (name, shown, original)


def check_input_is_untouched(method: Method) -> None:
    table = PATIENTS.copy(deep=True)
    method.release(table)
    pd.testing.assert_frame_equal(table, PATIENTS)


def check_same_seed_same_result(method: Method) -> None:
    for output_format in ("genVals", "genValsDist", "anatomy"):
        runs = [method.release(PATIENTS, seed=7, output_format=output_format).parts for _ in range(2)]
        for once, again in zip(*runs, strict=True):
            pd.testing.assert_frame_equal(once, again)


def check_all_formats_show_the_same_classes(method: Method) -> None:
    plain = method.release(PATIENTS).frame
    padded = method.release(PATIENTS, output_format="genValsDist").frame
    pd.testing.assert_frame_equal(padded[list(plain)], plain)
    qit, st = method.release(PATIENTS, output_format="anatomy").parts
    classes = sorted(Counter(_rows(plain, QIDS)).values())
    assert sorted(Counter(qit["group"]).values()) == sorted(Counter(st["group"]).values()) == classes


def check_a_table_with_fewer_records_than_k_is_refused(method: Method) -> None:
    with pytest.raises(UnsatisfiableError, match="has 2 records, and a class needs at least 3"):
        method.release(PATIENTS.head(2))


def check_a_column_with_one_value_keeps_it(method: Method) -> None:
    """Generalising what all records share would lose something and protect nobody."""
    same = PATIENTS.assign(age=40, region="north", sex="F")
    released = method.release(same)
    assert set(_rows(released.frame, QIDS)) == {("40", "north", "F")}
    assert (released.summary.proof.classes, released.summary.proof.smallest_class) == (1, len(PATIENTS))


def check_settings_of_no_meaning_are_refused(method: Method) -> None:
    settings = find_method(method.name).facts().settings
    for name, words in settings.items():
        if words:
            with pytest.raises(SettingError, match=words[0]):
                method.release(PATIENTS, **{name: "nonsense"})
            for word in words:
                assert len(method.release(PATIENTS, **{name: word}).frame) == len(PATIENTS)


def check_it_is_found_by_its_name_in_any_case(method: Method) -> None:
    assert find_method(method.name.upper()) is find_method(method.name.lower()) is find_method(method.name)


CHECKS = tuple(check for name, check in sorted(globals().items()) if name.startswith("check_"))
