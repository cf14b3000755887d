"""Which table of a file is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import InputError
from toolbox.messages import name_python_arguments
from toolbox.store.input.formats.database import choose_table

PATH = Path("p.db")


def test_the_only_table_is_taken_and_of_several_one_is_named() -> None:
    assert choose_table(PATH, None, ["people"]) == "people"
    assert choose_table(PATH, "people", ["people", "towns"]) == "people"


@pytest.mark.parametrize(
    ("wanted", "names", "said"),
    [
        (None, [], "p.db is a database without a table."),
        (
            None,
            ["a b", "c"],
            "p.db has several tables: 'a b', 'c'. Say which is meant: table='a b', or --input-table 'a b'.",
        ),
        ("peeple", ["people"], "p.db has no table 'peeple'. Did you mean 'people'? It has: 'people'."),
    ],
)
def test_what_cannot_be_chosen_is_told(wanted: str | None, names: list[str], said: str) -> None:
    with pytest.raises(InputError) as caught:
        choose_table(PATH, wanted, names)
    assert str(caught.value) == said


def test_a_python_call_is_told_its_own_argument() -> None:
    with name_python_arguments(), pytest.raises(InputError, match=r"Say which is meant: table='a'\.$"):
        choose_table(PATH, None, ["a", "b"])
