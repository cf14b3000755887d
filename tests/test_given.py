"""Texts of a user with their place, and what is found wrong with them."""

from toolbox.errors import BadValueError, Findings, RawSetting


def number(text):
    if text.isdigit():
        return int(text)
    raise BadValueError("is no number", "Write digits.")


def test_a_text_is_shown_as_its_user_wrote_it():
    assert str(RawSetting("k", "five", 3)) == "k='five'"
    assert str(RawSetting("-k", "five")) == "-k 'five'"
    assert str(RawSetting("--seed", "a\nb")) == r"--seed 'a\nb'"


def test_a_text_is_read_and_an_absent_one_has_the_default():
    findings = Findings()
    assert findings.read(RawSetting("k", "7"), number, 10) == 7
    assert findings.read(None, number, 10) == 10
    assert findings.faults == []


def test_a_wrong_text_has_the_default_and_a_fault_with_its_line():
    findings = Findings()
    assert findings.read(RawSetting("k", "five", 3), number, 10) == 10
    assert findings.read(RawSetting("-l", "six"), number, None) is None
    assert [str(fault) for fault in findings.faults] == [
        "line 3: k='five' is no number. Write digits.",
        "-l 'six' is no number. Write digits.",
    ]


def test_an_option_comes_before_the_attribute_and_the_attribute_before_the_default():
    findings = Findings()
    assert findings.choose(RawSetting("-k", "2"), RawSetting("k", "7", 1), number, 10) == 2
    assert findings.choose(None, RawSetting("k", "7", 1), number, 10) == 7
    assert findings.choose(None, None, number, 10) == 10
    assert findings.faults == []


def test_a_wrong_attribute_is_reported_also_where_an_option_replaces_it():
    findings = Findings()
    assert findings.choose(RawSetting("-k", "2"), RawSetting("k", "five", 1), number, 10) == 2
    assert [fault.line for fault in findings.faults] == [1]


def test_warnings_come_in_the_order_of_lines_and_of_many_of_a_kind_the_first_50():
    findings = Findings()
    for line in range(60, 1, -1):
        findings.warn(line, f"The value '{line}' is rare.")
    findings.warn(0, "The machine is slow.")
    first, second, *others = findings.warnings()
    assert first == "The machine is slow."
    assert second == "line 2: The value '2' is rare."
    assert others[-2:] == ["line 51: The value '51' is rare.", "and 9 more of this kind"]
    assert len(others) == 50
