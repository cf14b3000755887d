"""Classifiers: made anew from a seed, and scored on held-out records over splits that all cells share."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from toolbox.errors import UsageError, did_you_mean
from toolbox.experiments.cells.cells import make_seed
from toolbox.experiments.plan.plan import Learning
from toolbox.extensions import is_reference, load_function
from toolbox.messages import format_count

# The classifiers that a plan names, each made anew from a seed. scikit-learn is imported when one is made.


def require_learner(name: str) -> None:
    """Stop where there is no such learner, or nothing to make it with."""
    if is_reference(name):
        load_function(name, "learner")
    elif name not in _LEARNERS:
        listed = f"There are: {', '.join(_LEARNERS)}; or write module:function."
        raise UsageError(f"There is no learner {name!r}.{did_you_mean(name, list(_LEARNERS))} {listed}")
    require_scikit_learn()


def require_scikit_learn() -> None:
    """Stop where scikit-learn is not installed."""
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        remedy = "Run: pip install 'anonymisation-toolbox[experiments]'"
        raise UsageError(f"[classification] needs scikit-learn. {remedy}") from error


def make_learner(name: str, seed: int) -> Any:
    """Return a learner that was not trained yet.

    Parameters
    ----------
    name : str
        One of ours, or ``module:function``, which is called with the seed.

    Returns
    -------
    an estimator of scikit-learn
        With ``fit`` and ``predict_proba``. A feature that is missing is a NaN.
    """
    make = load_function(name, "learner") if is_reference(name) else _LEARNERS[name]
    return make(seed)


def _make_logistic_regression(seed: int) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    imputer = SimpleImputer(keep_empty_features=True)
    return make_pipeline(imputer, StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed))


def _make_decision_tree(seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=20, random_state=seed)


def _make_random_forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100, min_samples_leaf=5, random_state=seed)


def _make_gradient_boosting(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=100, learning_rate=0.1, max_leaf_nodes=15, random_state=seed)


_LEARNERS: MappingProxyType[str, Callable[[int], Any]] = MappingProxyType(
    {
        "logistic regression": _make_logistic_regression,
        "decision tree": _make_decision_tree,
        "random forest": _make_random_forest,
        "gradient boosting": _make_gradient_boosting,
    }
)


# What a learner makes of a sample: scores on held-out records, over splits that all cells of a data set share.

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
    """NaN, if it cannot be said of this split."""
    seconds: float
    """To train and to test."""
    reason: str = ""
    """Why it cannot be said."""


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

    def compute_scores(self, learner: str, labels: Numbers, trained_on: Matrix, tested_on: Matrix) -> Iterator[Score]:
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
            for split, (train, test) in enumerate(self._make_splits(labels), start=1):
                began = perf_counter()
                sides = {"train": labels[train], "test": labels[test]}
                reason = _find_incomplete_side(labels, sides)
                values = (math.nan, math.nan)
                # What libraries warn of, such as a label that is never predicted, is a matter of the scores.
                with warnings.catch_warnings(action="ignore"):
                    if len(np.unique(sides["train"])) > 1:
                        model = make_learner(learner, make_seed(self.seed, learner, split))
                        model.fit(trained_on[train], sides["train"])
                        values = _score_model(model, tested_on[test], sides["test"], has_all=not reason)
                seconds = perf_counter() - began
                for name, value in zip(SCORES, values, strict=True):
                    yield Score(name, split, value, seconds, "" if math.isfinite(value) else reason)

    def _make_splits(self, labels: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield splits in which each label has its share of both sides."""
        from sklearn.model_selection import StratifiedShuffleSplit

        splits, share = self.learning.splits, self.learning.test_share
        # Each label needs a record on either side, also in a small table.
        fewest = len(np.unique(labels))
        test_size = min(max(round(share * len(labels)), fewest), len(labels) - fewest)
        splitter = StratifiedShuffleSplit(splits, test_size=test_size, random_state=make_seed(self.seed, "splits"))
        return iter(splitter.split(np.zeros((len(labels), 1)), labels))


def _find_incomplete_side(labels: Numbers, sides: Mapping[str, Numbers]) -> str:
    """Return which side of a split has no record of some label; empty if both have all."""
    for name, side in sides.items():
        if missing := len(np.setdiff1d(labels, side)):
            return f"the {name} side of a split has no record of {format_count(missing, 'label')}"
    return ""


def _score_model(model: Any, features: Matrix, labels: Numbers, *, has_all: bool) -> tuple[float, float]:
    """Return the balanced accuracy, over the labels that are there; and the AUROC, NaN without all of them."""
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    chances = model.predict_proba(features)
    predicted = model.classes_[np.argmax(chances, axis=1)]
    accuracy = float(balanced_accuracy_score(labels, predicted))
    if not has_all:
        return accuracy, math.nan
    if len(model.classes_) == 2:
        return accuracy, float(roc_auc_score(labels, chances[:, 1]))
    return accuracy, float(roc_auc_score(labels, chances, multi_class="ovr", labels=model.classes_))
