"""Parts of a release with columns of given types, as a writer gets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from sqlalchemy import column, select, table

from toolbox.release.files.part import Part
from toolbox.store.engine.statements import make_column_names
from toolbox.store.engine.store import Store


def typed_part(store: Store, columns: Mapping[str, pa.Array], **more: Any) -> Part:
    """Make a part of arrays of Arrow."""
    arrow = pa.table(list(columns.values()), names=make_column_names(len(columns)))
    name = store.register("part", arrow)
    rows = select(*(column(label) for label in arrow.column_names)).select_from(table(name))
    return Part(suffix="", headers=tuple(columns), rows=rows, **more)
