"""What programs read of the commands: every document is, key by key, the one that was recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.documents import COMMANDS, RECORDED, documents


@pytest.mark.slow
def test_every_document_is_the_recorded_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    found = documents(tmp_path, capsys, monkeypatch)
    assert list(recorded) == list(COMMANDS)
    for name, document in found.items():
        assert document == recorded[name], name
        assert list(document) == list(recorded[name]), f"the order of the keys of {name}"
