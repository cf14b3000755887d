"""genVals: the input with every quasi-identifier replaced by its generalised value."""

from __future__ import annotations

from toolbox.config.model import Config
from toolbox.release.formats.one_table import labels_of_classes, records_part
from toolbox.release.notation import Notation
from toolbox.release.part import Part
from toolbox.store.layout import Layout
from toolbox.store.tables import Tables


def general_values(tables: Tables, layout: Layout, config: Config, notation: Notation | None = None) -> list[Part]:
    """Return the only table of the format."""
    return [records_part(tables, layout, config, notation, labels_of_classes(tables), shows=("label",))]
