"""People of whom one can be recognised by each of her cells, and a configuration that hides her."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

NAME, NUMBER, ILLNESS = "Sentinella", 7391846, "sentinelitis"
"""An identifier, a value of the quasi-identifier, a sensitive value."""
PEOPLE = pa.table(
    {
        "name": [f"person {place}" for place in range(39)] + [NAME],
        "number": pa.array([*range(1000, 1020), *range(6_000_000, 6_000_019), NUMBER], pa.int64()),
        "town": pa.array(["Graz", "Linz"] * 20, pa.string()),
        "illness": pa.array(["flu", "cold", "gout", "flu"] * 9 + ["cold", "flu", "gout", ILLNESS], pa.string()),
    }
)
QID = (
    "<id><att name='name'/></id><qid><att name='number'><vgh value='[0:10000000]'><node value='[0:5000000)'/>"
    "<node value='[5000000:10000000]'/></vgh></att><att name='town'><map><entry cat='Graz' int='0'/>"
    "<entry cat='Linz' int='1'/></map><vgh value='[0:1]'/></att></qid>"
    "<sens><att name='illness' type='category'/></sens>"
)
LEVELS = {"[0:5000000)", "[5000000:10000000]"}
"""What numbers are released as."""


def configuration(folder: Path, source: str, release: str, *, k: int = 5, rest: str = "") -> Path:
    """Write a configuration of these people; return its path."""
    path = folder / "config.xml"
    path.write_text(
        f"<config method='Incognito' k='{k}' suppThreshold='0'>{source}{release}{rest}{QID}</config>", encoding="utf-8"
    )
    return path


def require_hidden(*texts: str, released: bool = False) -> None:
    """Look for the cells of the one; a release may show the sensitive one."""
    for text in texts:
        assert NAME not in text
        assert str(NUMBER) not in text
        assert released or ILLNESS not in text
