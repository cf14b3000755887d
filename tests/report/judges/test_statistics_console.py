"""The table of what statistics of classes give back."""

from helpers.printing import printed, words
from helpers.solved_statistics import FOUND

from toolbox.report.judges.inferences import print_statistics


def test_each_column_has_its_classes_and_cells_and_all_of_them_a_sum() -> None:
    assert words(printed(print_statistics, FOUND)) == words(
        [
            "values that follow from the statistics of their class",
            "column classes solved not decided cells disclosed tried",
            "age 4 2 1 10 50.00% multiples of 0.5, ends are values",
            "[b]town 4 0 0 0 0.00% shares of categories",
            "all 10 25.00%",
        ]
    )
