"""Messages stay short, whatever they have to tell."""

from toolbox.errors import ConfigurationError, Fault, did_you_mean, first_of_each_kind


def test_fifty_faults_of_each_kind_are_shown_and_the_others_counted() -> None:
    faults = [Fault(line, f"Line {line} lacks {'x' * (line % 7)!r}.", "Add it.") for line in range(1, 20_004)]
    faults += [Fault(20_005, "k is 0.", "Write 1.")]
    lines = str(ConfigurationError("c.xml", faults)).split("\n")
    assert lines[0] == "c.xml: 20,004 faults"
    assert lines[1:51] == [f"  {fault}" for fault in faults[:50]]
    assert lines[51:] == ["  and 19,953 more of this kind", "  line 20005: k is 0. Write 1."]


def test_all_faults_are_kept_for_who_wants_them() -> None:
    faults = [Fault(line, "Empty.", "Fill it.") for line in range(60, 0, -1)]
    assert [fault.line for fault in ConfigurationError("c.xml", faults).faults] == list(range(1, 61))


def test_kinds_differ_in_words_not_in_names_and_numbers() -> None:
    items = [f"'name {number}' is {number}" for number in range(51)] + ["it's 1 o'clock"] * 2
    kept = first_of_each_kind(items, str)
    assert [item for item, _ in kept] == items[:50] + items[51:]
    assert [more for _, more in kept if more] == ["and 1 more of this kind"]


def test_a_very_long_name_is_not_compared() -> None:
    assert did_you_mean("agee", ["age", "x" * 100_000]) == " Did you mean 'age'?"
    assert did_you_mean("a" * 100_000, ["a" * 99_999, "age"]) == ""
