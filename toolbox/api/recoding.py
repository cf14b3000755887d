"""The public class `Recoding`: how one table was generalised, for the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, Self

from toolbox.api.release import anonymize, load_config
from toolbox.config.model import Config, Limits, Order
from toolbox.config.reading.overrides import parse_limits
from toolbox.config.reading.recoding import SavedRecoding, parse_recoding, read_recoding
from toolbox.errors import UsageError
from toolbox.flows.arguments.anonymize import Index
from toolbox.flows.arguments.checks import check_path
from toolbox.flows.arguments.tables import is_configuration
from toolbox.flows.release.python import Result
from toolbox.flows.release.recoded import Application, fit_recoding
from toolbox.flows.session.next_table import preview_recoding
from toolbox.messages import name_python_arguments
from toolbox.release.placing import write_whole
from toolbox.report.console import ConsoleReport
from toolbox.report.explore.recoding import RecodingDiff, RecodingPreview, compare_recodings, describe_recoding

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Recoding(ConsoleReport):
    """How a table was generalised: to be saved, and applied to other tables with the same columns.

    It holds no record and no key. `fit` makes one of a table, `from_json` reads one.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> january = pd.DataFrame({"age": [25, 27, 61, 64], "illness": ["flu", "cold", "flu", "gout"]})
    >>> february = pd.DataFrame({"age": [24, 26, 60, 66], "illness": ["gout", "flu", "flu", "cold"]})
    >>> recoding = toolbox.Recoding.fit(
    ...     january, quasi_identifiers=["age"], sensitive=["illness"], hierarchies={"age": "intervals:10,20"}, k=2,
    ...     method="Flash",
    ... )
    >>> recoding.transform(february, order="sorted").release
           age illness
    0  [20:30)     flu
    1  [20:30)    gout
    2  [60:70)    cold
    3  [60:70)     flu
    """

    _saved: SavedRecoding = field(repr=False)

    @classmethod
    def fit(
        cls, source: str | Path | Config | pd.DataFrame | pl.DataFrame | pl.LazyFrame | pa.Table, **arguments: Any
    ) -> Self:
        """Make the recoding of a table.

        Parameters
        ----------
        source, **arguments
            As in `toolbox.anonymize`: a release is made and proved, and thrown away.

        Raises
        ------
        ToolboxError
            As of `toolbox.anonymize`, or if what the method finds cannot be saved.
        """
        if "save_recoding" in arguments:
            raise UsageError("save_recoding= has no place in fit(). Write the file by Recoding.fit(..).to_json(path).")
        if isinstance(source, (str, Path)) and is_configuration(Path(source), is_described=bool(arguments)):
            source = load_config(source)
        if isinstance(source, Config):
            _require_nothing_beside(arguments)
            return cls(fit_recoding(source))
        with TemporaryDirectory() as folder:
            file = Path(folder) / "recoding.json"
            anonymize(source, save_recoding=file, **arguments)
            return cls(replace(read_recoding(file), source="Recoding.fit()"))

    def transform(
        self,
        source: str | Path | pd.DataFrame | pl.DataFrame | pl.LazyFrame | pa.Table,
        *,
        small_classes: Literal["merge", "suppress"] | None = None,
        suppression_threshold: int | str | None = None,
        order: Order | None = None,
        index: Index | None = None,
        key: str | Path | None = None,
        earlier: Any = None,
        earlier_key: str | None = None,
        earlier_repair: bool | None = None,
        limits: Limits | str | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
    ) -> Result:
        """Make a release of another table: the same generalised values where they hold, proved anew.

        Parameters
        ----------
        source : path or table
            With the columns of the first one, in any order.
        small_classes : {'merge', 'suppress'}, optional
            What becomes of classes that are too small now: they become wider along the saved tree, or are suppressed.
            By default a recoding with one level for each column suppresses them as far as that is allowed; all else is
            merged.
        suppression_threshold : int or str, optional
            Most records that may be suppressed, or their share: ``'2%'``. By default as it was.
        order, index, key, earlier, earlier_key, earlier_repair, limits
            As in `toolbox.anonymize`.
        epsilon, delta : float, optional
            Make the release (epsilon, delta)-differentially private: each record is drawn by lot, and classes below a
            k that follows from both are left out. Only for a recoding with one level for each column that was not
            made from this table; columns that are no quasi-identifiers are left out (docs/recodings.md).

        Raises
        ------
        UsageError
            If the table has other columns, or an argument is wrong.
        InputError
            If the data is wrong or unreadable.
        UnsatisfiableError
            If the models cannot be satisfied.
        """
        how = Application(
            small_classes=small_classes,
            suppression_threshold=suppression_threshold,
            order=order,
            index=index,
            key=key,
            earlier=earlier,
            earlier_key=earlier_key,
            earlier_repair=earlier_repair,
            limits=limits,
            epsilon=epsilon,
            delta=delta,
        )
        return how.release(self._saved, source)

    def preview(
        self,
        source: str | Path | pd.DataFrame | pl.DataFrame | pl.LazyFrame | pa.Table,
        *,
        limits: Limits | str | None = None,
    ) -> RecodingPreview:
        """Say what another table has that is new, what is gone, and what would not hold; nothing is released.

        Parameters
        ----------
        source : path or table
        limits : Limits or str, optional
            As in `toolbox.anonymize`.

        Returns
        -------
        RecodingPreview
            ``.new_columns``, ``.gone_columns``, and ``.foreseen`` with the values of each column, what the models
            reach, and what would become of small classes; ``.document()``.

        Raises
        ------
        InputError
            If the table cannot be read, or has values that do not fit their columns.
        """
        with name_python_arguments():
            return preview_recoding(self._saved, source, parse_limits(limits))

    @classmethod
    def fit_transform(
        cls, source: str | Path | pd.DataFrame | pl.DataFrame | pl.LazyFrame | pa.Table, **arguments: Any
    ) -> tuple[Self, Result]:
        """Make the recoding of a table, and the release of the same table by it.

        Of a local recoding by levels, such as that of LocalRecoding, this may differ from what `toolbox.anonymize`
        releases, as each record gets the narrowest class that covers it.

        Returns
        -------
        recoding : Recoding
        release : Result
        """
        made = cls.fit(source, **arguments)
        return made, made.transform(source)

    def generalise(self, source: pd.DataFrame | pl.DataFrame | pl.LazyFrame | pa.Table) -> Any:
        """Return a table with the generalised values of each row, whatever the others are: no release.

        It is for data that is not published, such as that on which a model is tested which was trained on a release.
        Nothing is merged, suppressed or proved.

        Returns
        -------
        DataFrame or table
            As `source` is, in its order; without identifiers.
        """
        return Application(index="keep").generalise(self._saved, source)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the document, and write it to a file that only its owner may read, if one is named.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        text = self._saved.text()
        if path is not None:
            write_whole(check_path("path", path), text, "recoding", replaces=True)
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """Read a recoding: a file, or its text.

        Raises
        ------
        ConfigurationError
            If it is none, or it is damaged.
        """
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return cls(parse_recoding(source, "from_json()"))
        return cls(read_recoding(check_path("source", source)))

    def diff(self, new: Recoding) -> RecodingDiff:
        """Return how a later recoding differs from this one."""
        return compare_recodings(describe_recoding(self._saved), describe_recoding(new._saved))

    def document(self) -> dict[str, Any]:
        """Return what it says of each column, with stable names."""
        return describe_recoding(self._saved).document()

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return describe_recoding(self._saved).headline()

    def show_on(self, console: Any) -> None:
        """Print it on a console of rich."""
        describe_recoding(self._saved).show_on(console)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recoding) and self._saved.digest == other._saved.digest

    def __hash__(self) -> int:
        return hash(self._saved.digest)


def _require_nothing_beside(arguments: Mapping[str, Any]) -> None:
    if arguments:
        raise UsageError(
            f"A configuration says everything itself, so {next(iter(arguments))} cannot be combined with it. "
            "Change it there."
        )
