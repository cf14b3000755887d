"""A saved recoding on another table: the same generalised values where they hold, wider ones where they do not."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

from sqlalchemy import func, select

from toolbox.config.model import Config, Portion, Requirement
from toolbox.config.reading.recoding import SavedRecoding
from toolbox.config.settings import DELTA, EPSILON, LEAVE, SMALL_CLASSES, value_of
from toolbox.errors import SettingError, UnsatisfiableError, UsageError
from toolbox.messages import choose_setting_name, find_suppression_setting, format_count
from toolbox.methods.anonymizer import SuppressingAnonymizer
from toolbox.methods.arrays.full_domain import at_node, count_violating_records
from toolbox.methods.arrays.memory import in_memory
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Reapplied, Tables

if TYPE_CHECKING:
    import pyarrow as pa

    from toolbox.recodings.places import ClassPlaces

_MODEL: Final = "k-anonymity"
"""The model that a recoding of a differentially private release requires."""
DRAWING: Final = "drawing"
"""The word by which a configuration holds how its records were drawn."""


@dataclass(frozen=True, kw_only=True)
class AppliedRecoding(SuppressingAnonymizer):
    """Generalise as a saved recoding says; classes that are too small now climb its tree, or are suppressed.

    Each combination gets the class that the recoding has for it. What is in classes that violate a model gets wider
    values, step after step, until enough of it looks alike. If that is not enough, the smallest class within such a
    class joins. All other classes keep their names. What still violates at the root is suppressed.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Any monotone ones that judge each class by itself; for a full-domain recoding others, too, without merging.
    suppression_threshold : int or Portion, >= 0
        Most records that may be suppressed.
    recoding : SavedRecoding
    small : {'merge', 'suppress', 'leave', ''}
        What becomes of classes that are too small. Empty: a full-domain recoding suppresses them as far as that is
        allowed; otherwise they are merged. ``leave``: nothing, so that the models must hold for any class.
    """

    name: ClassVar[str] = "Recoding"
    counts_persons: ClassVar[bool] = True
    suppresses_for_any: ClassVar[bool] = True
    suppresses_first: ClassVar[bool] = False
    """Whether records are suppressed, where that is allowed and nobody says what becomes of small classes."""

    recoding: SavedRecoding
    small: str = field(default="")

    @staticmethod
    def choose(config: Config) -> type[AppliedRecoding]:
        """Return the class that applies the recoding of a configuration."""
        recoding = config.recoding
        return AppliedLevels if recoding is not None and recoding.shape == "levels" else AppliedRecoding

    @classmethod
    def made(cls, config: Config, models: tuple[PrivacyModel, ...]) -> Self:
        """Make the method that applies the recoding of a configuration.

        Raises
        ------
        UsageError
            If it cannot honour a model.
        """
        recoding = config.recoding
        assert recoding is not None, "the caller knows that there is one"
        threshold = config.k if config.suppression_threshold is None else config.suppression_threshold
        # What is suppressed is in no class, and so in none with others of an earlier release.
        helps = all(model.suppression_helps or model.of_earlier for model in models)
        return cls(
            models=models,
            suppression_threshold=threshold if helps else 0,
            recoding=recoding,
            small=value_of(config, SMALL_CLASSES) or "",
        )

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return model.monotone and not model.looks_beyond_class

    def anonymize(self, tables: Tables) -> Tables:
        with in_memory(tables, 200 + 40 * len(tables.quasi_identifiers)):
            places = _find_places(tables, self.recoding, covers_all=self.small == LEAVE)
            question = places.ask(tables, self.models)
            limit = int(self.suppression_threshold)
            left = places.mark_failing(question)
            lost, moved = int(places.sizes[left].sum()), left & False
            merges = self.small == "merge" or not (self.small or (self.suppresses_first and lost <= limit))
            if merges and lost:
                left, moved = places.settle(left, question)
                lost = int(places.sizes[left].sum())
            if self.small == LEAVE:
                left = moved
            elif lost > limit:
                _refuse_suppression(lost, limit, can_merge=not merges)
            return _recode_places(tables, places, suppressed=left, moved=moved & ~left)


@dataclass(frozen=True, kw_only=True)
class AppliedLevels(AppliedRecoding):
    """The same for a full-domain recoding, which can be judged as those of any full-domain method."""

    judges_profiles: ClassVar[bool] = True
    suppresses_persons: ClassVar[bool] = True
    suppresses_first: ClassVar[bool] = True

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return True

    def anonymize(self, tables: Tables) -> Tables:
        if not tables.suppresses_persons and all(AppliedRecoding.supports(model) for model in self.models):
            return super().anonymize(tables)
        if self.small == "merge":
            merge = choose_setting_name("--small-classes merge", python="small_classes='merge'")
            raise UsageError(
                f"{merge} is not possible here: a required model compares each class with others, with a population, "
                "or with all rows of a person. Leave it out."
            )
        levels, limit = self.recoding.document["levels"], int(self.suppression_threshold)
        small = count_violating_records(tables, levels, self.models, limit)
        if small > limit:
            noun = "person" if tables.suppresses_persons else "record"
            _refuse_suppression(small, limit, can_merge=False, noun=noun)
        unseen, made = _find_places(tables, self.recoding).count_unseen(tables), at_node(tables, levels, self.models)
        kept = select(func.coalesce(func.sum(made.equivalence.c.size), 0)).where(~made.equivalence.c.suppressed)
        counts = {"kept": int(tables.store.scalar(kept)), "suppressed": small}
        return replace(made, reapplied=Reapplied(unseen=unseen, merged=0, merged_classes=0, **counts))


def _refuse_suppression(small: int, limit: int, *, can_merge: bool, noun: str = "record") -> None:
    merge = choose_setting_name("--small-classes merge", python="small_classes='merge'")
    remedy = f"Write {merge}, raise {find_suppression_setting()}, or search anew."
    if not can_merge:
        remedy = f"Raise {find_suppression_setting()}, or search anew."
    raise UnsatisfiableError(
        f"With this recoding {format_count(small, noun)} are in classes that are too small, and {limit:,} may be "
        f"suppressed. {remedy}"
    )


def _find_places(tables: Tables, recoding: SavedRecoding, *, covers_all: bool = False) -> ClassPlaces:
    """Give each combination the class that a recoding has for it.

    Parameters
    ----------
    covers_all : bool
        Whether those that no class covers get the roots; otherwise they stay as they are.

    Raises
    ------
    UsageError
        If the recoding contradicts itself.
    """
    from toolbox.methods.arrays.combinations import combinations_of
    from toolbox.recodings.places import LevelPlaces, refuse_damaged
    from toolbox.recodings.regions import RegionPlaces

    document = recoding.document
    if [column.name for column in tables.quasi_identifiers] != recoding.columns:
        raise refuse_damaged("its configuration declares other columns than it has")
    ids, sizes, values = combinations_of(tables)
    if "regions" in document:
        return RegionPlaces(tables, values, document["regions"]).begin(ids, sizes)
    places = LevelPlaces(tables, values, document["climb"])
    if "levels" in document:
        places.start_at(document["levels"], document["climb"])
    else:
        places.start_in(tables, document["cells"], covers_all=covers_all)
    return places.begin(ids, sizes)


def list_unseen_values(tables: Tables, recoding: SavedRecoding) -> list[dict[str, int]]:
    """List for each quasi-identifier the values that a recoding does not know, each with its records."""
    return _find_places(tables, recoding).list_unseen(tables)


def _recode_places(tables: Tables, places: ClassPlaces, *, suppressed: Any, moved: Any) -> Tables:
    """Recode a table by the classes of its combinations.

    Parameters
    ----------
    suppressed, moved : array of bool
        Combinations that are suppressed, and those that are called by another name than the recoding says.
    """
    import numpy as np

    from toolbox.methods.arrays.recoding import recode

    sizes = places.sizes
    roots = zip(places.names, tables.quasi_identifiers, strict=True)
    intervals = [np.where(suppressed, column.root, name) for name, column in roots]
    recoded = recode(
        tables,
        places.ids,
        sizes.astype(np.int32 if tables.record_count < 2**31 else np.int64),
        intervals,
        suppressed=suppressed,
        quasi_identifiers=places.quasi_identifiers,
    )
    found = Reapplied(
        unseen=places.count_unseen(tables),
        kept=int(sizes[~moved & ~suppressed].sum()),
        merged=int(sizes[moved].sum()),
        merged_classes=len(np.unique(places.first[moved])),
        suppressed=int(sizes[suppressed].sum()),
    )
    return replace(recoded, reapplied=found)


# Differential privacy by drawing records and a recoding that was fixed before (Li, Qardaji and Su 2012,
# doi:10.1145/2414456.2414474).
#
# Of n records that get the same generalised values, j are drawn, and j are released if they are at least k. With one
# record less in the table, the same j are (1 - beta) n / (n - j) times as likely. That is at most exp(epsilon) as long
# as j <= gamma n, with gamma = 1 - (1 - beta) exp(-epsilon); the probability of all other j is delta. Of one record
# more they are at most 1 / (1 - beta) times as likely, which is exp(epsilon) for the beta that is taken.

FORMULA: Final = (
    "probability beta = 1 - exp(-epsilon); gamma = 1 - (1 - beta) exp(-epsilon); delta(k) = the largest probability, "
    "over all n, that of n records more than gamma n, and at least k, are drawn"
)
NOT_COVERED: Final = (
    "a recoding that was chosen by a look at this table, or at one of mostly the same people",
    "other releases of the same people: epsilon and delta of all add up",
    "this report and the summary, which tell how many records there were and were left out: they are not for readers",
    "whether a run ends without a release, as no class is large enough",
)
"""What the promise does not hold for."""
REFERENCE: Final = "Li, Qardaji and Su 2012, doi:10.1145/2414456.2414474"
_RANGES: Final = {"epsilon": (0.01, 20.0), "delta": (1e-15, 1.0)}
"""From which value on, and below which one: outside, nothing is promised, or k takes long to find."""


class PrivateDrawing(NamedTuple):
    """What makes a release (epsilon, delta)-differentially private."""

    epsilon: float
    delta: float
    """What is asked for."""
    beta: float
    """With which probability each record is drawn."""
    k: int
    """The smallest class that may be released."""
    reached: float
    """The delta of this k, or a bound of it where k is larger than it must be."""
    records: int = 0
    """Records of the table."""
    drawn: int = 0
    """Of these, the records that were drawn."""

    def document(self) -> dict[str, Any]:
        """Return what a report says of it."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "reached_delta": self.reached,
            "probability": self.beta,
            "k": self.k,
            "records": self.records,
            "drawn": self.drawn,
            "formula": FORMULA,
            "not_covered": list(NOT_COVERED),
            "reference": REFERENCE,
        }


def make_private_drawing(epsilon: float | None, delta: float | None) -> PrivateDrawing:
    """Find with which probability records are drawn, 1 - exp(-epsilon), and the smallest k that is enough for delta.

    Raises
    ------
    SettingError
        If one of both is missing or out of range.
    """
    asked = {"epsilon": epsilon, "delta": delta}
    for name, other in (("epsilon", "delta"), ("delta", "epsilon")):
        if asked[name] is None:
            raise SettingError(other, asked[other], f"{name} as well: epsilon and delta go together")
    for name, value in asked.items():
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        least, most = _RANGES[name]
        if not is_number or not least <= float(value or 0) < most:
            raise SettingError(name, value, f"a number from {least:g} to {most:g}; epsilon and delta go together")
    assert epsilon is not None and delta is not None
    beta = -math.expm1(-epsilon)
    few, enough = 0, 1
    while compute_delta(enough, beta, epsilon) > delta:
        few, enough = enough, 2 * enough
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (middle, enough) if compute_delta(middle, beta, epsilon) > delta else (few, middle)
    return PrivateDrawing(float(epsilon), float(delta), beta, enough, compute_delta(enough, beta, epsilon))


def find_private_drawing(config: Config) -> PrivateDrawing:
    """Find how the records of a configuration are drawn; `make_private_drawing` explains the rest."""
    return make_private_drawing(value_of(config, EPSILON), value_of(config, DELTA))


def compute_delta(k: int, beta: float, epsilon: float) -> float:
    """Return the delta of classes of at least k records that are drawn with a probability.

    It is the largest probability, over all n from the smallest on that counts, that more than gamma n of n are drawn.
    """
    # For a large epsilon gamma is so near to 1 that their difference is lost.
    others = (1 - beta) * math.exp(-epsilon)
    gamma = 1 - others
    # By Chernoff's bound no n counts for which exp(-n distance) is less than what was found.
    distance = gamma * math.log(gamma / beta) - others * epsilon
    n, largest = max(k, math.ceil(k / gamma - 1 - 1e-9)), 0.0
    while math.exp(-n * distance) > largest:
        # Where gamma n is a whole number but for rounding, so many are as likely as allowed. It is less than n, so that
        # all n never are: with one record less they cannot be drawn.
        first = min(n, math.floor(gamma * n + 1e-9) + 1)
        largest = max(largest, _sum_tail(n, max(k, first), beta))
        n += 1
    return largest


def _sum_tail(n: int, first: int, beta: float) -> float:
    """Return the probability that at least some of n records are drawn."""
    logarithm = math.lgamma(n + 1) - math.lgamma(first + 1) - math.lgamma(n - first + 1)
    term = math.exp(logarithm + first * math.log(beta) + (n - first) * math.log1p(-beta))
    total, odds = term, beta / (1 - beta)
    for drawn in range(first, n):
        term *= odds * (n - drawn) / (drawn + 1)
        total += term
        if term < 1e-18 * total:
            break
    return total


# Drawing records, and what is refused where differential privacy would not hold.


def require_private(config: Config, *, is_file: bool) -> None:
    """Stop where a release of drawn records would not be differentially private.

    Raises
    ------
    UsageError
    """
    recoding, source = config.recoding, config.input
    made_of_data = [] if recoding is None else recoding.document["valuesOfData"]
    merge = choose_setting_name("--small-classes merge", python="small_classes='merge'")
    order = choose_setting_name("-order input", python="order='input'")
    seed = choose_setting_name("--seed", python="seed")
    other_models = any(one.model != _MODEL for one in config.requirements)
    wrong_recoding = {
        "No saved recoding is applied": recoding is None,
        "The recoding is local": recoding is not None and recoding.shape != "levels",
        f"The recoding holds values of the table that it was made from: {', '.join(made_of_data)}": made_of_data,
        "The recoding declares sensitive attributes, which are released as they are": config.sensitive,
        "The recoding declares treatments": config.treated,
        "The recoding declares persons, who may have several records": config.person,
        "The recoding requires other models than k-anonymity": other_models,
    }
    wrong_run = {
        f"{merge} looks at the records": value_of(config, SMALL_CLASSES) == "merge",
        f"{order} tells which records were drawn": config.output.order == "input",
        f"{seed} undoes the shuffling, and so tells which records were drawn": config.seed is not None,
        "An earlier release looks at the records": config.earlier,
        "A child table has rows of records that are not drawn": config.child_tables,
        "An engine keeps the records, and none are drawn there": config.engine is not None,
        "A table of a database is not drawn from": source is not None and source.remote is not None,
        "Several files are not drawn from": source is not None and source.more,
        "A file without a header is not drawn from": is_file and source is not None and not source.header,
    }
    release_format, plain = config.output.format, config.output.in_format().format
    wrong_format = {f"The format {release_format.name} shows more than generalised values": release_format != plain}
    genvals = choose_setting_name(
        f"-outputFormat {plain.name}", python=f"Recoding.fit(.., output_format='{plain.name}')"
    )
    saved = choose_setting_name(
        "toolbox anonymize .. -method Flash --save-recoding FILE", python="Recoding.fit(.., method='Flash')"
    )
    by_levels = f"Save a recoding with a level for each column, of columns that are all quasi-identifiers: {saved}."
    left_out = "Leave it out, or make another release."
    refused = ((wrong_recoding, by_levels), (wrong_run, left_out), (wrong_format, f"Write {genvals}."))
    for reasons, remedy in refused:
        if reason := next((told for told, is_so in reasons.items() if is_so), None):
            raise UsageError(f"{reason}; then a release is not differentially private. {remedy}")


def draw_records(table: pa.Table, config: Config, drawing: PrivateDrawing) -> tuple[Config, pa.Table]:
    """Draw each record with the same probability, by chance that nobody can repeat; return how they are released, too.

    Raises
    ------
    UsageError
        If the recoding seems to be made from this table.
    """
    import numpy as np
    import pyarrow as pa

    assert config.recoding is not None, "one is applied"
    if config.recoding.document["made"]["records"] == table.num_rows:
        raise UsageError(
            f"The recoding was made from a table of {table.num_rows:,} records, as this one has: it must be fixed "
            "without a look at the table. Take one of other people, or one that is made of no data."
        )
    chance = np.random.default_rng(secrets.randbits(128)).random(table.num_rows)
    drawn = table.filter(pa.array(chance < drawing.beta))
    k = max(drawing.k, *(int(one.parameters["k"]) for one in config.requirements))
    drawing = drawing._replace(k=k, records=table.num_rows, drawn=drawn.num_rows)
    others = {name: value for name, value in config.others.items() if name not in (EPSILON.field, DELTA.field)}
    configured = replace(
        config,
        k=k,
        requirements=(Requirement(model=_MODEL, parameters={"k": k}),),
        suppression_threshold=Portion(Decimal(100), is_percentage=True),
        undeclared="drop",
        output=replace(config.output, suppressed="drop"),
        others=MappingProxyType({**others, SMALL_CLASSES.field: "suppress", DRAWING: drawing}),
    )
    return configured, drawn
