"""What a learner makes of a sample: scores on held-out records, over splits that all cells of a data set share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from toolbox.experiments.cells import seed_of
from toolbox.experiments.learners import make_learner
from toolbox.experiments.plan import Learning

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float64]
    Numbers: TypeAlias = NDArray[np.int64]

SCORES = ("balanced accuracy", "AUROC")
"""The mean of the shares of each label that are predicted rightly; the area under the receiver operating curve, with
more than two labels the mean over each of them against the rest."""


class Score(NamedTuple):
    """One score of one split."""

    name: str
    split: int
    """From 1."""
    value: float
    seconds: float
    """To train and to test."""


@dataclass(frozen=True)
class Examination:
    """Trains and tests one learner on split after split.

    Parameters
    ----------
    seed : int
        That of the plan and its data set, so that each variant meets the same splits.
    """

    learning: Learning
    seed: int

    def scores(self, learner: str, labels: Numbers, trained_on: Matrix, tested_on: Matrix) -> Iterator[Score]:
        """Yield the scores of a learner.

        Parameters
        ----------
        labels : array, n_records
        trained_on, tested_on : array, n_records x n_features
            The same records, row by row.
        """
        from threadpoolctl import threadpool_limits

        # Sums of several threads differ in their last digits, and other cells use the other cores.
        with threadpool_limits(limits=1):
            for split, (train, test) in enumerate(self._splits(labels), start=1):
                began = perf_counter()
                model = make_learner(learner, seed_of(self.seed, learner, split))
                model.fit(trained_on[train], labels[train])
                values = _scored(model, tested_on[test], labels[test])
                seconds = perf_counter() - began
                for name, value in zip(SCORES, values, strict=True):
                    yield Score(name, split, value, seconds)

    def _splits(self, labels: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield splits in which each label has its share of both sides."""
        from sklearn.model_selection import StratifiedShuffleSplit

        splits, share = self.learning.splits, self.learning.test_share
        # Each label needs a record on either side, also in a small table.
        fewest = len(np.unique(labels))
        test_size = min(max(round(share * len(labels)), fewest), len(labels) - fewest)
        splitter = StratifiedShuffleSplit(splits, test_size=test_size, random_state=seed_of(self.seed, "splits"))
        return iter(splitter.split(np.zeros((len(labels), 1)), labels))


def _scored(model: Any, features: Matrix, labels: Numbers) -> tuple[float, float]:
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    chances = model.predict_proba(features)
    predicted = model.classes_[np.argmax(chances, axis=1)]
    accuracy = float(balanced_accuracy_score(labels, predicted))
    if len(model.classes_) == 2:
        return accuracy, float(roc_auc_score(labels, chances[:, 1]))
    return accuracy, float(roc_auc_score(labels, chances, multi_class="ovr", labels=model.classes_))
