"""Classifiers, and the records that they see: scored on held-out records over splits that all cells share."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from sqlalchemy import select

from toolbox.errors import UsageError, did_you_mean
from toolbox.experiments.cells.analysing import Analysis, Block
from toolbox.experiments.cells.data_set import OpenedData
from toolbox.experiments.cells.rows import make_seed
from toolbox.experiments.plan.plan import Learning
from toolbox.extensions import is_reference, load_function
from toolbox.flows.session.loads import Load
from toolbox.messages import format_count
from toolbox.queries.dialect import Query, find_row_place
from toolbox.store.engine.store import Store
from toolbox.store.tables import QuasiIdentifierTables, Tables

# The classifiers that a plan names, each made anew from a seed. scikit-learn is imported when one is made.


def require_learner(name: str) -> None:
    """Stop where there is no such learner, or nothing to make it with."""
    if is_reference(name):
        load_function(name, "learner")
    elif name not in (known := [*_LEARNERS, *ANALYSES]):
        listed = f"There are: {', '.join(known)}; or write module:function."
        raise UsageError(f"There is no learner {name!r}.{did_you_mean(name, known)} {listed}")
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


ANALYSES = ("regression", "pMSE")
"""What a plan names as learners, and is no classifier: what `toolbox.experiments.cells.analysing` measures."""


# What a learner makes of a sample: scores on held-out records, over splits that all cells of a data set share.

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float64]
    Numbers: TypeAlias = NDArray[np.int64]
    import pandas as pd

MOST_INDICATORS = 2_000
"""Categories of all columns together; more would take gigabytes of zeros."""
_FEWEST = 2
"""Records of each label that a split needs: one to learn from, one to test."""

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


def encode_classes(tables: Tables, classes: Any, id_name: str) -> tuple[Numbers, Matrix]:
    """Encode the quasi-identifiers of classes.

    Parameters
    ----------
    classes : Table
        Its rows have an id and ``interval_1 ..``; with ``suppressed``, what is suppressed is missing.

    Returns
    -------
    ids : array, n_classes
        Ascending.
    features : array, n_classes x n_features
        For each quasi-identifier of numbers its low and its high end; for one of categories a column for each.
    """
    rows = tables.store.to_arrays(select(*classes.c).order_by(classes.c[id_name]))
    parts = [
        _encode_intervals(tables, column)[rows[name]]
        for column, name in zip(tables.quasi_identifiers, tables.interval_names, strict=True)
    ]
    features = np.concatenate(parts, axis=1)
    if "suppressed" in rows:
        features[rows["suppressed"].astype(bool)] = np.nan
    return rows[id_name].astype(np.int64), features


def _encode_intervals(tables: Tables, column: QuasiIdentifierTables) -> Matrix:
    """Encode all intervals of a quasi-identifier: a row for each, by its id."""
    intervals, ground = column.intervals, column.ground
    bounds = tables.store.to_arrays(
        select(intervals.c.interval_id, intervals.c.low, intervals.c.high).order_by(intervals.c.interval_id)
    )
    values = tables.store.to_arrays(select(ground.c.value).order_by(ground.c.level_0))["value"].astype(np.float64)
    size = int(bounds["interval_id"][-1]) + 1
    low, high = (_place_values(bounds["interval_id"], bounds[name], size) for name in ("low", "high"))
    low, high = np.clip(low, values.min(), values.max()), np.clip(high, values.min(), values.max())
    if column.kind == "number":
        return np.stack([low, high], axis=1)
    _require_few(column.name, len(values))
    indicators = ((values >= low[:, None]) & (values <= high[:, None])).astype(np.float64)
    sets = select(intervals.c.interval_id, intervals.c.members).where(intervals.c.members.is_not(None))
    # The sets of one column, of which there are few beside its records.
    for interval, members in tables.store.rows(sets):
        indicators[interval] = np.isin(np.arange(len(values)), members)
    return indicators


def _place_values(ids: Numbers, values: Any, size: int) -> Matrix:
    found = np.full(size, np.nan)
    found[ids] = np.ma.filled(values, np.nan)
    return found


def encode_columns(frame: pd.DataFrame) -> Matrix:
    """Encode columns that a release leaves as they are: numbers as they are, each category as a column.

    Examples
    --------
    >>> import pandas as pd
    >>> encode_columns(pd.DataFrame({"visits": ["3", None, "5"], "town": ["Graz", "Linz", "Graz"]}))
    array([[ 3.,  1.,  0.],
           [nan,  0.,  1.],
           [ 5.,  1.,  0.]])
    """
    parts: list[Matrix] = [np.empty((len(frame), 0)), *(_encode_column(frame[name]) for name in frame)]
    return np.concatenate(parts, axis=1)


def _encode_column(texts: pd.Series[str]) -> Matrix:
    import pandas as pd

    numbers = pd.to_numeric(texts, errors="coerce")
    if bool((numbers.notna() | texts.isna()).all()):
        found: Matrix = numbers.to_numpy(np.float64)[:, None]
        return found
    codes, categories = pd.factorize(texts, sort=True)
    _require_few(str(texts.name), len(categories))
    indicators: Matrix = (codes[:, None] == np.arange(len(categories))).astype(np.float64)
    indicators[codes < 0] = np.nan
    return indicators


def _require_few(name: str, categories: int) -> None:
    if categories > MOST_INDICATORS:
        problem = f"{name} has {categories:,} categories, and learners see a column for each"
        raise UsageError(f"{problem}. Leave it out, or declare it as a number if it is one.")


def gather_features(ids: Numbers, features: Matrix, wanted: Sequence[int] | Numbers) -> Matrix:
    """Return the features of records, by the ids of their classes."""
    found: Matrix = features[np.searchsorted(ids, np.asarray(wanted))]
    return found


@dataclass(frozen=True, eq=False)
class LearningSample:
    """The records that are in a class, and have a label.

    The quasi-identifiers are encoded anew for each variant; who is in the sample, the labels and all else stay.
    """

    opened: OpenedData
    rows: Numbers
    """Of each record, the row of the session that has its combination."""
    labels: Numbers
    """Numbers from 0, in the order of the texts."""
    passed: Matrix
    """The features that no release changes."""
    values: tuple[str, ...]
    """The texts of the labels, in their order."""

    @classmethod
    def of(cls, opened: OpenedData) -> LearningSample:
        """Read the labels and features of a data set.

        Raises
        ------
        UsageError
            If there are no two labels.
        UnknownColumnError
            If there is no such column.
        """
        data, load = opened.data, opened.original()
        assert data.label is not None, "the reader of plans has asked for it"
        names = [str(attribute.column) for attribute in load.config.quasi_identifiers]
        if data.label in names:
            remedy = "Name another label, or declare the column as sensitive"
            raise UsageError(f"The label {data.label!r} is a quasi-identifier, which a release changes. {remedy}.")
        frame = opened.texts((data.label, *data.features))
        rows, is_known = _find_record_rows(opened, load)
        is_known &= frame[data.label].notna().to_numpy()
        known, labels = np.unique(frame[data.label].to_numpy()[is_known].astype(str), return_inverse=True)
        if len(known) < 2:
            raise _make_label_error(data.label, labels)
        passed = encode_columns(frame[list(data.features)])[is_known]
        return cls(opened, rows[is_known], labels.astype(np.int64), passed, tuple(known.tolist()))

    def require_learnable(self) -> None:
        """Stop where a label has too few records for a learner."""
        if np.bincount(self.labels).min() < _FEWEST:
            raise _make_label_error(str(self.opened.data.label), self.labels)

    def find_outcome(self) -> Matrix:
        """Return what a regression explains: more than two labels that are numbers, or who has the commonest one."""
        with suppress(ValueError):
            if len(self.values) > 2:
                return np.array([float(value) for value in self.values])[self.labels]
        commonest: Matrix = (self.labels == np.bincount(self.labels).argmax()).astype(np.float64)
        return commonest

    def make_analysis(self, original: Matrix, released: Matrix) -> Analysis:
        """Put the features of a release beside those of the original records."""
        columns = self.opened.original().loaded.tables.quasi_identifiers
        blocks = [Block(each.kind == "number", 2 if each.kind == "number" else each.values) for each in columns]
        return Analysis(original, released, blocks)

    def encode_original_records(self) -> Matrix:
        """Return the features of all records before anything is generalised."""
        load = self.opened.original()
        store, combinations = self.opened.table.store, load.loaded.tables.combinations
        placed = store.to_arrays(_select_ordered(load.rows(store).c.row, load.rows(store).c.class_id))
        encoded = encode_classes(load.loaded.tables, combinations, "combination_id")
        return self._add_passed_columns(placed["row"], placed["class_id"], *encoded)

    def as_released(self, load: Load, tables: Tables) -> Matrix:
        """Return the features of all records as a variant releases them.

        Parameters
        ----------
        tables : Tables
            As the method has left them.
        """
        store, keys = self.opened.table.store, tables.keys
        assert keys is not None, "the class of a record follows from its combination"
        rows = load.rows(store)
        joined = rows.join(keys, keys.c.key == rows.c.key)
        placed = store.to_arrays(
            _select_ordered(rows.c.row, keys.c.equivalence_id.label("class_id")).select_from(joined)
        )
        encoded = encode_classes(tables, tables.equivalence, "equivalence_id")
        return self._add_passed_columns(placed["row"], placed["class_id"], *encoded)

    def _add_passed_columns(self, rows: Numbers, classes: Numbers, ids: Numbers, features: Matrix) -> Matrix:
        of_record = classes[np.searchsorted(rows, self.rows)]
        return np.concatenate([gather_features(ids, features, of_record), self.passed], axis=1)


def _make_label_error(label: str, labels: Numbers) -> UsageError:
    counts = np.bincount(labels)
    found = f"has {len(counts)} values, the rarest in {int(counts.min()) if len(counts) else 0} records"
    return UsageError(f"The label {label!r} {found}. Learners need two, each in {_FEWEST} records or more.")


def _select_ordered(row: object, *others: object) -> Query:
    return select(row, *others).order_by(row)  # type: ignore[call-overload, no-any-return]


def _find_record_rows(opened: OpenedData, load: Load) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the row of the session behind each record, and whether it is in a class; records in their order."""
    store: Store = opened.table.store
    source, records = opened.table.source, opened.table.source.records
    assert records is not None, "the data set is opened with its records"
    relation, rows = source.relation(), load.rows(store)
    joined = records.join(relation, relation.c.key == records.c.key)
    joined = joined.outerjoin(rows, rows.c.row == source.row_number())
    is_known = rows.c.row.is_not(None).label("known")
    found = store.to_arrays(
        select(find_row_place(records).label("record"), source.row_number().label("row"), is_known)
        .select_from(joined)
        .order_by(find_row_place(records))
    )
    return found["row"].astype(np.int64), found["known"].astype(bool)
