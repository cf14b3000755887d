"""A snapshot is texts: it can be compared, kept as JSON, and sent to another process."""

import json
import pickle
from dataclasses import asdict

from toolbox import Project, Snapshot


def test_a_snapshot_survives_json_and_pickle(declared: Project) -> None:
    declared.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    snapshot = declared.snapshot()
    assert snapshot.hierarchies == {"hierarchies/town.csv": "Graz;*\nLinz;*\n"}
    assert Snapshot(**json.loads(json.dumps(asdict(snapshot)))) == snapshot
    assert pickle.loads(pickle.dumps(snapshot)) == snapshot
