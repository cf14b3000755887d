"""Ticks are round, and figures read well."""

from toolbox.charts.canvas import LinearScale, format_number, format_percent, round_step


def test_steps_are_one_two_or_five_times_a_power_of_ten() -> None:
    assert [round_step(rough) for rough in (0.3, 1, 1.1, 4, 9, 20, 21)] == [0.5, 1, 2, 5, 10, 20, 50]


def test_a_step_is_neither_nothing_nor_infinite() -> None:
    assert [round_step(rough) for rough in (0.0, 5e-324, 1.5e308, float("inf"))] == [1e-307, 1e-307, 1e308, 1e308]


def test_the_last_tick_is_not_below_the_highest_number() -> None:
    assert LinearScale.up_to(10_501, 100).ticks == (0, 5000, 10_000, 15_000)
    assert LinearScale.up_to(10_000, 100).ticks[-1] == 10_000
    assert LinearScale.up_to(0.22, 100, whole=False).ticks == (0, 0.05, 0.1, 0.15, 0.2, 0.25)


def test_counts_have_no_halves() -> None:
    assert LinearScale.up_to(2, 100).ticks == (0, 1, 2)
    assert LinearScale.up_to(0, 100).ticks == (0, 1)


def test_a_scale_within_ends_at_the_highest_number() -> None:
    scale = LinearScale.within(10_501, 105.01)
    assert (scale.ticks, scale.length(10_000)) == ((0, 5000, 10_000), 100)


def test_numbers_are_written_for_people() -> None:
    assert [format_number(number) for number in (5e-324, -1e308, 0, 30_162, 0.5, 1234.56, 0.00123)] == [
        "4.94066e-324",
        "-1e+308",
        "0",
        "30,162",
        "0.5",
        "1,234.6",
        "0.00123",
    ]


def test_a_share_that_is_not_nothing_is_never_written_as_nothing() -> None:
    assert [format_percent(share) for share in (0, 1e-9, 0.0508, 0.9999, 1)] == [
        "0.0%",
        "under 0.1%",
        "5.1%",
        "over 99.9%",
        "100.0%",
    ]
