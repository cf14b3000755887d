"""What every method promises, ours and other people's: one function per promise, which fails if it is broken.

A reader judges the release: from the sensitive values of each class and the texts of its cells, without our SQL.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from toolbox import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    FewColumnsKAnonymity,
    KAnonymity,
    KMAnonymity,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveLDiversity,
    ReleaseModel,
    SettingError,
    TCloseness,
    UnsatisfiableError,
)
from toolbox.checks.check import Check, CheckedRelease, Trial, fail, read_rows, read_values, require
from toolbox.checks.tables import IDENTIFIER, ILLNESS, ONE_CLASS, STAGE, TABLES, SmallTable
from toolbox.config.formats import FORMATS, GEN_VALS
from toolbox.messages import format_count
from toolbox.methods.anonymizer import find_method, list_installed_methods

if TYPE_CHECKING:
    from toolbox.checks.tables import Values

_CHECKS: list[Check] = []
# Written anew: who judges does not read with the eyes of the accused.
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_RANGE = re.compile(rf"([\[(])({_NUMBER}):({_NUMBER})([\])])")
_MEMBER = re.compile(r'"((?:[^"]|"")*)"|([^,]+)')


def _check(try_on: Callable[[Trial], None], *, tables: Sequence[SmallTable] = TABLES, any_model: bool = False) -> Check:
    """Make a check from a function, whose docstring is the promise."""
    promise = (try_on.__doc__ or "").rstrip(".")
    _CHECKS.append(Check(try_on.__name__, promise, try_on, tuple(tables), any_model))
    return _CHECKS[-1]


@_check
def every_record_is_present_once(trial: Trial) -> None:
    """Release every record once, in the order of the input, with the columns that pass through untouched."""
    released = trial.release()
    expected, shown = trial.table.rows(trial.table.passed_through), released.passed_through()
    require(len(shown) == len(expected), f"{len(shown)} records instead of {len(expected)}")
    if not released.is_anatomy:
        wrong = [index for index, pair in enumerate(zip(shown, expected, strict=True)) if pair[0] != pair[1]]
        require(not wrong, f"rows {_format_places(wrong)} are not those of the input")
    require(Counter(shown) == Counter(expected), "other records than those of the input")


@_check
def identifiers_are_dropped_and_columns_keep_their_order(trial: Trial) -> None:
    """Drop the identifiers, and keep all other columns under their names and in their order."""
    kept = [name for name in trial.table.columns if name != IDENTIFIER]
    released = trial.release()
    quasi_identifiers = [name for name in kept if name in trial.table.hierarchies]
    rest = [name for name in kept if name not in trial.table.hierarchies]
    expected = [[*quasi_identifiers, "group"], ["group", *rest]] if released.is_anatomy else [kept]
    columns = [list(part) for part in released.parts]
    require(columns == expected, f"the columns {columns} instead of {expected}")


@_check
def classes_satisfy_the_models(trial: Trial) -> None:
    """Satisfy every privacy model in every class, as a reader of the release sees it."""
    released = trial.release_of_classes()
    proved = released.summary.proof.models
    stated, asked = ([(model.name, model.attribute) for model in models] for models in (proved, trial.models))
    require(stated == asked, f"a proof of {stated}, where {asked} was asked for")
    require(all(model.holds for model in proved), "a model that does not hold, by the summary itself")
    require_satisfied(trial, released)


def require_satisfied(trial: Trial, released: CheckedRelease) -> None:
    """Judge every class of a release by every model, and all of them by a model of the whole release."""
    for model in trial.models:
        column = model.attribute or ILLNESS
        if isinstance(model, ReleaseModel):
            sizes = Counter(len(members) for members in released.classes(column).values())
            if sizes and not model.judge(sorted(sizes.items()))[1]:
                fail(f"classes of {sorted(sizes.elements())} records, which do not satisfy {model}")
            continue
        if isinstance(model, FewColumnsKAnonymity):
            _require_frequent(model, trial.table.quasi_identifiers, released.classes(column))
        everybody = [value for (value,) in trial.table.rows([column])]
        for key, members in released.classes(column).items():
            if _satisfies(model, members, everybody) is False:
                fail(f"the class {key!r} of {format_count(len(members), 'record')}, which does not satisfy {model}")


def _require_frequent(model: FewColumnsKAnonymity, names: Sequence[str], classes: Mapping[Any, Values]) -> None:
    """Count the records that look alike in each set of columns."""
    for columns in model.list_sets(names):
        alike: Counter[tuple[object, ...]] = Counter()
        for key, members in classes.items():
            alike[tuple(key[column] for column in columns)] += len(members)
        if alike and min(alike.values()) < model.k:
            shown = ", ".join(names[column] for column in columns)
            fail(f"{min(alike.values())} records that look alike in {shown}, which does not satisfy {model}")


@_check
def generalised_values_cover_the_originals(trial: Trial) -> None:
    """Cover the originals: show each quasi-identifier itself, a range, a set or a label; or say it is not true."""
    released, names = trial.release(), trial.table.quasi_identifiers
    originals = trial.table.rows(names)
    shown = released.quasi_identifiers()
    require(len(shown) == len(originals), f"{len(shown)} records instead of {len(originals)}")
    if released.is_anatomy:
        texts = (Counter(tuple(map(_normalise_value, row)) for row in table) for table in (shown, originals))
        require(
            len({frozenset(counter.items()) for counter in texts}) == 1,
            "other quasi-identifiers than those of the input",
        )
        return
    untrue = {each.name for each in released.summary.quasi_identifiers if each.not_true}
    for index, (after, before) in enumerate(zip(shown, originals, strict=True)):
        for name, value, original in zip(names, after, before, strict=True):
            covers = name in untrue or _stands_for(value, original, trial.table, name)
            require(covers, f"row {index}, {name}: {value!r} stands for {original!r}")


@_check
def input_is_untouched(trial: Trial) -> None:
    """Leave untouched what the caller gives."""
    released, before = trial.release(), trial.table.frame()
    require(list(released.given) == list(before), f"the columns {list(released.given)} instead of {list(before)}")
    changed = [name for name in before if read_values(released.given, name) != read_values(before, name)]
    require(
        not changed and len(released.given) == len(before), f"changed columns: {', '.join(map(str, changed)) or 'rows'}"
    )


@partial(_check, any_model=True)
def same_seed_same_result(trial: Trial) -> None:
    """Give the same release for the same seed."""
    once, again = trial.release(), trial.anonymise_again()
    for first, second in zip(once.parts, again.parts, strict=True):
        require(read_rows(first, list(first)) == read_rows(second, list(second)), "two different releases")


@_check
def order_of_rows_does_not_matter(trial: Trial) -> None:
    """Release the same rows in whatever order they are given."""
    usual, shuffled = trial.release(), trial.release(trial.table.shuffled(seed=1))
    require(
        Counter(usual.passed_through()) == Counter(shuffled.passed_through()), "other records after shuffling the input"
    )
    require(
        Counter(usual.quasi_identifiers()) == Counter(shuffled.quasi_identifiers()),
        "other quasi-identifiers after shuffling the input",
    )
    if usual.is_anatomy:
        # Which records form a group may be drawn by lot; how large the groups are may not, nor whether they satisfy.
        before, after = (sorted(map(len, release.classes(ILLNESS).values())) for release in (usual, shuffled))
        require(before == after, f"groups of {before} records before shuffling the input, of {after} after")
        require_satisfied(trial, shuffled)
    else:
        plain, mixed = (Counter(read_rows(release.parts[0], list(release.parts[0]))) for release in (usual, shuffled))
        require(plain == mixed, "other rows after shuffling the input")


# The formats are the package's, not the method's: every second table will do.
@partial(_check, tables=TABLES[::2], any_model=True)
def formats_agree(trial: Trial) -> None:
    """Show the same classes in all formats."""
    releases = {name: trial.release_of_classes(output_format=name) for name in trial.formats}
    sizes = {name: sorted(map(len, one.classes(ILLNESS).values())) for name, one in releases.items()}
    for name, release in releases.items():
        if FORMATS[name].has_groups:
            sizes[f"the quasi-identifiers of {name}"] = sorted(Counter(read_values(release.parts[0], "group")).values())
    for (one, its), (other, others) in pairwise(sizes.items()):
        require(its == others, f"classes of {its} records in {one}, of {others} in {other}")
    for name, release in releases.items():
        if GEN_VALS in releases and FORMATS[name].has_statistics:
            plain, padded = releases[GEN_VALS].parts[0], release.parts[0]
            require(
                read_rows(plain, list(plain)) == read_rows(padded, list(plain)),
                f"{name} shows other values than {GEN_VALS}",
            )


@_check
def the_summary_counts_what_is_released(trial: Trial) -> None:
    """Count in the summary what is released."""
    released = trial.release_of_classes()
    summary, proof = released.summary, released.summary.proof
    sizes = [len(members) for members in released.classes(ILLNESS).values()]
    kept = len(trial.table.kept())
    expected: Mapping[str, object] = {
        "records_read": trial.table.size,
        "records_skipped": trial.table.size - kept,
        "records_suppressed": kept - sum(sizes),
        "records_released": sum(sizes),
        "classes": len(sizes),
        "smallest_class": min(sizes, default=None),
    }
    counts = {name: getattr(summary, name, getattr(proof, name, None)) for name in expected}
    for name, count in expected.items():
        require(counts[name] == count, f"{name} is {counts[name]} in the summary, {count} in the release")
    average = sum(sizes) / len(sizes) if sizes else None
    require(proof.average_class == average, f"average_class is {proof.average_class}, {average} in the release")


@partial(_check, tables=TABLES[:2])
def a_hopeless_table_is_refused(trial: Trial) -> None:
    """Refuse a table that cannot satisfy the models, with UnsatisfiableError."""
    for model in trial.models:
        for table, why in _make_hopeless_tables(trial, model):
            try:
                trial.anonymise_again(table)
            except UnsatisfiableError:
                continue
            fail(f"a release of a table with {why}, which cannot satisfy {model}")


def _make_hopeless_tables(trial: Trial, model: PrivacyModel) -> Iterator[tuple[SmallTable, str]]:
    if model.least_records > 1:
        yield trial.table.select_rows(trial.table.kept()[: model.least_records - 1]), "too few records"
    if model.attribute:
        alike = trial.table.set_constant(model.attribute, trial.table.columns[model.attribute][0])
        members = alike.columns[model.attribute]
        if _satisfies(model, members, members) is False:
            yield alike, f"one {model.attribute} for all"


@partial(_check, tables=[ONE_CLASS])
def a_column_with_one_value_keeps_it(trial: Trial) -> None:
    """Keep the value of a column that has only one: generalising it would protect nobody."""
    released = trial.release()
    expected = {tuple(map(_normalise_value, row)) for row in trial.table.rows(trial.table.quasi_identifiers)}
    shown = {tuple(map(_normalise_value, row)) for row in released.quasi_identifiers()}
    require(shown == expected, f"the values {sorted(shown)} instead of {sorted(expected)}")


@partial(_check, tables=TABLES[:1], any_model=True)
def settings_without_meaning_are_refused(trial: Trial) -> None:
    """Take each word of a setting, and refuse any other with SettingError."""
    for name, words in trial.method.facts().settings.items():
        for word in words:
            count = len(trial.release(**{name: word}).passed_through())
            require(count == len(trial.table.kept()), f"{count} records with {name}={word}")
        if words:
            _require_refusal(trial, name)


def _require_refusal(trial: Trial, name: str) -> None:
    nonsense = "no word of any method"
    try:
        trial.anonymise_again(**{name: nonsense})
    except SettingError:
        return
    fail(f"a release with {name}={nonsense!r}")


@partial(_check, tables=TABLES[:1], any_model=True)
def found_by_its_name_in_any_case(trial: Trial) -> None:
    """Answer, if installed, to its own names in any case."""
    for name in (trial.method.name, *trial.method.aliases):
        if name.lower() in list_installed_methods():
            methods = {find_method(spelled) for spelled in (name, name.upper(), name.lower())}
            require(
                methods == {trial.method}, f"{', '.join(method.__name__ for method in methods)} under the name {name}"
            )


def _format_places(places: list[int]) -> str:
    return ", ".join(map(str, places[:3])) + (", ..." if len(places) > 3 else "")


def _normalise_value(value: object) -> object:
    """Write numbers in one way, and missing values as a release does."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "?" if value is None else str(value)


CHECKS = tuple(_CHECKS)


def _satisfies(model: PrivacyModel, members: Values, everybody: Values) -> bool | None:
    """Judge one class.

    Parameters
    ----------
    members : sequence
        The sensitive values of its records; anything of that length for a model without a sensitive attribute.
    everybody : sequence
        The same of the whole table.

    Returns
    -------
    bool or None
        None for a model that is not known here.
    """
    judge = None if model.needs_hierarchy else _JUDGES.get(type(model))
    return None if judge is None else judge(model, members, everybody)


def _has_k_anonymity(model: KAnonymity | KMAnonymity, members: Values, everybody: Values) -> bool:
    return len(members) >= model.k


def _has_distinct_diversity(model: DistinctLDiversity, members: Values, everybody: Values) -> bool:
    return len(set(members)) >= model.l


def _has_entropy_diversity(model: EntropyLDiversity, members: Values, everybody: Values) -> bool:
    shares = [count / len(members) for count in Counter(members).values()]
    entropy = -math.fsum(share * math.log(share) for share in shares)
    return entropy >= math.log(model.l) or math.isclose(entropy, math.log(model.l), rel_tol=1e-9)


def _has_recursive_diversity(model: RecursiveLDiversity, members: Values, everybody: Values) -> bool:
    counts = sorted(Counter(members).values(), reverse=True)
    rare = counts[math.floor(model.l) - 1 :]
    return len(counts) >= model.l and counts[0] < model.c * sum(rare)


def _has_t_closeness(model: TCloseness, members: Values, everybody: Values) -> bool:
    here, overall = Counter(members), Counter(everybody)
    is_ordered = model.distance == "ordered" or (model.distance == "auto" and model.attribute == STAGE)
    values = sorted(overall)
    gaps = [here[value] / len(members) - overall[value] / len(everybody) for value in values]
    if is_ordered:
        distance = math.fsum(abs(math.fsum(gaps[: index + 1])) for index in range(len(gaps))) / max(len(values) - 1, 1)
    else:
        distance = math.fsum(map(abs, gaps)) / 2
    return distance <= model.t + 1e-9


def _has_alpha_k_anonymity(model: AlphaKAnonymity, members: Values, everybody: Values) -> bool:
    return len(members) >= model.k and max(Counter(members).values()) / len(members) <= model.alpha


def _has_p_sensitivity(model: PSensitiveKAnonymity, members: Values, everybody: Values) -> bool:
    return len(members) >= model.k and len(set(members)) >= model.p


def _compute_share_ratios(members: Values, everybody: Values) -> list[tuple[float, float]]:
    """Return, for each value, its share in the class divided by that in the table, and the share in the table."""
    here, overall = Counter(members), Counter(everybody)
    shares = {value: count / len(everybody) for value, count in overall.items()}
    return [(here[value] / len(members) / share, share) for value, share in shares.items()]


def _has_delta_disclosure(model: DeltaDisclosure, members: Values, everybody: Values) -> bool:
    ratios = [ratio for ratio, _ in _compute_share_ratios(members, everybody) if ratio or model.absent == "infinite"]
    return all(ratio and abs(math.log(ratio)) < model.delta for ratio in ratios)


def _has_basic_beta_likeness(model: BasicBetaLikeness, members: Values, everybody: Values) -> bool:
    return all(ratio - 1 <= model.beta + 1e-9 for ratio, _ in _compute_share_ratios(members, everybody))


def _has_enhanced_beta_likeness(model: EnhancedBetaLikeness, members: Values, everybody: Values) -> bool:
    gains = [(ratio - 1, share) for ratio, share in _compute_share_ratios(members, everybody) if ratio > 1]
    return all(gain <= min(model.beta, -math.log(share)) + 1e-9 for gain, share in gains)


_JUDGES: Final[dict[type[PrivacyModel], Callable[[Any, Values, Values], bool]]] = {
    KAnonymity: _has_k_anonymity,
    KMAnonymity: _has_k_anonymity,
    DistinctLDiversity: _has_distinct_diversity,
    EntropyLDiversity: _has_entropy_diversity,
    RecursiveLDiversity: _has_recursive_diversity,
    TCloseness: _has_t_closeness,
    AlphaKAnonymity: _has_alpha_k_anonymity,
    PSensitiveKAnonymity: _has_p_sensitivity,
    DeltaDisclosure: _has_delta_disclosure,
    BasicBetaLikeness: _has_basic_beta_likeness,
    EnhancedBetaLikeness: _has_enhanced_beta_likeness,
}


def _stands_for(shown: object, original: object, table: SmallTable, name: str) -> bool:
    """Return whether a released value is the original, a range or a set around it, or a label above it."""
    text, value = str(shown), "?" if original is None else original
    if any(str(row[0]) == str(value) and text in map(str, row) for row in table.hierarchies[name]):
        return True
    if text == "*" and not table.needs_hierarchies:
        # The root of a column without a hierarchy.
        return True
    if name in table.numbers:
        assert isinstance(value, (int, float))
        return _number_stands_for(text, value)
    return text == value or value in _parse_members(text)


def _number_stands_for(text: str, value: float) -> bool:
    match = _RANGE.fullmatch(text)
    if match is None:
        return bool(re.fullmatch(_NUMBER, text)) and float(text) == value
    low, high = float(match[2]), float(match[3])
    above = low <= value if match[1] == "[" else low < value
    return above and (value <= high if match[4] == "]" else value < high)


def _parse_members(text: str) -> list[str]:
    """Cut ``{a,"b,c"}`` into its members."""
    if not (text.startswith("{") and text.endswith("}")):
        return []
    return [member[2] if member[1] is None else member[1].replace('""', '"') for member in _MEMBER.finditer(text[1:-1])]
