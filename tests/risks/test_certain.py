"""Whose sensitive value is certain, counted with a pencil."""

from helpers.questions import question
from helpers.small_tables import arrow

from toolbox.flows.judge.tables import JudgedTables, open_judging_store
from toolbox.risks.risk import CertainValues, count_certain_values

RELEASE = """
age   illness income
20-29 flu     1
20-29 flu     2
30-39 flu     3
30-39 gout    3
40-49 gout    3
40-49 gout    3
40-49 gout    3
*     flu     5
*     flu     5
"""


def test_records_of_classes_with_one_value_are_counted_by_attribute_and_suppressed_ones_are_not() -> None:
    asked = question("age", sensitive=["illness", "income"])
    table = arrow(RELEASE)
    with open_judging_store(asked, table) as store:
        found = count_certain_values(JudgedTables(asked, store, table).release)
    assert found == (CertainValues("illness", 5), CertainValues("income", 5))


def test_of_persons_with_several_records_each_counts_once_where_the_class_has_one_value() -> None:
    """A and B have flu alone; everybody has been in Ulm and in Wels, of which neither is the only value."""
    table = arrow("""
who age   illness town
A   20-29 flu     Ulm
A   20-29 flu     Wels
B   20-29 flu     Ulm
B   20-29 flu     Wels
C   30-39 cold    Ulm
C   30-39 gout    Wels
D   30-39 mumps   Ulm
D   30-39 rash    Wels
""")
    asked = question("age", sensitive=["illness", "town"], person=("who",))
    with open_judging_store(asked, table) as store:
        release = JudgedTables(asked, store, table).by_person
        assert release is not None
        assert count_certain_values(release) == (CertainValues("illness", 2), CertainValues("town", 0))


def test_a_value_that_is_missing_is_not_certain() -> None:
    asked, table = question("age", sensitive=["illness"]), arrow(RELEASE)
    ills = ["flu", None, None, None, "gout", "gout", "gout", None, None]
    table = table.set_column(1, "illness", [ills])
    with open_judging_store(asked, table) as store:
        assert count_certain_values(JudgedTables(asked, store, table).release) == (CertainValues("illness", 3),)


def test_a_person_with_several_values_of_another_attribute_counts_once() -> None:
    asked = question("age", sensitive=["illness", "place"], person="who")
    table = arrow("who age illness place\nP1 20-29 flu A\nP1 20-29 flu B\nP2 20-29 flu A\nP2 20-29 flu B\n")
    with open_judging_store(asked, table) as store:
        release = JudgedTables(asked, store, table).by_person
        assert release is not None
        assert count_certain_values(release) == (CertainValues("illness", 2), CertainValues("place", 0))
