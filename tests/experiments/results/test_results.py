"""The results of a study as tables."""

from __future__ import annotations

from dataclasses import replace

from helpers.small_study import small_study

from toolbox.experiments.cells.rows import COLUMNS


def test_the_long_table_has_a_row_for_each_value_with_seed_and_versions() -> None:
    report = small_study()
    frame = report.to_frame()
    metric = COLUMNS.index("metric") + 1
    assert list(frame) == [
        *COLUMNS[:metric],
        "short",
        *COLUMNS[metric:],
        "python",
        "toolbox",
        "duckdb",
        "numpy",
        "sklearn",
    ]
    assert len(frame) == len(report.rows)
    assert frame["seed"].nunique() == 7
    # One original, six cells; two splits of two scores.
    scores = frame[(frame["kind"] == "utility") & (frame["status"] == "done")]
    assert len(scores) == 4 * 2 * 2


def test_a_loss_metric_is_found_by_what_it_is_called_in_short() -> None:
    report = small_study()
    for table in (report.to_frame(), report.summary):
        # The plan asks for NCP.
        assert set(table[table["short"] == "NCP"]["metric"]) == {"normalised certainty penalty"}
        others = table[table["kind"] != "loss"]
        assert (others["short"] == others["metric"]).all()
    assert {row["short"] for row in report.document()["summary"] if row["kind"] == "loss"} == {"NCP", "CM", "kept"}


def test_what_failed_is_told_once_for_each_cell() -> None:
    report = small_study()
    assert [(row["method"], row["required"]) for row in report.failed] == [
        ("Datafly", "k=2"),
        ("Datafly", "k=5"),
        ("Datafly", "k=10"),
    ]
    assert report.is_done


def test_the_headline_counts_and_notes_say_what_was_not_measured() -> None:
    report = small_study()
    assert report.headline() == f"7 cells, {sum(row['status'] == 'done' for row in report.rows)} values, 3 faults"
    assert report.notes == (
        "precision is not measured everywhere: age: no hierarchy says how far the values are generalised",
    )
    assert replace(report, unread=2).notes[1:] == ("2 lines of cells.jsonl left out: no results of a study",)


def test_summaries_have_a_row_for_each_metric_of_a_cell() -> None:
    summary = small_study().summary
    released = summary[summary["method"] == "Mondrian"]
    assert released.groupby("required", sort=False).size().to_dict() == {"k=2": 11, "k=5": 11, "k=10": 11}
    assert set(small_study().correlations["metric"]) == {
        "information kept",
        "normalised certainty penalty",
        "classification metric",
    }
