"""What the application keeps of a preview."""

from __future__ import annotations

from typing import Any

from toolbox.app.project.variants import METRICS


def document(classes: int, **others: Any) -> dict[str, Any]:
    """Return what is kept of a preview."""
    return {
        "method": "Mondrian",
        "records_released": 5000,
        "classes": classes,
        "smallest_class": 5,
        "records_suppressed": 0,
        "records_skipped": 0,
        "requirements": [{"parameters": {"t": 0.2}}, {"parameters": {"k": 5}}],
        "risk": {"highest": 0.2, "average": 0.1, "records_at_risk": 0},
        "models": [{"name": "k-anonymity", "attribute": None, "required": 5, "achieved": 5, "holds": True}],
        "quasi_identifiers": [{"name": "age", "level": None, "generalised_values": 3}],
        "minimal_nodes": [],
        "losses": {
            "metrics": [
                {"name": METRICS[0], "attribute": "age", "value": 1.0},
                {"name": METRICS[0], "attribute": None, "value": 0.086},
            ]
        },
        "class_sizes": {
            "before": [{"size": 2, "classes": 3}, {"size": 7, "classes": 1}],
            "after": [{"size": 7, "classes": 2}],
        },
        **others,
    }


FACTS: dict[str, Any] = {
    "words": "Mondrian, k = 5",
    "fingerprint": "f",
    "snapshot": {"xml": "<a/>", "hierarchies": {}},
    "seconds": 1.5,
}
