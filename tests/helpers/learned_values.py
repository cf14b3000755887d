"""What classes tell of one sensitive attribute, made by hand."""

from toolbox.risks.sensitive import SensitiveRisk, Similarity, Skewness

ILLNESS = SensitiveRisk(
    attribute="illness",
    people=8,
    believed_above=((0.5, 2), (0.9, 2)),
    certain=2,
    largest=1.0,
    expected_hits=5.0,
    share_without_release=0.5,
    skewness=Skewness(largest_ratio=2.5, grown_by_factor=((2.0, 6), (10.0, 0)), grown_by=((0.2, 8), (0.5, 0))),
    similarity=Similarity(levels=((0, 2), (1, 4)), narrow=()),
)
