"""What a check finds, as data."""

from toolbox.errors import Fault
from toolbox.hierarchy.checking import Finding, fault, faults_as, remark


def test_a_finding_says_its_line_if_it_has_one() -> None:
    assert str(fault("label", 3, "Wrong.")) == "line 3: Wrong."
    assert str(remark("level", 0, "Odd.")) == "Odd."


def test_the_faults_of_a_reader_become_findings_with_what_to_write() -> None:
    found = faults_as("table", [Fault(2, "The row is short.", "Fill it."), Fault(0, "Empty.", "")])
    assert found == [
        Finding("table", 2, "The row is short. Fill it.", is_fault=True),
        Finding("table", 0, "Empty.", is_fault=True),
    ]
