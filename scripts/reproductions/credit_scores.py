"""What classifiers lose that are trained on the releases of Marchand's study: figures 9 and 10."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import toolbox
from reproductions.classification import Scores, as_numbers, scores
from reproductions.frame import Data, Number, Table
from reproductions.marchand_figures import draw_scores
from reproductions.study import COLUMNS, LABEL, METRICS, SIZES, Recorded, Study, recorded, row_of

SAME = 0.015
"""How far apart scores may be that count as the same: one split of 3,000 records has a standard error of .01."""


def classified(data: Data, done: Study) -> dict[str, Table]:
    """Train on every release."""
    labels = done.records[LABEL]
    found = {
        k: scores(as_numbers(release, () if k == 1 else COLUMNS).drop(columns=LABEL), labels)
        for k, release in done.releases.items()
    }
    if data.pictures is not None:
        draw_scores(done, found, data.pictures / "marchand_figure_10.svg")
    expected = recorded(data.fixture("credit", "ml_summary.csv"), "features", "all")
    return {
        "scores": Table(list(_scores(found, expected)), heading="recorded"),
        "changes": Table(list(_changes(found)), heading="flat"),
        "patterns": Table(list(_patterns(found, done.losses)), heading="horizontal"),
    }


def _scores(found: Mapping[int, Scores], expected: Recorded) -> Iterator[Number]:
    highest = max(ours.balanced_accuracy for ours in found.values())
    yield Number("the text, highest of all ten", "balanced accuracy", 0.65, highest, SAME)
    for k, ours in found.items():
        yield Number(row_of(k), "balanced accuracy", float(expected[k]["bal_acc_mean"]), ours.balanced_accuracy, SAME)
        yield Number(row_of(k), "AUROC", float(expected[k]["auroc_mean"]), ours.auroc, SAME)


def _changes(found: Mapping[int, Scores]) -> Iterator[Number]:
    for k in SIZES:
        yield Number(row_of(k), "AUROC", 0.0, found[k].auroc - found[1].auroc, SAME)
        yield Number(row_of(k), "balanced accuracy", 0.0, found[k].balanced_accuracy - found[1].balanced_accuracy, SAME)


def _patterns(found: Mapping[int, Scores], losses: Mapping[int, toolbox.LossReport]) -> Iterator[Number]:
    for name in Scores._fields:
        over_k = [getattr(found[k], name) for k in SIZES]
        yield Number(name.replace("_", " ").replace("auroc", "AUROC"), "spread", 0.0, max(over_k) - min(over_k), SAME)
    for name in list(METRICS)[1:]:
        rises = losses[SIZES[-1]].value(name) > losses[SIZES[0]].value(name)
        yield Number(f"{name} rises with k", "spread", "yes", "yes" if rises else "no")
