"""What a release and an earlier one tell together, made by hand."""

from toolbox.risks.joint import JointClasses, JointConsistency, JointRisk, JointValues

JOINT = JointRisk(
    link="order",
    k=5,
    classes=JointClasses(records=9, below_k=2, alone=1, smallest=1, counts=((1, 1), (8, 8))),
    consistency=JointConsistency(people=9, below_k=1, alone=0, unmatched=0, lowest=3, counts=((3, 1), (8, 8))),
    values=(JointValues(attribute="illness", people=9, certain=1, none=0, fewest=1, below_k=None, changed=4),),
)
