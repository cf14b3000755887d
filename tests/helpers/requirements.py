"""Privacy models as random tests draw them, each beside a plain program that judges the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from helpers import brute_models as brute
from helpers.random_tables import Sample, samples
from hypothesis import strategies as st

from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.k_with_values import AlphaKAnonymity, PSensitiveKAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.models.likeness import BasicBetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from toolbox.privacy.models.t_closeness import TCloseness

Satisfies = Callable[[Sequence[int]], bool]
"""Whether the rows of a class, by their numbers, satisfy what is required."""
Columns = Mapping[str, Sequence[object]]


@dataclass(frozen=True)
class Requirement:
    """A privacy model, and how a plain program judges a class by the sensitive values in it."""

    model: PrivacyModel
    judge: Callable[[brute.Values], brute.Judge]
    """From the values of the whole column to the judge of a class."""

    def judges(self, columns: Columns) -> Satisfies:
        """Return whether the rows of a class satisfy the model."""
        column = columns[self.model.attribute or "illness"]
        judge = self.judge(column)
        return lambda numbers: judge([column[number] for number in numbers])


@st.composite
def requirements(draw: st.DrawFn) -> Requirement:
    """Draw a model with parameters that small tables may or may not satisfy."""
    return draw(st.one_of(_by_values(), _by_shares()))


@st.composite
def _by_values(draw: st.DrawFn) -> Requirement:
    """Draw a model that asks for enough records, enough values, or values as near as they are in the table."""
    attribute = draw(st.sampled_from(["illness", "salary"]))
    l = draw(st.sampled_from([2, 1.5, 2.5, 1.8, 3, 1]))  # noqa: E741
    c = draw(st.sampled_from([2, 1.5, 3, 0.8]))
    t = draw(st.sampled_from([0.2, 0.3, 0.4, 0.5, 0.25, 0.6, 0.1]))
    match draw(st.sampled_from(["distinct", "entropy", "recursive", "equal", "ordered", "k"])):
        case "distinct":
            model: PrivacyModel = DistinctLDiversity(l=l, attribute=attribute)
            return Requirement(model, lambda _: brute.distinct_l_diverse(l))
        case "entropy":
            return Requirement(EntropyLDiversity(l=l, attribute=attribute), lambda _: brute.entropy_l_diverse(l))
        case "recursive":
            model = RecursiveLDiversity(c=c, l=l, attribute=attribute)
            return Requirement(model, lambda _: brute.recursively_diverse(c, l))
        case "equal":
            model = TCloseness(t=t, attribute=attribute, distance="equal")
            return Requirement(model, lambda column: brute.t_close(t, column, brute.equal_distance))
        case "ordered":
            model = TCloseness(t=t, attribute="salary")
            return Requirement(model, lambda column: brute.t_close(t, column, brute.ordered_distance))
    k = draw(st.integers(1, 5))
    return Requirement(KAnonymity(k=k), lambda _: brute.k_anonymous(k))


@st.composite
def _by_shares(draw: st.DrawFn) -> Requirement:
    """Draw a model that asks for more than one thing, or compares shares."""
    attribute = draw(st.sampled_from(["illness", "salary"]))
    share = draw(st.sampled_from([0.5, 0.6, 0.75, 0.4]))
    gain = draw(st.sampled_from([1, 0.5, 2, 1.5]))
    k = draw(st.integers(1, 5))
    match draw(st.sampled_from(["alpha", "sensitive", "disclosure", "basic", "enhanced"])):
        case "alpha":
            model: PrivacyModel = AlphaKAnonymity(alpha=share, k=k, attribute=attribute)
            return Requirement(model, lambda _: brute.alpha_k_anonymous(share, k))
        case "sensitive":
            return Requirement(PSensitiveKAnonymity(p=2, k=k, attribute=attribute), lambda _: brute.p_sensitive(2, k))
        case "disclosure":
            model = DeltaDisclosure(delta=gain, attribute=attribute)
            return Requirement(model, lambda column: brute.discloses_less(gain, column))
        case "basic":
            model = BasicBetaLikeness(beta=gain, attribute=attribute)
            return Requirement(model, lambda column: brute.basic_beta_like(gain, column))
    model = EnhancedBetaLikeness(beta=gain, attribute=attribute)
    return Requirement(model, lambda column: brute.enhanced_beta_like(gain, column))


@st.composite
def protected_samples(draw: st.DrawFn) -> tuple[Sample, Columns]:
    """Draw quasi-identifiers with hierarchies, and two sensitive attributes beside them."""
    sample = draw(samples().filter(lambda drawn: drawn.size > 7))
    illnesses = st.lists(st.sampled_from("abcd"), min_size=sample.size, max_size=sample.size)
    salaries = st.lists(st.sampled_from([-4, 1, 2.5, 3, 100]), min_size=sample.size, max_size=sample.size)
    return sample, {"illness": draw(illnesses), "salary": draw(salaries)}


def all_of(required: Sequence[Requirement], columns: Columns) -> Satisfies:
    """Judge a class by several models at once."""
    judges = [one.judges(columns) for one in required]
    return lambda numbers: all(judge(numbers) for judge in judges)
