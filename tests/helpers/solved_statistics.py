"""What the statistics of two columns give back, made by hand."""

from toolbox.risks.figures import SolvedStatistics, StatisticsRisk

AGE = SolvedStatistics(
    column="age",
    kind="moments",
    step=0.5,
    ends_are_values=True,
    without_ends=0,
    classes=4,
    solved=2,
    undecided=1,
    cells=20,
    cells_disclosed=10,
)
TOWN = SolvedStatistics(
    column="[b]town",
    kind="distribution",
    step=None,
    ends_are_values=False,
    without_ends=0,
    classes=4,
    solved=0,
    undecided=0,
    cells=20,
    cells_disclosed=0,
)
FOUND = StatisticsRisk(columns=(AGE, TOWN))
