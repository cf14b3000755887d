"""Our formats: what each is and shows. What writes them is imported when a release is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toolbox.config.formats import ReleaseFormat
from toolbox.config.model import Config
from toolbox.messages import mark

if TYPE_CHECKING:
    from toolbox.release.files.part import Notation, Part
    from toolbox.store.input.layout import Layout
    from toolbox.store.tables import Tables


class GeneralisedValues(ReleaseFormat):
    """The input with every quasi-identifier replaced by its generalised value."""

    name: ClassVar[str] = "genVals"
    words: ClassVar[str] = mark("The table, with generalised values")
    tells_classes_apart: ClassVar[bool] = False
    needs_records: ClassVar[str] = ""
    can_be_judged: ClassVar[bool] = True
    rank: ClassVar[int] = 10

    @classmethod
    def parts(cls, tables: Tables, layout: Layout, config: Config, notation: Notation | None) -> list[Part]:
        from toolbox.release.formats.gen_vals import build_general_values

        return build_general_values(tables, layout, config, notation)


class GeneralisedValuesWithStatistics(ReleaseFormat):
    """The same, with the statistics of the class behind each quasi-identifier."""

    name: ClassVar[str] = "genValsDist"
    words: ClassVar[str] = mark("Also the mean or the distribution of each class")
    tells_classes_apart: ClassVar[bool] = True
    has_statistics: ClassVar[bool] = True
    needs_records: ClassVar[str] = ""
    can_be_judged: ClassVar[bool] = True
    rank: ClassVar[int] = 20

    @classmethod
    def parts(cls, tables: Tables, layout: Layout, config: Config, notation: Notation | None) -> list[Part]:
        from toolbox.release.formats.gen_vals_dist import build_values_with_statistics

        return build_values_with_statistics(tables, layout, config, notation)


class TwoTables(ReleaseFormat):
    """The original quasi-identifiers and all other columns, in two tables that only the group connects."""

    name: ClassVar[str] = "anatomy"
    words: ClassVar[str] = mark("Two tables, which only the group connects")
    tells_classes_apart: ClassVar[bool] = True
    suffixes: ClassVar[tuple[str, ...]] = ("_QIT", "_ST")
    has_groups: ClassVar[bool] = True
    order_can_be_chosen: ClassVar[bool] = False
    own_order: ClassVar[str] = "orders its tables by class, and shuffles within"
    needs_records: ClassVar[str] = "deals single records into groups"
    can_be_judged: ClassVar[bool] = True
    rank: ClassVar[int] = 30

    @classmethod
    def parts(cls, tables: Tables, layout: Layout, config: Config, notation: Notation | None) -> list[Part]:
        from toolbox.release.formats.anatomy import build_anatomy

        return build_anatomy(tables, layout, config, notation)
