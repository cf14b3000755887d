"""What the previews promise as charts, each with the same as a table: from their figures alone, so that they stay."""

from __future__ import annotations

from collections.abc import Iterable

from toolbox.app.project.variants import METRICS, PreviewVariant
from toolbox.charts import (
    Point,
    draw_risk_loss,
    format_percent,
    render_figure,
    render_table,
)

_NCP = METRICS[0]
_AS_READ = "as read"


def draw_risk_and_loss(variants: Iterable[PreviewVariant], current: str = "") -> str:
    """Draw all previews between what they lose and whom they leave at risk, and the table as it was read.

    Parameters
    ----------
    current : str
        The fingerprint of the project; what it says now stands out.
    """
    points = [
        Point(
            f"{one.number}: {one.words}",
            _limit_share(one.loss(_NCP)),
            _limit_share(one.highest_risk),
            one.fingerprint == current,
        )
        for one in variants
        if one.loss(_NCP) is not None and one.highest_risk is not None
    ]
    smallest = min((size for one in variants for size, _ in one.sizes("before")), default=None)
    if smallest is not None:
        points.insert(0, Point(_AS_READ, 0, 1 / smallest))
    if len(points) < 2:
        return ""
    drawn = draw_risk_loss(
        points, key="plane", title="Risk against loss, for each preview", loss_name="detail lost", focusable=True
    )
    rows = [(point.name, format_percent(point.loss), format_percent(point.risk)) for point in points]
    shown = render_table(["preview", "detail lost", "highest risk"], rows, figures={1, 2})
    caption = "Highest risk against detail lost: the further down and to the left, the better"
    return render_figure(drawn, shown, caption=caption, label="Risk against loss")


def _limit_share(value: float | None) -> float:
    """Return a share as a chart can draw it: what a file said of an earlier preview may be anything."""
    return min(max(value or 0.0, 0.0), 1.0)
