"""What first records look like: records of another width are not looked at, marks are no values."""

from toolbox.suggestions.texts import count_texts, guess_kinds


def test_kinds_are_those_of_the_values_that_are_there() -> None:
    records = [["1,5", "NA", "2020-01-01 10:00", "x"], ["2,5", "7", "2020-01-02 11:00", "y"], ["too", "short"]]
    assert guess_kinds(records, 4) == ("number", "number", "timestamp", "category")
    assert guess_kinds([], 2) == (None, None)


def test_texts_are_counted_and_blanks_are_missing() -> None:
    assert [(dict(texts.counts), texts.missing) for texts in count_texts([["a", ""], ["a", "b"]], 2)] == [
        ({"a": 2}, 0),
        ({"b": 1}, 1),
    ]
