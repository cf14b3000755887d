"""What differs where a run shall write what the toolbox of 2010 wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from toolbox.config.formats import FORMATS, GEN_VALS, ReleaseFormat


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
    judged_formats: tuple[ReleaseFormat, ...] = tuple(FORMATS.values())
    """The formats whose releases can be read back with their configuration."""


OUR_OWN = Compatibility()
AS_IN_2010 = Compatibility(
    name="utd",
    strips_blanks=True,
    looks_for_missing_everywhere=True,
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
    judged_formats=(GEN_VALS,),
)

MODES: Final[Mapping[str, Compatibility]] = {str(mode.name): mode for mode in (AS_IN_2010,)}
"""The modes that users can write, by their names."""
