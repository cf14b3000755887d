"""Privacy models as a reader judges them: from the sensitive values of each class, without the package's SQL."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolbox import (
    AlphaKAnonymity,
    Anonymizer,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    KAnonymity,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveLDiversity,
    TCloseness,
    UsageError,
)
from toolbox.checks.tables import ILLNESS, STAGE

Models = tuple[PrivacyModel, ...]
Values = Sequence[Any]

EXAMPLES: Final[tuple[Models, ...]] = (
    (KAnonymity(k=3),),
    (DistinctLDiversity(l=2, attribute=ILLNESS),),
    (EntropyLDiversity(l=1.8, attribute=ILLNESS),),
    (RecursiveLDiversity(c=2.5, l=2, attribute=ILLNESS),),
    (TCloseness(t=0.4, attribute=ILLNESS),),
    (TCloseness(t=0.3, attribute=STAGE),),
    (KAnonymity(k=2), DistinctLDiversity(l=3, attribute=STAGE)),
    (AlphaKAnonymity(alpha=0.6, k=2, attribute=ILLNESS),),
    (PSensitiveKAnonymity(p=2, k=3, attribute=ILLNESS),),
    (DeltaDisclosure(delta=2.5, attribute=STAGE),),
    (BasicBetaLikeness(beta=1.5, attribute=ILLNESS),),
    (EnhancedBetaLikeness(beta=2, attribute=STAGE),),
)
"""What methods are asked for. All tables satisfy each of these when all their records are one class."""


def supported_models(method: type[Anonymizer]) -> list[Models]:
    """Choose the examples that a method says it can honour.

    Raises
    ------
    UsageError
        If it honours none of them.
    """
    supported = [models for models in EXAMPLES if all(map(method.supports, models))]
    if not supported:
        names = ", ".join(sorted({model.name for models in EXAMPLES for model in models}))
        raise UsageError(f"{method.__name__} supports none of {names}. Say which models to try: models=[...].")
    return supported


def satisfies(model: PrivacyModel, members: Values, everybody: Values) -> bool | None:
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


def _has_k_anonymity(model: KAnonymity, members: Values, everybody: Values) -> bool:
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
