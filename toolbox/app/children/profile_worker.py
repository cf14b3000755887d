"""The process that looks at a table before any session is opened: what it is asked, it answers once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final

from toolbox import sniff
from toolbox.app.children.column_profile import profile_columns
from toolbox.app.children.protocol import Call, Done, Failed, hide_foreign_words, pack_message, read_message

_QUESTIONS: Final[Mapping[str, Callable[..., Any]]] = {"sniff": sniff, "look": profile_columns}


def main() -> None:
    """Answer one question on what was standard output; what libraries print goes to standard error."""
    answered = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    call = read_message(sys.stdin.buffer)
    assert isinstance(call, Call)
    try:
        answer: Done | Failed = Done(call.number, _QUESTIONS[call.name](**call.arguments))
    except Exception as error:
        answer = Failed(call.number, hide_foreign_words(error).with_traceback(None))
    answered.write(pack_message(answer))
    answered.flush()


if __name__ == "__main__":
    main()
