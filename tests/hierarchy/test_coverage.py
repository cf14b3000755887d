"""Which values of a table a hierarchy covers."""

from toolbox.hierarchy.checking import Coverage, compare_coverage, number_of

PLAIN = (".", "")


def test_categories_are_compared_as_texts() -> None:
    found = compare_coverage(["Graz", "Wien", "Linz"], "category", {"Graz": 3, "wien ": 2, "Bonn": 1}, figures=PLAIN)
    assert found == Coverage({"Graz": 3}, {"wien ": 2, "Bonn": 1}, unused=2, nearly=1)


def test_numbers_are_the_same_however_they_are_written() -> None:
    found = compare_coverage(["1000.5", "2"], "number", {"1.000,5": 3, "2,0": 1, "2": 4, "x": 1}, figures=(",", "."))
    assert found == Coverage({"1000.5": 3, "2": 5}, {"x": 1}, unused=0, nearly=0)


def test_what_the_data_say_is_told_in_numbers_and_in_values_only_if_that_is_asked_for() -> None:
    found = compare_coverage(["a", "b"], "category", {"A": 2, "c": 1}, figures=PLAIN)
    lacking = (
        "The hierarchy lacks 2 values of 3 records. It has 1 of them in another case or without blanks at the ends."
    )
    told = [(finding.kind, finding.text, finding.is_fault) for finding in found.findings()]
    assert told == [
        ("uncovered", lacking, True),
        ("unused", "2 values of the hierarchy do not occur in the data.", False),
    ]
    assert found.findings(shows_values=True)[0].text == f"{lacking} They are 'A', 'c'."


def test_values_that_go_to_the_root_are_no_fault() -> None:
    found = compare_coverage(["a"], "category", {"a": 1, "c": 1}, figures=PLAIN)
    (finding,) = found.findings(go_to_root=True)
    assert (finding.text, finding.is_fault) == (
        "The hierarchy lacks 1 value of 1 record. They go to its root, as other='root' says.",
        False,
    )


def test_of_many_values_the_first_are_shown_and_the_others_counted() -> None:
    found = compare_coverage(["a"], "category", {f"v{n:02}": 1 for n in range(23)}, figures=PLAIN)
    assert found.findings(shows_values=True)[0].text.endswith("'v18', 'v19' and 3 more.")


def test_a_hierarchy_that_fits_leaves_nothing_to_say() -> None:
    assert compare_coverage(["a", "b"], "category", {"a": 1, "b": 2}, figures=PLAIN).findings() == []


def test_no_number_is_read_from_what_is_none() -> None:
    assert [number_of(text) for text in ("1e3", " 7 ", "1_000", "inf", "nan", "", "12a")] == [1000.0, 7.0, *[None] * 5]
