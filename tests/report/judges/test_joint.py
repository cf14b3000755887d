"""What is said of a release and an earlier one."""

from __future__ import annotations

from dataclasses import replace

from helpers.joint_risks import JOINT

from toolbox.report.judges.attackers import build_joint_document, list_joint_notes
from toolbox.risks.joint import JointConsistency


def test_the_document_has_the_names_that_programs_rely_on() -> None:
    assert build_joint_document(JOINT) == {
        "link": "order",
        "k": 5,
        "classes": {
            "records": 9,
            "below_k": 2,
            "alone": 1,
            "smallest": 1,
            "counts": [{"rows": 1, "records": 1}, {"rows": 8, "records": 8}],
        },
        "consistency": {
            "people": 9,
            "below_k": 1,
            "alone": 0,
            "unmatched": 0,
            "lowest": 3,
            "counts": [{"rows": 3, "people": 1}, {"rows": 8, "people": 8}],
        },
        "sensitive": [
            {
                "attribute": "illness",
                "people": 9,
                "certain": 1,
                "none": 0,
                "fewest": 1,
                "below_k": None,
                "changed": 4,
                "changed_share": 4 / 9,
            }
        ],
    }


def test_an_order_that_cannot_be_that_of_the_same_people_is_told_and_nothing_else() -> None:
    begin, end = "The order does not link the rows of one person: ", ". The figures with this link mean nothing."
    people = replace(
        JOINT, consistency=JointConsistency(people=9, below_k=1, alone=0, unmatched=2, lowest=3, counts=())
    )
    (note,) = list_joint_notes(people)
    assert note.startswith(f"{begin}2 people fit no pair of linked rows{end}")
    assert note.endswith("Name the column that links them, --key NAME, or --key none.")
    assert list_joint_notes(people, in_python=True)[0].endswith("links them, key='name', or key='none'.")
    rows = replace(JOINT, values=(replace(JOINT.values[0], none=1),))
    assert list_joint_notes(rows)[0].startswith(f"{begin}1 pair of linked rows can have no illness in common{end}")
    by_key = replace(rows, link="person", consistency=None)
    assert list_joint_notes(by_key) == [
        "1 person has no illness in common: it has changed, or they are not in both releases."
    ]
