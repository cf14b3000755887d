"""The formats of a release, and what differs where a run shall write what the toolbox of 2010 wrote."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, TypeAlias

from toolbox.errors import UsageError
from toolbox.extensions import Registry

# The formats of a release: the files of each, what it shows, and how it is read back.

FormatName: TypeAlias = str
GEN_VALS: Final = "genVals"
"""The format where nobody chooses one."""


class ReleaseFormat(ABC):
    """What must be known of a format, wherever a release is written, described or read back.

    It is used as a class: a format has no settings.

    Examples
    --------
    >>> FORMATS["anatomy"].suffixes
    ('_QIT', '_ST')
    """

    name: ClassVar[str]
    """As users write it."""
    words: ClassVar[str]
    """What it is, for people who choose one."""
    tells_classes_apart: ClassVar[bool]
    """Whether readers can tell classes apart that have the same generalised values: then each is proved by itself."""
    suffixes: ClassVar[tuple[str, ...]] = ("",)
    """One for each table: what its file name has before the extension."""
    has_groups: ClassVar[bool] = False
    """Whether original values stand in one table and all others in another, and only numbers of groups connect them.
    These groups are then read back as the classes."""
    has_statistics: ClassVar[bool] = False
    """Whether a column with the statistics of the class stands behind each quasi-identifier."""
    order_can_be_chosen: ClassVar[bool] = True
    """Whether the records can be in the order of the input, shuffled or sorted; otherwise the format decides."""
    own_order: ClassVar[str] = "has an order of its own"
    """What messages say of that order."""
    needs_records: ClassVar[str] = "is made of the records themselves"
    """Why it cannot be written where only combinations are known; empty if it shows the records, each with the
    generalised values of its class."""
    can_be_judged: ClassVar[bool] = False
    """Whether its tables can be read back with their configuration."""
    rank: ClassVar[int] = 1_000
    """The place among all formats, the lowest first."""

    @classmethod
    @abstractmethod
    def parts(cls, tables: Any, layout: Any, config: Any, notation: Any) -> list[Any]:
        """Return the tables of a release as queries, one `toolbox.release.files.part.Part` for each suffix.

        Parameters
        ----------
        tables : toolbox.store.tables.Tables
            Proved.
        layout : toolbox.store.input.layout.Layout
            The columns of the input.
        config : toolbox.config.model.Config
        notation : toolbox.release.files.part.Notation, optional
            That of delimited text; None where columns stay apart.
        """


def _look(release_format: type[ReleaseFormat], called: str) -> None:
    if release_format.has_groups and len(release_format.suffixes) != 2:
        raise UsageError(f"{called} connects two tables by groups. Name two suffixes.")


FORMATS: Final = Registry("toolbox.release_formats", ReleaseFormat, "release format", _look)  # type: ignore[type-abstract]
"""The formats that are installed, ours and those of others."""


def list_formats() -> dict[str, type[ReleaseFormat]]:
    """Return all formats by their names, in the order in which people choose among them."""
    found = FORMATS.every().classes.values()
    return {one.name: one for one in sorted(found, key=lambda one: (one.rank, one.name))}


# What differs where a run shall write what the toolbox of 2010 wrote.


@dataclass(frozen=True, kw_only=True)
class Compatibility:
    """How a run reads, names and writes values. The defaults are our own way.

    Examples
    --------
    >>> AS_IN_2010.usual_order, OUR_OWN.usual_order
    ('input', 'shuffled')
    """

    name: str | None = None
    """As users write it; None: they write none."""

    strips_blanks: bool = False
    """Whether blanks around a value of the input are no part of it."""
    looks_for_missing_everywhere: bool = False
    """Whether a missing value in a column that is not declared disqualifies a record, too."""
    skips_unasked: bool = False
    """Whether records that lack a value are left out, however many they are, where nobody has chosen that."""
    takes_text_for_numbers: bool = False
    """Whether a column of text holds numbers unless its declaration says otherwise; its values decide if not."""
    knows_dates: bool = True

    names_by_code: bool = False
    """Whether a number or the code of a category is named ``58.0``, as a class of its own ``[58.0]``, and a node of a
    hierarchy as its author wrote it."""
    has_original_settings: bool = False
    """Whether methods take the settings with which they do what they did in 2010."""
    leaves_parameters_out: bool = False
    """Whether a k, l, c or t that the method does not take is left out; otherwise it is a fault."""
    notes_unused_nodes: bool = True
    """Whether a note tells which nodes of a hierarchy have no value."""

    usual_order: Literal["input", "shuffled"] = "shuffled"
    """The order of the records where nobody chooses one."""
    quotes_least: bool = False
    """Whether only a value that holds the separator or a line end is quoted."""
    can_split: bool = True
    """Whether a table can be split into several files."""
    can_escape_formulas: bool = True
    shows_statistics_alone: bool = False
    """Whether statistics stand in the place of generalised values, not behind them."""
    shows_suppressed: bool = False
    """Whether a format that tells classes apart shows what suppressed records hold."""
    judges_labels_alone: bool = False
    """Whether only releases of generalised values, and nothing else, can be read back with their configuration."""

    def can_judge(self, release_format: type[ReleaseFormat]) -> bool:
        """Return whether a release in a format can be read back with its configuration."""
        return release_format.can_be_judged and not (self.judges_labels_alone and release_format.tells_classes_apart)

    def list_judged_formats(self) -> list[str]:
        """Return the names of the formats that can be read back so."""
        return [name for name, release_format in list_formats().items() if self.can_judge(release_format)]


OUR_OWN = Compatibility()
AS_IN_2010 = Compatibility(
    name="utd",
    strips_blanks=True,
    looks_for_missing_everywhere=True,
    skips_unasked=True,
    takes_text_for_numbers=True,
    knows_dates=False,
    names_by_code=True,
    has_original_settings=True,
    leaves_parameters_out=True,
    notes_unused_nodes=False,
    usual_order="input",
    quotes_least=True,
    can_split=False,
    can_escape_formulas=False,
    shows_statistics_alone=True,
    shows_suppressed=True,
    judges_labels_alone=True,
)

MODES: Final[Mapping[str, Compatibility]] = {str(mode.name): mode for mode in (AS_IN_2010,)}
"""The modes that users can write, by their names."""
