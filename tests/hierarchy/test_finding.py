"""What a check finds, as data."""

from toolbox.errors import Fault
from toolbox.hierarchy.checking import Finding, convert_faults, make_fault, make_remark


def test_a_finding_says_its_line_if_it_has_one() -> None:
    assert str(make_fault("label", 3, "Wrong.")) == "line 3: Wrong."
    assert str(make_remark("level", 0, "Odd.")) == "Odd."


def test_the_faults_of_a_reader_become_findings_with_what_to_write() -> None:
    found = convert_faults("table", [Fault(2, "The row is short.", "Fill it."), Fault(0, "Empty.", "")])
    assert found == [
        Finding("table", 2, "The row is short. Fill it.", is_fault=True),
        Finding("table", 0, "Empty.", is_fault=True),
    ]
