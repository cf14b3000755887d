"""From what a configuration requires to privacy models."""

from dataclasses import replace

import pytest
from helpers.small_tables import quasi_identifier

from toolbox.config.model import Attribute, Column, Requirement
from toolbox.errors import SettingError, UsageError
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.privacy.registry import check_hierarchies, collect_model_facts, list_installed_models, make_models


def test_each_requirement_is_a_model_in_the_order_in_which_they_are_declared():
    models = make_models(
        [
            Requirement(model="t-closeness", attribute="illness", parameters={"t": 0.3}),
            Requirement(model="k-anonymity", parameters={"k": 5}),
        ]
    )
    assert models == (TCloseness(t=0.3, attribute="illness"), KAnonymity(k=5))
    assert make_models([]) == ()


def test_a_parameter_out_of_range_is_refused_by_the_model():
    with pytest.raises(SettingError, match="k is 0"):
        make_models([Requirement(model="k-anonymity", parameters={"k": 0})])


def test_a_configuration_knows_what_each_model_takes_and_what_it_must_be_given():
    facts = collect_model_facts()
    assert set(facts) == {model.name.lower() for model in list_installed_models()}
    closeness, presence, anonymity = facts["t-closeness"], facts["delta-presence"], facts["k-anonymity"]
    assert (anonymity.name, anonymity.needs_attribute) == ("k-anonymity", False)
    assert (anonymity.parameters, anonymity.needed) == ({"k": int}, ("k",))
    assert closeness.needs_attribute
    assert (closeness.parameters["t"], closeness.needed) == (float, ("t",))
    assert str in set(closeness.parameters.values())
    assert (presence.parameters, presence.needed) == ({"delta_max": float, "delta_min": float}, ("delta_max",))


def test_a_requirement_is_checked_before_anything_is_read():
    check = collect_model_facts()["k-anonymity"].check
    check(Requirement(model="k-anonymity", parameters={"k": 5}))
    with pytest.raises(SettingError, match="k is 0"):
        check(Requirement(model="k-anonymity", parameters={"k": 0}))


def test_a_distance_over_a_hierarchy_needs_one_of_its_own_attribute():
    plain = Attribute(column=Column(index=None, name="illness"), kind="category")
    tree = quasi_identifier("illness", hierarchy="flu infection\ncold infection").hierarchy
    model = TCloseness(t=0.3, attribute="illness", distance="hierarchical")
    assert model.needs_hierarchy
    check_hierarchies([model, KAnonymity(k=2)], [replace(plain, hierarchy=tree)])
    check_hierarchies([TCloseness(t=0.3, attribute="illness", distance="equal"), KAnonymity(k=2)], [plain])
    other = replace(plain, column=Column(index=None, name="wage"), hierarchy=tree)
    with pytest.raises(UsageError, match=r"needs a hierarchy of illness\. .*, or choose another distance\."):
        check_hierarchies([model], [plain, other])
