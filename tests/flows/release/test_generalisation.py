"""What `toolbox.generalise` returns can be shown, kept and used later, where nothing of the run is left."""

from __future__ import annotations

import copy
import pickle

import pandas as pd
import pytest

import toolbox

RECOUNT = pd.DataFrame({"age": ["61", "[25:27]"], "n": [2, 2]})


@pytest.fixture(scope="module")
def made() -> toolbox.Generalisation:
    return toolbox.generalise(pd.DataFrame({"age": [25, 27, 61], "n": [1, 1, 2]}), quasi_identifiers=["age"], k=2)


def test_it_is_shown_as_a_release_is(made: toolbox.Generalisation) -> None:
    assert repr(made) == "<Generalisation: Mondrian, 4 records in 2 classes, smallest 2; k-anonymity 2 (required 2)>"
    assert str(made) == str(made.summary)
    assert "4 read, 0 skipped, 0 suppressed, 4 released" in str(made)
    assert "<table" in made._repr_html_() or "<pre" in made._repr_html_()


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("again", [lambda made: pickle.loads(pickle.dumps(made)), copy.copy, copy.deepcopy])
def test_a_recount_is_judged_by_a_copy_too(made: toolbox.Generalisation, again) -> None:
    """The program that writes may be another one, days later."""
    assert again(made).verify(RECOUNT) == made.verify(RECOUNT)
    with pytest.raises(toolbox.ProofError):
        again(made).verify(RECOUNT.assign(n=[1, 3]))


def test_it_is_judged_as_often_as_one_likes(made: toolbox.Generalisation) -> None:
    assert made.verify(RECOUNT) == made.verify(RECOUNT) == made.summary.proof


def test_its_summary_says_that_no_file_was_written(made: toolbox.Generalisation) -> None:
    document = made.summary.document()
    assert (document["release"], document["sha256"]["release"]) == ([], {})
    assert (document["records_read"], document["records_released"]) == (4, 4)
    assert "seed" not in document["settings"]
