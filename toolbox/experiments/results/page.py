"""The page of a study and its files: loss against k, risk against loss, scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox.charts import Line, Spot, draw_lines, format_number, render_figure, render_table
from toolbox.charts.markup import Markup, element, shorten_text
from toolbox.charts.rows import (
    format_figure,
    render_facts,
    render_paragraph,
    render_scrolling_table,
    render_section,
    render_standalone_page,
)
from toolbox.config.file_names import keep_for_owner
from toolbox.errors import OutputError
from toolbox.experiments.cells.measuring import RISKS
from toolbox.experiments.cells.rows import ORIGINAL
from toolbox.experiments.results.results import each_of, is_known, join_losses_and_drops
from toolbox.report.html.page import build_page_style
from toolbox.store.disk.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

    from toolbox.experiments.cells.rows import ResultRow
    from toolbox.experiments.results.results import Results


# The page of a study: loss against k, risk against loss with what no other run beats, scores, and their drops.

_KIND = "Study: for those who may know what the original records hold."
_RISK = RISKS[1]


def render_page(report: Results) -> str:
    """Return the page of a study: the same for the same results."""
    summary = _add_runs(report.summary)
    known = report.correlations
    sections = [
        _render_data_section(number, str(name), cells, known[known["data"] == name])
        for number, (name, cells) in enumerate(summary.groupby("data", sort=False), start=1)
    ]
    head = element(
        "header",
        element("p", _KIND, class_="kind"),
        element("h1", "Study: ", element("bdi", shorten_text(report.name, 80))),
        render_paragraph(report.headline()),
        render_facts((name, version) for name, version in report.versions.items()),
        *map(render_paragraph, report.notes),
    )
    title = f"Study: {shorten_text(report.name, 80)}"
    body = element("main", head, *sections, _render_correlations(known), _render_faults(report))
    return render_standalone_page(title, body, build_page_style(_KIND))


def _add_runs(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a summary whose repetitions are told from each other: by ``run``, and in what is required."""
    is_repeated = (summary["repetition"].max() > 1) & (summary["method"] != ORIGINAL)
    runs = ("run " + summary["repetition"].astype(str)).where(is_repeated, "")
    return summary.assign(run=runs, required=summary["required"].where(~is_repeated, summary["required"] + ", " + runs))


def _render_data_section(number: int, name: str, cells: pd.DataFrame, correlations: pd.DataFrame) -> Markup:
    """Return the section of one data set; its number tells its charts from those of others."""
    released = cells[cells["method"] != ORIGINAL]
    losses = released[released["kind"] == "loss"]
    charts = [*_draw_losses_by_k(number, losses), *_draw_risks_by_loss(number, released), *_draw_scores(number, cells)]
    charts += _draw_drops(number, join_losses_and_drops(cells), correlations)
    return render_section(f"data-{number}", shorten_text(name, 80), *charts)


def _draw_losses_by_k(number: int, losses: pd.DataFrame) -> Iterator[Markup]:
    """Draw each loss metric against k, where there are several k."""
    if losses["k"].nunique() < 2:
        return
    for place, (metric, group) in enumerate(losses.groupby("metric", sort=False)):
        drawn = [
            Line(str(method), sorted(Spot(float(each.k), float(each.value), each.run) for each in each_of(own)))
            for method, own in group.dropna(subset=["k"]).groupby("method", sort=False)
        ]
        words = f"{metric} against k; {group['direction'].iloc[0]} is better"
        yield _render_chart(f"k-{number}-{place}", words, drawn, "k", str(group["unit"].iloc[0]))


def _draw_risks_by_loss(number: int, released: pd.DataFrame) -> Iterator[Markup]:
    """Draw the risk of each run against each of its losses, and the runs that no other one beats."""
    keys = ["method", "required", "repetition"]
    risks = released[released["metric"] == _RISK].set_index(keys)["value"]
    for place, (metric, group) in enumerate(released[released["kind"] == "loss"].groupby("metric", sort=False)):
        direction = str(group["direction"].iloc[0])
        points: dict[str, list[Spot]] = {}
        for each in each_of(group):
            risk = risks.get((each.method, each.required, each.repetition))
            if risk is not None:
                points.setdefault(each.method, []).append(Spot(float(each.value), float(risk), each.required))
        spots = [spot for own in points.values() for spot in own]
        sign = 1 if direction == "lower" else -1
        best = [spots[at] for at in _find_front([(sign * spot.x, spot.y) for spot in spots])]
        drawn = [Line(method, sorted(own)) for method, own in points.items()]
        words = f"Risk against {metric}; {direction} is better. The grey line joins the runs that no other one beats"
        yield _render_chart(
            f"risk-{number}-{place}", words, drawn, str(metric), _RISK, [(spot.x, spot.y) for spot in best]
        )


def _draw_scores(number: int, cells: pd.DataFrame) -> Iterator[Markup]:
    """Draw each score against k, the original records at k = 1, and list all with their confidence intervals."""
    utility = cells[cells["kind"] == "utility"]
    for place, (names, group) in enumerate(utility.groupby(["learner", "metric"], sort=False)):
        learner, metric = map(str, names)
        before = group[group["method"] == ORIGINAL]
        drawn = []
        for method, own in group[group["method"] != ORIGINAL].dropna(subset=["k"]).groupby("method", sort=False):
            begin = [Spot(1.0, float(each.value), "original") for each in each_of(before)]
            spots = sorted(Spot(float(each.k), float(each.value), each.run) for each in each_of(own))
            drawn.append(Line(str(method), [*begin, *spots]))
        rows = [_score_row(each) for each in each_of(group)]
        heads = ["run", metric, "from", "to", "drop", "from", "to"]
        words = f"{metric} of {learner} against k, with the original records at k = 1"
        chart = draw_lines(drawn, key=f"score-{number}-{place}", title=words, x_name="k", y_name=metric)
        listed = render_table(heads, rows, figures=range(1, 7))
        yield Markup(render_figure(chart, listed, caption=f"{words}. The table has 95 % confidence intervals"))


def _draw_drops(number: int, both: pd.DataFrame, correlations: pd.DataFrame) -> Iterator[Markup]:
    """Draw what each score has dropped by against each loss: a point for each run, a mark for each learner."""
    # A metric of somebody else may be called as one of ours, and be better the other way round.
    ranks = correlations.set_index(["metric", "direction", "score", "learner"])["spearman"]
    for place, (names, group) in enumerate(both.groupby(["metric", "direction", "score"], sort=False)):
        metric, direction, score = map(str, names)
        drawn, known = [], []
        for learner, own in group.groupby("learner", sort=False):
            rank = ranks[metric, direction, score, learner]
            known += [rank] if is_known(rank) else []
            spots = [Spot(float(e.loss), float(e.drop), f"{e.method} {e.required}") for e in each_of(own)]
            drawn.append(Line(f"{learner} ({_format_signed(rank)})", spots, is_joined=False))
        words = f"What {score} drops by against {metric} ({direction} is better): {rank_words(known)}"
        yield _render_chart(f"drop-{number}-{place}", words, drawn, metric, f"drop of {score}")


def rank_words(ranks: list[float]) -> str:
    """Say how the ranks of losses and drops go along with each other, for one learner or several.

    Examples
    --------
    >>> rank_words([0.96, 0.99])
    'rank correlations from +0.96 to +0.99'
    """
    if not ranks:
        return "no rank correlation"
    low, high = _format_signed(min(ranks)), _format_signed(max(ranks))
    return f"rank correlation {low}" if low == high else f"rank correlations from {low} to {high}"


def _format_signed(figure: float) -> str:
    return f"{figure:+.2f}" if is_known(figure) else "-"


def _score_row(each: Any) -> tuple[str, ...]:
    name = " ".join(part for part in (each.method, each.required) if part)
    figures = (each.value, each.low, each.high, each.drop, each.drop_low, each.drop_high)
    return name, *(f"{figure:.4f}" if is_known(figure) else "" for figure in figures)


def _render_chart(
    key: str, words: str, drawn: list[Line], x_name: str, y_name: str, best: Iterable[tuple[float, float]] = ()
) -> Markup:
    rows = [
        (" ".join(part for part in (each.name, spot.name) if part), format_figure(spot.x), format_figure(spot.y))
        for each in drawn
        for spot in each.spots
    ]
    chart = draw_lines(drawn, key=key, title=words, x_name=x_name, y_name=y_name, front=[*best])
    return Markup(render_figure(chart, render_table(["run", x_name, y_name], rows, figures=(1, 2)), caption=words))


def _render_correlations(correlations: pd.DataFrame) -> Markup:
    if not len(correlations):
        return Markup()
    rows = [
        (
            f"{each.data}: {each.metric}",
            each.direction,
            f"{each.score}, {each.learner}",
            format_number(each.cells),
            *map(_format_signed, (each.pearson, each.spearman)),
        )
        for each in each_of(correlations)
    ]
    heads = ["loss metric", "better", "score", "cells", "Pearson", "Spearman"]
    words = (
        "How each loss metric goes along with the drop of each score, over the runs of a data set. A metric of which "
        "lower is better tells the drop if the figure is near 1, one of which higher is better if it is near -1."
    )
    listed = render_scrolling_table(render_table(heads, rows, figures=(3, 4, 5)), "Correlations of losses with drops")
    return render_section("correlations", "Do the metrics tell what learners lose?", render_paragraph(words), listed)


def _render_faults(report: Results) -> Markup:
    if not report.failed:
        return Markup()
    is_repeated = any(row["repetition"] > 1 for row in report.rows)
    rows = [
        (
            ", ".join(
                part for part in (*_make_cell_key(row), f"run {row['repetition']}" if is_repeated else "") if part
            ),
            row["learner"] or row["metric"] or "the run",
            row["reason"],
        )
        for row in report.failed
    ]
    listed = render_scrolling_table(render_table(["cell", "what", "why"], rows), "What could not be done")
    return render_section("faults", "What could not be done", listed)


def _make_cell_key(row: ResultRow) -> tuple[str, str, str]:
    return row["data"], row["method"], row["required"]


# The files of a study: the long table as CSV and Parquet, the summaries, and the page with the charts.

PAGE = "experiment.html"


def write_results(report: Results, folder: Path) -> None:
    """Write all files of a study; each is whole at any moment.

    Raises
    ------
    OutputError
        If one cannot be written; an older one is then untouched.
    """
    long = report.to_frame()
    writers: dict[str, Callable[[Path], object]] = {
        "results.csv": lambda path: _write_csv(long, path),
        "results.parquet": lambda path: long.to_parquet(path, index=False),
        "summary.csv": lambda path: _write_csv(report.summary, path),
        "correlations.csv": lambda path: _write_csv(report.correlations, path),
        PAGE: lambda path: path.write_text(render_page(report), encoding="utf-8"),
    }
    try:
        # In a folder of its own: nobody sees half a file.
        with Workspace(folder) as workspace:
            for name, write in writers.items():
                written = workspace.folder / name
                write(written)
                keep_for_owner(written, "results of a study")
                written.replace(folder / name)
    except OSError as error:
        raise OutputError(f"{folder}: the results cannot be written ({error.strerror or error}).") from error


def _write_csv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, lineterminator="\n")


def _find_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return which points no other one beats in both coordinates, where less is better; by the first coordinate.

    Examples
    --------
    >>> _find_front([(0.1, 0.5), (0.2, 0.4), (0.3, 0.4), (0.1, 0.6)])
    [0, 1]
    """
    best: list[int] = []
    for place in sorted(range(len(points)), key=lambda place: points[place]):
        if not best or points[place][1] < points[best[-1]][1]:
            best.append(place)
    return best
