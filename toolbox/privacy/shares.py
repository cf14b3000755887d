"""How the share of a sensitive value in a class compares with its share in the whole table."""

from __future__ import annotations

from sqlalchemy import Double, cast, func, select

from toolbox.privacy.classes import Classes
from toolbox.queries.query import Query


def share_ratios(classes: Classes) -> Query:
    """Divide the share of each value in its class, q, by that in the table, p.

    Returns
    -------
    Select, one row per class and value that occurs in it
        ``equivalence_id, ratio, share``: q / p, and p.
    """
    histogram, overall = classes.judged
    sizes = classes.sizes
    total = select(cast(func.sum(overall.c.records), Double)).scalar_subquery()
    share = overall.c.records / total
    # Products of counts first: for a class that is like the table both are equal, and the ratio is exactly 1.
    in_class = cast(histogram.c.records, Double) * total
    ratio = in_class / (cast(sizes.c.size, Double) * cast(overall.c.records, Double))
    joined = histogram.join(sizes, sizes.c.equivalence_id == histogram.c.equivalence_id).join(
        overall, overall.c.value == histogram.c.value
    )
    return select(histogram.c.equivalence_id, ratio.label("ratio"), share.label("share")).select_from(joined)
