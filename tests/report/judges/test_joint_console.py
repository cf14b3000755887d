"""The tables of a release and an earlier one."""

from __future__ import annotations

from helpers.printing import printed, words

from toolbox.report.judges.attackers import print_joint
from toolbox.risks.joint import JointClasses, JointConsistency, JointRisk, JointValues

LEFT = JointValues(attribute="illness", people=9, certain=1, none=0, fewest=1, below_k=None, changed=4)


def test_crossing_classes_and_values_follow_each_other() -> None:
    joint = JointRisk(
        link="person",
        k=5,
        classes=JointClasses(records=1234, below_k=2, alone=1, smallest=1, counts=()),
        consistency=JointConsistency(people=1234, below_k=1, alone=0, unmatched=0, lowest=3, counts=()),
        values=(LEFT,),
    )
    assert words(printed(print_joint, joint)) == words(
        [
            "beside the earlier release, with rows linked by person",
            "who hides in both releases at once",
            "counted all below k = 5 alone fewest",
            "rows that agree in both 1,234 2 1 1",
            "rows that fit a person in both 1,234 1 0 3",
            "sensitive values that both releases leave",
            "attribute people one is left none is left fewest class with other values of all",
            "illness 9 1 0 1 4 44.4%",
        ]
    )


def test_without_a_link_there_are_values_only() -> None:
    joint = JointRisk(link="none", k=5, classes=None, consistency=None, values=(LEFT,))
    shown = words(printed(print_joint, joint))
    assert shown[:10] == words(["beside the earlier release, with rows linked by nothing sensitive"])
