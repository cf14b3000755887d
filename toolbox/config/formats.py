"""The formats of a release: the files of each, what it shows, and how it is read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

FormatName = Literal["genVals", "genValsDist", "anatomy"]


@dataclass(frozen=True, kw_only=True)
class ReleaseFormat:
    """What must be known of a format, wherever a release is written, described or read back.

    `toolbox.release.formats` writes it.

    Examples
    --------
    >>> str(ANATOMY), ANATOMY.suffixes
    ('anatomy', ('_QIT', '_ST'))
    """

    name: FormatName
    """As users write it."""
    suffixes: tuple[str, ...] = ("",)
    """One for each table: what its file name has before the extension."""
    has_groups: bool = False
    """Whether original values stand in one table and all others in another, and only numbers of groups connect them.
    These groups are then read back as the classes."""
    has_statistics: bool = False
    """Whether a column with the statistics of the class stands behind each quasi-identifier."""
    order_can_be_chosen: bool = True
    """Whether the records can be in the order of the input, shuffled or sorted; otherwise groups decide."""

    @property
    def tells_classes_apart(self) -> bool:
        """Whether readers can tell classes apart that have the same generalised values."""
        return self.has_groups or self.has_statistics

    def __str__(self) -> str:
        return self.name


GEN_VALS = ReleaseFormat(name="genVals")
GEN_VALS_DIST = ReleaseFormat(name="genValsDist", has_statistics=True)
ANATOMY = ReleaseFormat(name="anatomy", suffixes=("_QIT", "_ST"), has_groups=True, order_can_be_chosen=False)

FORMATS: Final[Mapping[str, ReleaseFormat]] = {
    GEN_VALS.name: GEN_VALS,
    GEN_VALS_DIST.name: GEN_VALS_DIST,
    ANATOMY.name: ANATOMY,
}
"""All formats by their names, in the order in which messages list them."""
