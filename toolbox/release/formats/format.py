"""Which function writes which format: finished tables in, the tables of a release out, as queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from toolbox.config.formats import ANATOMY, GEN_VALS, GEN_VALS_DIST, ReleaseFormat
from toolbox.config.model import Config
from toolbox.release.formats.anatomy import anatomy
from toolbox.release.formats.gen_vals import general_values
from toolbox.release.formats.gen_vals_dist import general_values_with_statistics
from toolbox.release.notation import Notation
from toolbox.release.part import Part
from toolbox.store.layout import Layout
from toolbox.store.tables import Tables

FormatWriter: TypeAlias = Callable[[Tables, Layout, Config, Notation | None], list[Part]]
"""Takes the notation of delimited text, or None where columns stay apart. Returns one part for each suffix."""

WRITERS: Final[Mapping[ReleaseFormat, FormatWriter]] = {
    GEN_VALS: general_values,
    GEN_VALS_DIST: general_values_with_statistics,
    ANATOMY: anatomy,
}
