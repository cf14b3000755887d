"""What a release must satisfy: the original parameters of the root, or the models listed in ``<privacy>``."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.config.model import Config
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.reader import read_config
from toolbox.errors import ConfigurationError
from toolbox.messages import name_command_options
from toolbox.methods.anonymizer import collect_method_facts
from toolbox.privacy.registry import collect_model_facts, make_models

ONE = "<sens><att index='1' name='illness' type='category'/></sens>"
TWO = "<sens><att index='1' name='illness' type='category'/><att index='2' name='salary'/></sens>"
K5 = "<model name='k-anonymity' k='5'/>"
ENTROPY = "<model name='entropy l-diversity' l='3' attribute='illness'/>"


class Desk:
    def __init__(self, folder: Path) -> None:
        self._path = folder / "config.xml"

    def read(self, root: str = "", inside: str = "", **options: str) -> Config:
        """Read a configuration whose quasi-identifier has a hierarchy; the root is in line 1, `inside` from line 2 on."""
        self._path.write_text(
            f"<config {root}><input filename='in.csv'/><output filename='out.csv'/>"
            f"<qid><att index='0'><vgh value='[0:9]'/></att></qid>\n{inside}</config>",
            encoding="utf-8",
        )
        return read_config(
            self._path, overrides=Overrides(**options), methods=collect_method_facts(), models=collect_model_facts()
        )

    def models(self, root: str = "", inside: str = "", **options: str) -> list[str]:
        return list(map(str, make_models(self.read(root, inside, **options).requirements)))

    def faults(self, root: str = "", inside: str = "", **options: str) -> list[str]:
        with pytest.raises(ConfigurationError) as caught:
            self.read(root, inside, **options)
        return [str(fault) for fault in caught.value.faults]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def privacy(*models: str) -> str:
    return f"<privacy>{''.join(models)}</privacy>"


# The original parameters: the method decides which of them count.


@pytest.mark.parametrize(
    ("method", "model"),
    [
        ("Datafly", "k-anonymity (k=5)"),
        ("Mondrian", "k-anonymity (k=5)"),
        ("Incognito_k", "k-anonymity (k=5)"),
        ("incognito", "k-anonymity (k=5)"),
        ("INCOGNITO_L", "recursive (c,l)-diversity (l=3, c=0.2) of illness"),
        ("Incognito_t", "t-closeness (t=0.3) of illness"),
        ("Anatomy", "distinct l-diversity (l=3) of illness"),
    ],
)
def test_of_all_parameters_the_method_takes_its_own_under_compatibility(desk: Desk, method: str, model: str) -> None:
    root = f"method='{method}' k='5' l='3' c='0.2' t='0.3' compatibility='utd'"
    assert desk.models(root, ONE) == [model]


def test_what_compatibility_leaves_out_is_kept_in_mind_for_the_verdict(desk: Desk) -> None:
    config = desk.read("k='5' l='9' c='-1' t='0.3' compatibility='utd'", ONE, l=" 3")
    assert config.parameters_left_out == (
        "l=3 is not required: Mondrian takes k, as in 2010.",
        "t=0.3 is not required: Mondrian takes k, as in 2010.",
    )
    assert desk.read("k='5'", ONE).parameters_left_out == ()


@pytest.mark.parametrize("c", ["", "c='0'", "c='-1'"])
def test_l_without_c_means_entropy(desk: Desk, c: str) -> None:
    assert desk.models(f"method='Incognito_l' l='2.5' {c}", ONE) == ["entropy l-diversity (l=2.5) of illness"]


def test_the_defaults_are_those_of_the_manual(desk: Desk) -> None:
    assert desk.models() == ["k-anonymity (k=10)"]
    assert desk.models("method='Incognito_l'", ONE) == ["entropy l-diversity (l=10) of illness"]
    assert desk.models("method='Incognito_t'", ONE) == ["t-closeness (t=0.2) of illness"]
    assert desk.models("method='Anatomy'", ONE) == ["distinct l-diversity (l=10) of illness"]


def test_options_win_over_the_file(desk: Desk) -> None:
    assert desk.models("method='Mondrian' l='9'", ONE, method="Incognito_l", l="3", c="2") == [
        "recursive (c,l)-diversity (l=3, c=2) of illness"
    ]


def test_a_parameter_that_the_method_does_not_take_is_a_fault_that_says_what_would(desk: Desk) -> None:
    both = "or list a <model> for each in <privacy>."
    of_l = f"would not be kept: Mondrian takes k. Leave it out, choose Incognito_l, which takes l, {both}"
    assert desk.faults("k='5' l='3'", ONE) == [f"line 1: l='3' {of_l}"]
    assert desk.faults("k='5'", ONE, l="3") == [f"-l '3' {of_l}"]
    assert desk.faults("k='5' c='2'", ONE) == [
        f"line 1: c='2' would not be kept: Mondrian takes k. Leave it out, choose Incognito_l, which takes c, {both}"
    ]
    assert desk.faults("method='Anatomy'", ONE, t="0.1") == [
        "-t '0.1' would not be kept: Anatomy takes l. Leave it out, or choose another method, such as Mondrian."
    ]
    assert desk.faults("k='7'", ONE, method="Incognito_t", t="0.5") == [
        f"line 1: k='7' would not be kept: Incognito_t takes t. Leave it out, choose Incognito_k, which takes k, {both}"
    ]


def test_on_the_command_line_the_remedy_is_an_option(desk: Desk) -> None:
    with name_command_options():
        assert desk.faults("method='Incognito_l'", ONE, l="3", k="5") == [
            "-k '5' would not be kept: Incognito_l takes l and c. Leave it out, choose Incognito_k, which takes k, "
            "or require both: --model 'entropy l-diversity:l=3' --model k-anonymity:k=5."
        ]
        assert desk.faults("", ONE, l="2.5", t="0.1") == [
            "-l '2.5' would not be kept: Mondrian takes k. Leave it out, choose Incognito_l, which takes l, "
            "or require both: --model k-anonymity:k=10 --model 'entropy l-diversity:l=2.5'.",
            "-t '0.1' would not be kept: Mondrian takes k. Leave it out, choose Incognito_t, which takes t, "
            "or require both: --model k-anonymity:k=10 --model t-closeness:t=0.1.",
        ]


def test_a_parameter_that_asks_for_nothing_is_no_fault(desk: Desk) -> None:
    assert desk.models("k='5' c='-1'", ONE) == ["k-anonymity (k=5)"]


def test_a_k_beside_a_model_whose_k_counts_other_people_is_a_fault(desk: Desk) -> None:
    """A k of 8 is a promise of classes of 8; the k of k-map counts people of a register."""
    assert desk.faults("", ONE + privacy("<model name='k-map' k='3'/>"), k="8") == [
        "-k '8' is the size of a class, and no model of <privacy> has one. "
        "Leave it out, or add <model name='k-anonymity' k='8'/>."
    ]


def test_a_method_keeps_the_name_by_which_it_was_called(desk: Desk) -> None:
    assert desk.read("method='incognito_T'", ONE).method == "Incognito_t"


@pytest.mark.parametrize("method", ["Incognito_l", "Incognito_t", "Anatomy"])
def test_a_sensitive_attribute_is_needed_and_only_one(desk: Desk, method: str) -> None:
    assert desk.faults(f"method='{method}'") == [
        f"line 1: {method} protects a sensitive attribute, and none is declared. Declare it: <sens><att .../></sens>."
    ]
    assert desk.faults(f"method='{method}'", TWO) == [
        f"line 2: {method} protects one sensitive attribute, and 2 are declared. "
        "Keep one, merge them into one column, or list a model for each in <privacy>."
    ]


@pytest.mark.parametrize("t", ["0", "1", "1.5", "-0.1", "x"])
def test_t_lies_between_0_and_1(desk: Desk, t: str) -> None:
    (fault,) = desk.faults(f"method='Incognito_t' t='{t}'", ONE)
    assert fault.startswith(f"line 1: t='{t}' is not ")


def test_anatomy_needs_a_whole_l(desk: Desk) -> None:
    (fault,) = desk.faults("method='Anatomy' l='2.5'", ONE)
    assert fault == (
        "line 1: l=2.5 is no whole number: Anatomy forms groups of l records. Write a whole number, such as 2."
    )


# The list of models.


def test_several_models_are_listed_each_with_its_attribute(desk: Desk) -> None:
    closeness = "<model name='T-Closeness' t='0.2' attribute='salary' distance='ordered'/>"
    config = desk.read("method='Incognito'", TWO + privacy(K5, ENTROPY, closeness))
    assert list(map(str, make_models(config.requirements))) == [
        "k-anonymity (k=5)",
        "entropy l-diversity (l=3) of illness",
        "t-closeness (t=0.2) of salary",
    ]
    assert config.k == 5


def test_the_only_sensitive_attribute_need_not_be_named(desk: Desk) -> None:
    assert desk.models("", ONE + privacy("<model name='distinct l-diversity' l='2'/>")) == [
        "distinct l-diversity (l=2) of illness"
    ]


def test_a_column_without_a_name_is_called_by_its_index(desk: Desk) -> None:
    listed = privacy("<model name='distinct l-diversity' l='2' attribute='column 1'/>")
    assert desk.models("", "<sens><att index='1'/></sens>" + listed) == ["distinct l-diversity (l=2) of column 1"]


def test_an_option_replaces_the_parameter_of_its_name(desk: Desk) -> None:
    assert desk.models("", ONE + privacy(K5, ENTROPY), k="7", l="2") == [
        "k-anonymity (k=7)",
        "entropy l-diversity (l=2) of illness",
    ]


def test_the_k_of_a_configuration_is_the_largest_that_is_the_size_of_a_class(desk: Desk) -> None:
    """A model says itself whether its k is: the k of k-map counts people of a population."""
    sized = ("<model name='(alpha,k)-anonymity' alpha='0.5' k='6'/>", "<model name='k-map' k='90'/>")
    assert desk.read("", ONE + privacy(K5, *sized)).k == 6
    assert desk.read("", ONE + privacy("<model name='k-map' k='90'/>")).k == 10


def test_an_option_that_no_listed_model_has_is_reported(desk: Desk) -> None:
    (fault,) = desk.faults("", ONE + privacy(K5), t="0.3")
    assert fault == "-t '0.3' means nothing: no model of <privacy> has t=. Leave it out."


def test_parameters_of_the_root_beside_the_list_are_reported(desk: Desk) -> None:
    (fault,) = desk.faults("k='5' t='0.2'", ONE + privacy(K5))
    assert fault == (
        "line 1: k=, t= of <config> cannot be combined with <privacy>. "
        "Give it to a <model> of <privacy>, or remove one of the two."
    )


@pytest.mark.parametrize(
    ("model", "fault"),
    [
        ("<model name='k-anonimity' k='5'/>", "name='k-anonimity' is unknown. Did you mean 'k-anonymity'?"),
        ("<model k='5'/>", "<model> lacks the attribute 'name'. Add name='...'."),
        ("<model name='k-anonymity'/>", "The model k-anonymity lacks k=. Add it."),
        ("<model name='k-anonymity' k='0'/>", "k='0' of k-anonymity is out of range. Write a whole number of at least 1"),
        ("<model name='k-anonymity' k='2.5'/>", "k='2.5' is not a whole number."),
        ("<model name='k-anonymity' k='5' l='3'/>", "<model> has no attribute 'l'. It takes: name, attribute, k."),
        ("<model name='k-anonymity' k='5' attribute='illness'/>", "attribute='illness' means nothing: k-anonymity protects none."),
        ("<model name='t-closeness' t='1'/>", "t='1.0' of t-closeness is out of range. Write a number above 0 and below 1"),
        ("<model name='t-closeness' t='.2' distance='far'/>", "distance='far' of t-closeness is out of range. Write one of auto,"),
        ("<model name='distinct l-diversity' l='0'/>", "l='0.0' of distinct l-diversity is out of range."),
        ("<model name='distinct l-diversity' l='2' attribute='ilness'/>", "attribute='ilness' is unknown. Did you mean 'illness'?"),
        ("<modell/>", "<privacy> has no element <modell>. Did you mean 'model'?"),
    ],
)  # fmt: skip
def test_a_wrong_model_is_reported_with_its_line_and_a_remedy(desk: Desk, model: str, fault: str) -> None:
    faults = desk.faults("", ONE + "\n" + privacy(K5, "\n", model))
    assert len(faults) == 1
    assert faults[0].startswith(f"line 4: {fault}")


def test_a_model_that_could_protect_two_attributes_must_say_which(desk: Desk) -> None:
    (fault,) = desk.faults("", TWO + privacy("<model name='distinct l-diversity' l='2'/>"))
    assert fault == (
        "line 2: The model distinct l-diversity does not say which sensitive attribute it protects. "
        "Write attribute='...', one of: illness, salary."
    )


def test_an_empty_list_is_reported(desk: Desk) -> None:
    assert desk.faults("", "<privacy/>") == ["line 2: <privacy> is empty. Put at least one <model> into it."]


def test_all_faults_of_a_list_are_reported_in_one_run(desk: Desk) -> None:
    wrong = privacy("<model name='x'/>", "\n<model name='t-closeness' t='2'/>", "\n<model name='k-anonymity' k='-1'/>")
    assert [fault.split(":")[0] for fault in desk.faults("", ONE + wrong)] == ["line 2", "line 3", "line 4"]
