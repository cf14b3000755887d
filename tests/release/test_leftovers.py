"""What an earlier release of more files has left."""

from pathlib import Path

from toolbox.release.placing import list_leftovers


def test_pieces_that_are_not_replaced_are_left_over(tmp_path: Path) -> None:
    paths = [tmp_path / f"out_{table}-{number:05}.csv" for table in ("QIT", "ST") for number in (1, 2, 3)]
    for path in paths:
        path.touch()
    (tmp_path / "out-00009.csv").touch()
    tables = [tmp_path / "out_QIT.csv", tmp_path / "out_ST.csv"]
    assert list_leftovers(tables, paths[:2]) == [paths[2], *paths[3:]]


def test_what_comes_after_a_gap_is_a_file_of_somebody_else(tmp_path: Path) -> None:
    paths = [tmp_path / f"export-{number:05}.csv" for number in (1, 2, 3, 5, 90210)]
    for path in paths[1:]:
        path.touch()
    assert list_leftovers([tmp_path / "export.csv"], paths[:1]) == paths[1:3]
    assert list_leftovers([tmp_path / "export.csv"], [*paths[:3], tmp_path / "export-00004.csv"]) == [paths[3]]
