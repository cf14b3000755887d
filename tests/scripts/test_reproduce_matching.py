"""What releases without classes hide on Adult: the figures of docs/k_concealment.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from adult_experiments import Adult
from reproduce_matching import Row, line, rows

DOCUMENTED = Path(__file__).parents[2] / "docs" / "k_concealment.md"


def test_a_line_has_all_figures() -> None:
    row = Row("(k,k)", fewest=5, below_k=19949, with_one=8006, believed=8007, right=0.4678)
    assert line(row).split() == ["(k,k)", "5", "19,949", "8,006", "8,007", "0.468"]


@pytest.mark.slow
@pytest.mark.real
def test_the_page_has_what_the_script_measures(shared: Path) -> None:
    page = DOCUMENTED.read_text(encoding="utf-8")
    for row in rows(Adult(shared)):
        figures = (f"{row.fewest:,}", f"{row.below_k:,}", f"{row.with_one:,}", f"{row.believed:,}", f"{row.right:.3f}")
        assert " | ".join(figures) in page, row.name
