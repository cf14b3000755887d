"""The process that looks answers one question, and prints nothing else on what was standard output."""

import io
import sys
from pathlib import Path
from subprocess import PIPE

import pytest
from helpers import children

from toolbox.app.children.protocol import Call, Done, pack_message, read_message


@pytest.mark.slow
def test_a_question_is_answered(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    process = children.start([sys.executable, "-m", "toolbox.app.children.worker"], stdin=PIPE, stdout=PIPE)
    answered, _ = process.communicate(pack_message(Call(7, "sniff", {"path": path})))
    answer = read_message(io.BytesIO(answered))
    assert isinstance(answer, Done) and answer.number == 7 and answer.value.records == 1
