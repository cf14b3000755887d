"""Many values become few rows, and no record is lost on the way."""

import pytest

from toolbox.charts.rows import find_bin_edges, group_into_bins, group_small_rows, name_bins, name_row


def test_the_long_tail_is_one_row_that_says_how_many_it_holds() -> None:
    rows = [(f"town {number}", number, 1) for number in range(20)]
    found = group_small_rows(rows, most=3)
    assert found == [("town 19", 19, 1), ("town 18", 18, 1), ("others (18)", 153, 18)]


def test_few_rows_are_only_ordered() -> None:
    assert group_small_rows([("a", 1), ("b", 2)]) == [("b", 2), ("a", 1)]


def test_sixty_numbers_stand_alone_and_more_go_into_bins() -> None:
    assert len(group_into_bins([(str(number), 1) for number in range(60)])) == 60
    assert group_into_bins([(number, 1) for number in range(17, 91)], bins=8) == [
        ("10 to 19", 3), ("20 to 29", 10), ("30 to 39", 10), ("40 to 49", 10), ("50 to 59", 10),
        ("60 to 69", 10), ("70 to 79", 10), ("80 to 89", 10), ("90 to 99", 1),
    ]  # fmt: skip


def test_a_bin_without_records_is_shown_and_what_is_no_number_stays() -> None:
    rows = [*((number, 1, 2) for number in range(61)), (200, 1, 0), (None, 5, 5), ("nan", 1, 1)]
    found = group_into_bins(rows, bins=4)
    assert found == [("0 to 49", 50, 100), ("50 to 99", 11, 22), ("100 to 149", 0, 0), ("150 to 199", 0, 0), ("200 to 249", 1, 0), (None, 5, 5), ("nan", 1, 1)]  # fmt: skip


def test_decimals_have_bins_that_say_where_they_end() -> None:
    found = group_into_bins([(number / 10, 1) for number in range(100)], bins=2)
    assert found == [("0 to below 5", 50), ("5 to below 10", 50)]


def test_a_single_number_and_negative_ones_have_bins() -> None:
    assert find_bin_edges(5, 5, whole=True) == [5, 6]
    assert name_bins(find_bin_edges(-7, 7, whole=True, bins=3), whole=True) == [
        "-10 to -6",
        "-5 to -1",
        "0 to 4",
        "5 to 9",
    ]


def test_large_numbers_that_differ_by_little_have_bins_of_their_own() -> None:
    epochs = [(1_700_000_000_000 + number, 1) for number in range(1, 81)]
    assert group_into_bins(epochs, bins=4) == [
        ("1700000000000 to 1700000000019", 19),
        ("1700000000020 to 1700000000039", 20),
        ("1700000000040 to 1700000000059", 20),
        ("1700000000060 to 1700000000079", 20),
        ("1700000000080 to 1700000000099", 1),
    ]
    seconds = find_bin_edges(1_700_000_000.001, 1_700_000_000.008, whole=False, bins=2)
    assert seconds == [1_700_000_000.0, 1_700_000_000.005, 1_700_000_000.01]
    assert name_bins(seconds, whole=False)[0] == "1,700,000,000 to below 1,700,000,000.005"


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([-1e308, 1e308], [("-1e+308 to below 0", 1), ("0 to below 1e+308", 0), ("1e+308 to below inf", 1)]),
        ([0, 5e-324], [("0 to below 1e-307", 2)]),
        # Between these two there is no other float.
        ([1e16, 1e16 + 2], [("1e+16 to below 1.0000000000000002e+16", 1), ("1.0000000000000002e+16 to below 1.0000000000000004e+16", 1)]),
        ([1e16], [("1e+16 to below 1.0000000000000002e+16", 1)]),
    ],
)  # fmt: skip
def test_the_largest_and_the_smallest_numbers_have_bins(numbers: list[float], expected: list[tuple[str, int]]) -> None:
    assert group_into_bins([(number, 1) for number in numbers], most=0, bins=2) == expected


def test_a_missing_name_is_said() -> None:
    assert [name_row(None), name_row(3.0), name_row("")] == ["missing", "3", ""]
