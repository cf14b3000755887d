"""What every engine says where there is too much to be fetched."""

from toolbox.engines.engine import make_combinations_error
from toolbox.errors import UnsatisfiableError


def test_too_many_combinations_are_refused_with_the_columns_that_make_them_so() -> None:
    values = {"sex": 2, "zip": 90_000, "age": 100, "birth": 30_000}
    error = make_combinations_error("public.people", 7_000_000, 5_000_000, values)
    assert isinstance(error, UnsatisfiableError)
    assert error.exit_status == 3
    assert str(error).startswith(
        "public.people: the quasi-identifiers have 7,000,000 combinations, more than the 5,000,000 that are fetched. "
        "Most values have zip (90,000 values), birth (30,000 values), age (100 values). "
    )


def test_what_an_engine_only_estimates_is_told_as_an_estimate() -> None:
    error = make_combinations_error("people", 20, 10, {"zip": 18}, are_estimates=True)
    assert "Most values have zip (about 18 values). " in str(error)
