"""Discernibility: for every record, from how many it cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from toolbox.loss.metric import Direction
from toolbox.loss.sizes import OriginalSizes, SizeMetric, Sizes, require_k


@dataclass(frozen=True, kw_only=True)
class Discernibility(SizeMetric):
    """The sum of the squared class sizes, as the release shows them: suppressed records are taken for one class.

    Records that the release lacks do not count.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("discernibility")
    6
    """

    name: ClassVar[str] = "discernibility"
    unit: ClassVar[str] = "squared records"
    range: ClassVar[str] = "N .. N^2"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "LeFevre et al. 2006, doi:10.1109/ICDE.2006.101"

    def score(self, sizes: Sizes, original: OriginalSizes) -> float | str:
        return sizes.squares + (sizes.suppressed - sizes.lacking) ** 2


@dataclass(frozen=True, kw_only=True)
class DiscernibilityWithSuppression(SizeMetric):
    """The sum of the squared class sizes, where every suppressed record costs as much as all records.

    Parameters
    ----------
    k : int, optional
        Records of classes that are smaller cost as much as suppressed ones.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("discernibility with suppression")
    9
    """

    name: ClassVar[str] = "discernibility with suppression"
    unit: ClassVar[str] = "squared records"
    range: ClassVar[str] = "N .. N^2"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Bayardo and Agrawal 2005, doi:10.1109/ICDE.2005.42"

    k: int | None = None

    def __post_init__(self) -> None:
        require_k(self.k)

    @property
    def fewest(self) -> int | None:
        return self.k

    def score(self, sizes: Sizes, original: OriginalSizes) -> float | str:
        hidden = sizes.suppressed + sizes.small
        return sizes.squares - sizes.small_squares + hidden * sizes.total


@dataclass(frozen=True, kw_only=True)
class ArxDiscernibility(SizeMetric):
    """Discernibility with suppression, as a share of what could be lost: 1 for the original, 0 for nothing; as in ARX.

    Classes of any size count with their square. As in ARX, a share outside these ends is set to the end: where equal
    records are shown differently, classes are smaller than those of the original.

    Examples
    --------
    >>> from pyarrow import table
    >>> from toolbox import measure
    >>> people, release = table({"sex": ["f", "f", "m", "m"]}), table({"sex": ["f", "f", "m", "*"]})
    >>> measure(people, release, quasi_identifiers=["sex"]).value("discernibility (ARX)")
    0.875
    """

    name: ClassVar[str] = "discernibility (ARX)"
    unit: ClassVar[str] = "share"
    range: ClassVar[str] = "0 .. 1"
    direction: ClassVar[Direction] = "higher"
    reference: ClassVar[str] = "Prasser and Kohlmayer 2015, doi:10.1007/978-3-319-23633-9_6"

    def score(self, sizes: Sizes, original: OriginalSizes) -> float | str:
        cost = sizes.squares + sizes.suppressed * sizes.total
        best, worst = original.squares, sizes.total**2
        return 1.0 if worst == best else 1 - min(max((cost - best) / (worst - best), 0.0), 1.0)
