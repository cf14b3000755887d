"""The classifiers that a plan names, each made anew from a seed. scikit-learn is imported when one is made."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from toolbox.errors import UsageError, did_you_mean
from toolbox.extensions import is_reference, load_function


def require_learner(name: str) -> None:
    """Stop where there is no such learner, or nothing to make it with.

    Raises
    ------
    UsageError
    """
    if is_reference(name):
        load_function(name, "learner")
    elif name not in _LEARNERS:
        listed = f"There are: {', '.join(_LEARNERS)}; or write module:function."
        raise UsageError(f"There is no learner {name!r}.{did_you_mean(name, list(_LEARNERS))} {listed}")
    require_scikit_learn()


def require_scikit_learn() -> None:
    """Stop where scikit-learn is not installed.

    Raises
    ------
    UsageError
    """
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


def _logistic_regression(seed: int) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    imputer = SimpleImputer(keep_empty_features=True)
    return make_pipeline(imputer, StandardScaler(), LogisticRegression(max_iter=1000, random_state=seed))


def _decision_tree(seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=20, random_state=seed)


def _random_forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100, min_samples_leaf=5, random_state=seed)


def _gradient_boosting(seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=100, learning_rate=0.1, max_leaf_nodes=15, random_state=seed)


_LEARNERS: MappingProxyType[str, Callable[[int], Any]] = MappingProxyType(
    {
        "logistic regression": _logistic_regression,
        "decision tree": _decision_tree,
        "random forest": _random_forest,
        "gradient boosting": _gradient_boosting,
    }
)
