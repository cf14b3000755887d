"""Statistics as a release writes them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from toolbox.risks.statistics.solving import Moments, Shares


def test_figures_have_as_many_digits_as_the_longest() -> None:
    read = Moments.parse(pa.array(["27.5:2", "30:4.125", " 3 : 1 "]))
    assert (read.mean.digits, read.variance.digits) == (1, 3)
    assert read.mean.value.tolist() == [27.5, 30, 3]
    assert (read.mean.half, read.variance.half) == (0.05, 0.0005)


def test_figures_that_nobody_rounded_are_exact() -> None:
    read = Moments.parse(pa.array(["2.3333333333333335:1e-05"]))
    assert (read.mean.half, read.variance.half) == (0, 0)


def test_a_decimal_comma_is_read_as_the_input_writes_it() -> None:
    assert Moments.parse(pa.array(["27,5:2,25"]), ",").mean.value.tolist() == [27.5]


def test_what_is_no_figure_is_none() -> None:
    texts = ["2020-01-01 10:30:4", "", "1", "1:2:3", "nan:inf", "=1:2", "x:y", "1.5.5:2", "'1:2"]
    read = Moments.parse(pa.array(texts))
    assert np.isnan(read.mean.value).all() or np.isnan(read.variance.value[~np.isnan(read.mean.value)]).all()


def test_shares_are_counted_where_all_can_be_read() -> None:
    read = Shares.parse(pa.array(["0.25:0.75:0.0", "1.0:0.0:0.0", "x:1", ""]))
    assert read.categories.tolist() == [2, 1, 0, 0]
    assert read.digits == 2
