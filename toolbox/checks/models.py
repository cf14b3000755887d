"""The privacy models that methods are asked for when they are checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolbox import (
    AlphaKAnonymity,
    Anonymizer,
    AverageRisk,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    FewColumnsKAnonymity,
    KAnonymity,
    KMAnonymity,
    PopulationUniqueness,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveLDiversity,
    SampleUniqueness,
    TCloseness,
    UsageError,
)
from toolbox.checks.tables import ILLNESS, STAGE

Models = tuple[PrivacyModel, ...]
Values = Sequence[Any]

EXAMPLES: Final[tuple[Models, ...]] = (
    (KAnonymity(k=3),),
    (FewColumnsKAnonymity(k=3, any="1"),),
    (KMAnonymity(k=3, m=2),),
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
    (AverageRisk(0.3),),
    (SampleUniqueness(0.1),),
    (PopulationUniqueness(0.05, fraction=0.2),),
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
