"""A transformer of scikit-learn: a model learns from rows that were generalised and proved; others become like them.

It needs scikit-learn: ``pip install 'anonymisation-toolbox[experiments]'``. See docs/recodings.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd

from toolbox.api.recoding import Recoding
from toolbox.published.cells.notations import parse_interval

try:
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    REMEDY = "Run: pip install 'anonymisation-toolbox[experiments]'"
    raise ImportError(f"toolbox.sklearn needs scikit-learn 1.6 or later. {REMEDY}") from error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from toolbox.privacy.model import PrivacyModel

__all__ = ["Generaliser"]


class Generaliser(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc] # it has no types
    """Generalise the rows of a table as those were on which it was fitted.

    All columns are quasi-identifiers; a `ColumnTransformer` chooses them. `fit` searches a recoding, which holds no
    record. `fit_transform` returns the rows of a release that was proved, in their order: a model may learn from them.
    `transform` returns what the recoding says of each row, whatever other rows there are, and proves nothing: it is for
    rows on which a model is tested or used, and not for publication. The two differ only in rows that were suppressed.

    Parameters
    ----------
    k : int, >= 2
        Records that a class has at least. It is not read where there are ``models`` or a ``recoding``.
    method : str
        One whose recoding can be saved: Mondrian, Flash, OLA, MinGen, Incognito, Datafly, LocalRecoding.
    hierarchies : mapping of column to hierarchy, optional
        As in `toolbox.anonymize`. Columns of an array are called ``x0``, ``x1`` and so on.
    models : sequence of PrivacyModel, optional
        Of the sizes of classes. A model of sensitive values needs a ``recoding`` that was made with them.
    suppression_threshold : int or str
        Most records that may be suppressed, or their share, ``'2%'``; each value of theirs becomes ``*``.
    numbers : {'labels', 'middles'}
        What becomes of a column of numbers: the generalised value as text, ``[20:30)``, or the middle of its bounds,
        25; NaN where nothing is left of a value. A column of texts has always texts, and one of True and False, too.
    recoding : Recoding or path, optional
        One that was made before, perhaps of other data. `fit` then searches nothing, and the rows that it is given do
        not matter.

    Attributes
    ----------
    recoding_ : Recoding
    n_features_in_ : int
    feature_names_in_ : array of str
        If the columns of the table had names.

    Raises
    ------
    ValueError
        If a value is missing, or there are fewer rows than k.
    ToolboxError
        As of `toolbox.anonymize`.

    Examples
    --------
    >>> import pandas as pd
    >>> from toolbox.sklearn import Generaliser
    >>> people = pd.DataFrame({"age": [25, 27, 61, 64], "town": ["Graz", "Graz", "Linz", "Wels"]})
    >>> generaliser = Generaliser(k=2, method="Flash", hierarchies={"age": "intervals:10", "town": "auto"})
    >>> generaliser.fit_transform(people)
           age        town
    0  [20:30)        Graz
    1  [20:30)        Graz
    2  [60:70)  Linz..Wels
    3  [60:70)  Linz..Wels
    """

    def __init__(
        self,
        k: int = 5,
        *,
        method: str = "Mondrian",
        hierarchies: Mapping[str, Any] | None = None,
        models: Sequence[PrivacyModel] | None = None,
        suppression_threshold: int | str = 0,
        numbers: Literal["labels", "middles"] = "labels",
        recoding: Recoding | str | Path | None = None,
    ) -> None:
        self.k = k
        self.method = method
        self.hierarchies = hierarchies
        self.models = models
        self.suppression_threshold = suppression_threshold
        self.numbers = numbers
        self.recoding = recoding

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803 - as in scikit-learn
        """Search the recoding of a table; ``y`` is not looked at."""
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **others: Any) -> Any:  # noqa: N803 - as in scikit-learn
        """Search the recoding of a table, and return the rows of its release, which was proved, in their order."""
        table = self._learn(X)
        result = self.recoding_.transform(table, order="input", index="keep")
        return self._show(result.release, X)

    def transform(self, X: Any) -> Any:  # noqa: N803 - as in scikit-learn
        """Return what the recoding says of each row: nothing is proved."""
        check_is_fitted(self)
        return self._show(self.recoding_.generalise(self._read(X, reset=False)), X)

    def _learn(self, X: Any) -> pd.DataFrame:  # noqa: N803 - as in scikit-learn
        if self.numbers not in ("labels", "middles"):
            raise ValueError(f"numbers={self.numbers!r} is not known. Write 'labels' or 'middles'.")
        table = self._read(X, reset=True)
        types = pd.api.types
        numbers = table.columns[[types.is_numeric_dtype(each) for each in table.dtypes]]
        self._numbers = [name for name in numbers if not types.is_bool_dtype(table[name])]
        if self.recoding is not None:
            given = self.recoding
            self.recoding_ = given if isinstance(given, Recoding) else Recoding.from_json(given)
            return table
        if self.models is None and len(table) < self.k:
            raise ValueError(f"k={self.k} needs at least {self.k} rows. Found n_samples={len(table)}.")
        self.recoding_ = Recoding.fit(
            table,
            quasi_identifiers=list(table.columns),
            hierarchies=self.hierarchies,
            method=self.method,
            suppression_threshold=self.suppression_threshold,
            **({"k": self.k} if self.models is None else {"models": list(self.models)}),
        )
        return table

    def _read(self, X: Any, *, reset: bool) -> pd.DataFrame:  # noqa: N803 - as in scikit-learn
        """Return the table under the names of its columns, each of its own kind."""
        has_names = isinstance(X, pd.DataFrame)
        finite: bool | str = "allow-nan" if has_names else True
        values = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=finite)
        names = list(self.get_feature_names_out())
        if not has_names:
            return pd.DataFrame(values, columns=names).infer_objects()
        table: pd.DataFrame = X.set_axis(names, axis=1).reset_index(drop=True)
        if missing := [name for name in names if table[name].isna().any()]:
            raise ValueError(f"Column {missing[0]!r} lacks a value. Fill it in, or leave the row out.")
        return table

    def _show(self, released: Any, X: Any) -> Any:  # noqa: N803 - as in scikit-learn
        """Return generalised rows as the rows were given: a table as a table, an array as an array."""
        shown = released.copy()
        if self.numbers == "middles":
            for name in self._numbers:
                shown[name] = _find_middles(shown[name])
        if not isinstance(X, pd.DataFrame):
            return shown.to_numpy()
        shown.index = X.index
        return shown

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = ["float64"] if self.numbers == "middles" else []
        return tags


def _find_middles(labels: pd.Series[Any]) -> NDArray[np.float64]:
    """Return the middle of each generalised value; NaN where it says nothing, and the bound where it has only one."""
    texts, places = np.unique(labels.astype(str).to_numpy(dtype=object), return_inverse=True)
    return np.array([_find_middle(text) for text in texts])[places]


def _find_middle(text: str) -> float:
    interval = parse_interval(text)
    if interval is None:
        try:
            return float(text)
        except ValueError:
            return np.nan
    if np.isinf(interval.low) or np.isinf(interval.high):
        return interval.high if np.isinf(interval.low) else interval.low
    return interval.low / 2 + interval.high / 2
