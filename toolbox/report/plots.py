"""The pictures of `compare`, `detect` and `risk` as files of matplotlib, written at once or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox.charts.rows import count_in_bins
from toolbox.config.file_names import find_obstacle
from toolbox.errors import OutputError, UsageError, name_option
from toolbox.report.explore.detect import DEFAULT_TOP, DetectionReport
from toolbox.report.judges.risk import RiskReport
from toolbox.report.runs.compare import ComparedRun, ComparisonReport
from toolbox.store.disk.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Pictures of a report: whether they can be drawn, and writing them at once or not at all.

_FORMATS = (".png", ".svg", ".pdf")


def require_plotting(path: Path) -> None:
    """Stop where no picture can be drawn, before any other work.

    Raises
    ------
    UsageError
        If matplotlib is not installed, or the name of the file says no format.
    """
    option = name_option("plot")
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"{option} is {str(path)!r}. Write a name that ends in {', '.join(_FORMATS)}.")
    if fault := find_obstacle(path):
        raise OutputError(f"{option} is {str(path)!r}, which is {fault}. Write the path of a file.")
    if not path.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {str(path.parent)!r}. Make it, or write another name.")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise UsageError(f"{option} needs matplotlib. Run: pip install 'anonymisation-toolbox[plot]'") from error


def save(figure: Figure, path: Path) -> None:
    """Write a picture to a file, in the format of its extension.

    Raises
    ------
    OutputError
        If it cannot be written; an older picture is then untouched.
    """
    try:
        # In a folder of its own: what others have put beside the picture is not written to.
        with Workspace(path.parent) as workspace:
            drawn = workspace.folder / f"picture{path.suffix}"
            figure.savefig(drawn)
            if fault := find_obstacle(path):
                raise OutputError(f"{path}: the picture cannot be written, as there is {fault}.")
            drawn.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: the picture cannot be written ({error.strerror}).") from error


# The picture of `compare`: the risk that each run leaves against what it loses.

_COLOURS = ("#1d4ed8", "#b45309", "#047857", "#7c3aed", "#be123c", "#0e7490", "#4d7c0f", "#525252")
_MARKS = "os^Dv<>P"
_MOST_WORDS = 12
"""Runs of one method whose requirements are written beside their points; more would lie upon each other."""


def plot_comparison(report: ComparisonReport, path: Path) -> None:
    """Draw a report into a file: a line for each method, a point for each run that could be done.

    Parameters
    ----------
    path : Path
        Of a picture; its end says in which format.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    by = report.metrics[0]
    methods: dict[str, list[ComparedRun]] = {}
    for run in report.done:
        if by.name in run.values and run.variant is not None and run.variant.risk is not None:
            methods.setdefault(run.method, []).append(run)
    figure = Figure(figsize=(9, 5.5), layout="constrained")
    axes = figure.subplots()
    for index, (method, runs) in enumerate(methods.items()):
        _draw_line(axes, method, runs, by.name, index)
    axes.set_xlabel(_escape_formula(f"{by.name} ({by.unit}, {by.direction} is better)"))
    axes.set_ylabel("records found by who tries all")
    axes.set_title("Risk against loss, a point for each run", loc="left")
    # As many decimals as the steps need: those of 2.5 % are not 2, 5 and 8.
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
    axes.set_ylim(bottom=0)
    if by.direction == "higher":
        # What is lost grows to the right in every picture.
        axes.invert_xaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, color="#e5e5e5")
    if methods:
        axes.legend(frameon=False)
    save(figure, path)


def _draw_line(axes: Any, method: str, runs: list[ComparedRun], metric: str, index: int) -> None:
    points = sorted(((run.values[metric], _find_average_risk(run), run) for run in runs), key=lambda point: point[:2])
    colour, mark = _COLOURS[index % len(_COLOURS)], _MARKS[index % len(_MARKS)]
    losses, risks = [loss for loss, _, _ in points], [risk for _, risk, _ in points]
    axes.plot(losses, risks, marker=mark, color=colour, label=_escape_formula(method), linewidth=1)
    if len(points) <= _MOST_WORDS:
        for loss, risk, run in points:
            axes.annotate(
                _escape_formula(run.required),
                (loss, risk),
                textcoords="offset points",
                xytext=(5, 5),
                fontsize=7,
                color=colour,
            )


def _find_average_risk(run: ComparedRun) -> float:
    assert run.variant is not None and run.variant.risk is not None, "only such runs are drawn"
    return run.variant.risk.average


def _escape_formula(text: str) -> str:
    """Return a text that is no formula."""
    return text.replace("$", r"\$")


# The picture of `detect`: the subsets with most singletons, and what each column adds.

_BAR = 0.32
"""Inches."""
_MOST = 60
"""Bars of each kind; matplotlib draws no picture of any height."""


def plot_detection(report: DetectionReport, path: Path, *, top: int = DEFAULT_TOP) -> None:
    """Draw a report into a file.

    Parameters
    ----------
    path : Path
        Of a picture; its end says in which format.
    top : int
        How many subsets to show; 60 at most.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    from matplotlib.figure import Figure

    detection = report.detection
    shown = detection.subsets[:top]
    adding = [column for column in detection.columns if column.adds is not None]
    adding.sort(key=lambda column: -(column.adds or 0.0))
    subsets, columns = shown[:_MOST], adding[:_MOST]
    figure = Figure(figsize=(10, 2.4 + _BAR * (len(subsets) + len(columns))), layout="constrained")
    above, below = figure.subplots(2, 1, height_ratios=[max(1, len(subsets)), max(1, len(columns))])
    labels = [", ".join(subset.columns) for subset in subsets]
    _draw_bars(above, labels, [float(subset.singletons) for subset in subsets])
    above.set_title(f"Records that only these columns single out, of {detection.complete:,}{_cut(shown)}", loc="left")
    _draw_bars(below, [column.name for column in columns], [column.adds or 0.0 for column in columns])
    below.set_title(f"Singletons that each column adds to others, on average{_cut(adding)}", loc="left")
    save(figure, path)


def _cut(bars: Sequence[object]) -> str:
    """Return a note if not all bars are drawn."""
    return f" (the first {_MOST} of {len(bars):,})" if len(bars) > _MOST else ""


def _draw_bars(axes: object, labels: list[str], values: list[float]) -> None:
    """Draw bars from the top down; texts of the data are no formulas."""
    from matplotlib.axes import Axes

    assert isinstance(axes, Axes)
    axes.barh(range(len(values)), values, color="#3b6ea5")
    axes.set_yticks(range(len(values)), [label.replace("$", r"\$") for label in labels])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)


# The picture of `risk`: how many records, and how many people, hide among how many others.

_AT_RISK, _PARTLY, _FINE = "#b5483a", "#d99a3c", "#3b6ea5"


def plot_risk(report: RiskReport, path: Path) -> None:
    """Draw a report into a file: the records by the size of their class, the people by what is consistent with them.

    Bars below the threshold of risk, or below k, are red; a bar that is so in part is orange.

    Parameters
    ----------
    path : Path
        Of a picture; its end says in which format.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    from matplotlib.figure import Figure

    risk = report.risk
    consistent = risk.consistency
    figure = Figure(figsize=(10, 3.6 if consistent is None else 7), layout="constrained")
    panels = figure.subplots(1 if consistent is None else 2, 1, squeeze=False)[:, 0]
    _draw(panels[0], ((bar.size, bar.records) for bar in risk.histogram), least=1 / risk.threshold)
    panels[0].set_title("Records by the size of their class", loc="left")
    if consistent is not None:
        _draw(panels[1], consistent.counts, least=consistent.k)
        panels[1].set_title("People by the released records that could be theirs", loc="left")
    save(figure, path)


def _draw(axes: Axes, counts: Iterable[tuple[int, int]], least: float) -> None:
    """Draw a histogram; what is below the least number is at risk."""
    bars = count_in_bins(counts)
    enough = least * (1 - 1e-9)
    colours = [_FINE if bar.first >= enough else _PARTLY if bar.last >= enough else _AT_RISK for bar in bars]
    axes.bar([bar.name for bar in bars], [bar.amount for bar in bars], color=colours)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
