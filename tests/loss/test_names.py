"""Short names of metrics."""

from toolbox.loss.metric import plain_name, short_name, standard_metrics


def test_a_name_is_the_same_however_its_words_are_set_apart() -> None:
    assert {plain_name(name) for name in ("Non-Uniform Entropy", " non_uniform  entropy")} == {"non uniform entropy"}


def test_the_first_letters_tell_the_usual_metrics_apart() -> None:
    short = [short_name(metric.name) for metric in standard_metrics()]
    for name in ("NCP", "NUE", "LM", "precision", "granularity", "C_avg"):
        assert short.count(name) == 1
