"""What the previews promise as charts, each with the same as a table: from their figures alone, so that they stay."""

from __future__ import annotations

from collections.abc import Iterable

from toolbox.app.project.variants import METRICS, KeptVariant
from toolbox.charts import Point, bars, figure, percent, risk_loss, size_bars, sizes_figure, table

_NCP = METRICS[0]
_AS_READ = "as read"


def risk_and_loss(variants: Iterable[KeptVariant], current: str = "") -> str:
    """Draw all previews between what they lose and whom they leave at risk, and the table as it was read.

    Parameters
    ----------
    current : str
        The fingerprint of the project; what it says now stands out.
    """
    points = [
        Point(
            f"{one.number}: {one.words}", _share(one.loss(_NCP)), _share(one.highest_risk), one.fingerprint == current
        )
        for one in variants
        if one.loss(_NCP) is not None and one.highest_risk is not None
    ]
    smallest = min((size for one in variants for size, _ in one.sizes("before")), default=None)
    if smallest is not None:
        points.insert(0, Point(_AS_READ, 0, 1 / smallest))
    if len(points) < 2:
        return ""
    drawn = risk_loss(points, key="plane", title="Risk against loss, for each preview", focusable=True)
    rows = [(point.name, percent(point.loss), percent(point.risk)) for point in points]
    shown = table(["preview", "information lost", "highest risk"], rows, figures={1, 2})
    caption = "Highest risk against information lost: the further down and to the left, the better"
    return figure(drawn, shown, caption=caption, label="Risk against loss")


def class_sizes(variant: KeptVariant) -> str:
    """Draw how many records are in classes of each size, before and after."""
    k = variant.k or 1
    before, after = (size_bars(variant.sizes(side), k) for side in ("before", "after"))
    caption = f"Records by the size of their class, before and after; those below k = {k} are at risk"
    return sizes_figure(before, after, key="sizes", caption=caption) if before else ""


def loss_by_column(variant: KeptVariant) -> str:
    """Draw what each quasi-identifier has lost, the most first."""
    lost = sorted(
        ((name, round(100 * _share(loss), 1)) for name, loss in variant.lost_by_column()), key=lambda row: -row[1]
    )
    if not lost:
        return ""
    drawn = bars(lost, key="lost", title="Information lost by column", unit="%", scale_to=100)
    rows = [(name, f"{share:.1f} %") for name, share in lost]
    shown = table(["column", "lost"], rows, figures={1})
    return figure(drawn, shown, caption="Information lost by column: 0 % is as it was, at 100 % it says nothing")


def _share(value: float | None) -> float:
    """Return a share as a chart can draw it: what a file said of an earlier preview may be anything."""
    return min(max(value or 0.0, 0.0), 1.0)
