"""What a run is called; what a session does with a project is in `test_state.py`."""

from __future__ import annotations

from pathlib import Path

import toolbox
from toolbox.app.project_session import tried_words

CONFIGS = Path(__file__).parents[2] / "configs"


def test_a_run_is_called_by_its_method_and_what_is_required() -> None:
    assert tried_words(toolbox.load_config(CONFIGS / "census_mondrian.xml")) == "Mondrian, k = 5"
    assert tried_words(toolbox.load_config(CONFIGS / "clinic_anatomy.xml")).startswith("Anatomy, l = ")
