"""Short names of metrics."""

from toolbox.loss.metric import abbreviate_name, make_standard_metrics, normalise_name


def test_a_name_is_the_same_however_its_words_are_set_apart() -> None:
    assert {normalise_name(name) for name in ("Non-Uniform Entropy", " non_uniform  entropy")} == {
        "non uniform entropy"
    }


def test_the_first_letters_tell_the_usual_metrics_apart() -> None:
    short = [abbreviate_name(metric.name) for metric in make_standard_metrics()]
    for name in ("NCP", "NUE", "LM", "precision", "granularity", "C_avg"):
        assert short.count(name) == 1
