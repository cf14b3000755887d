"""What a table satisfies: for every privacy model the strictest parameter, without anything being required."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from toolbox.privacy.alpha_k_anonymity import AlphaKAnonymity
from toolbox.privacy.beta_likeness import BasicBetaLikeness, EnhancedBetaLikeness
from toolbox.privacy.classes import Classes
from toolbox.privacy.delta_disclosure import DeltaDisclosure
from toolbox.privacy.delta_presence import DeltaPresence
from toolbox.privacy.k_anonymity import KAnonymity
from toolbox.privacy.k_map import KMap
from toolbox.privacy.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.others import Measured
from toolbox.privacy.p_sensitive import PSensitiveKAnonymity
from toolbox.privacy.results import worst_of
from toolbox.privacy.t_closeness import TCloseness
from toolbox.store.store import Store


def measure_all(store: Store, classes: Classes, attribute: str | None = None) -> tuple[Measured, ...]:
    """Measure every privacy model of ours that the classes can be shown to.

    Parameters
    ----------
    classes : Classes
        With a histogram, the models of sensitive attributes are measured; with a population, those that compare with
        one. k-anonymity always is.
    attribute : str, optional
        The sensitive attribute that the histogram counts.

    Returns
    -------
    tuple of Measured
        k-anonymity first. (alpha,k)-anonymity and p-sensitive k-anonymity are measured for the k of the table;
        recursive (c,l)-diversity for l = 2, and for the l of distinct l-diversity where that is larger; t-closeness by
        the equal distance, for numbers and categories in the order of a hierarchy by the ordered one, and by the
        hierarchical one where there is a hierarchy; delta-disclosure with absent values ignored, as others do, and by
        its definition.

    Raises
    ------
    ProofError
        If a model does not measure every class once.
    """

    def measured(model: PrivacyModel, parameter: str, *given: str) -> Measured:
        return Measured(
            name=model.name,
            attribute=model.attribute,
            parameter=parameter,
            achieved=worst_of(store, classes, model),
            given=MappingProxyType({name: getattr(model, name) for name in given}),
        )

    smallest = measured(KAnonymity(k=1), "k")
    found = [smallest]
    if classes.population is not None:
        found += [measured(KMap(k=1), "k"), measured(DeltaPresence(delta_max=1), "delta_max")]
    if classes.histogram is None:
        return tuple(found)
    distinct = measured(DistinctLDiversity(l=1, attribute=attribute), "l")
    k, l = max(int(smallest.achieved or 1), 1), int(distinct.achieved or 0)  # noqa: E741
    own: dict[str, Any] = {"attribute": attribute}
    found += [
        measured(AlphaKAnonymity(alpha=1, k=k, **own), "alpha", "k"),
        measured(PSensitiveKAnonymity(p=1, k=k, **own), "p", "k"),
        distinct,
        measured(EntropyLDiversity(l=1, **own), "l"),
        *(measured(RecursiveLDiversity(c=1, l=rank, **own), "c", "l") for rank in dict.fromkeys((2, max(l, 2)))),
        *(measured(TCloseness(t=0.5, distance=one, **own), "t", "distance") for one in _distances(classes)),
        *(measured(DeltaDisclosure(delta=1, absent=one, **own), "delta", "absent") for one in ("ignored", "infinite")),
        measured(BasicBetaLikeness(beta=1, **own), "beta"),
        measured(EnhancedBetaLikeness(beta=1, **own), "beta"),
    ]
    return tuple(found)


def _distances(classes: Classes) -> Iterator[str]:
    """List the distances that mean something for the values."""
    yield "equal"
    if classes.kind == "number" or classes.tree is not None:
        yield "ordered"
    if classes.tree is not None:
        yield "hierarchical"
