"""Each record follows its class: the features of the release of this very record, in the order of the input."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.small_study import CLASSES, PEOPLE, TOWNS, data_of, plan_of, write_people

from toolbox.config.model import Limits
from toolbox.errors import UnknownColumnError, UsageError
from toolbox.experiments.cells.data_set import OpenedData
from toolbox.experiments.cells.learning import LearningSample
from toolbox.experiments.plan.reader import read_plan
from toolbox.flows.session.run import RequestedFigures
from toolbox.privacy.models.k_anonymity import KAnonymity


def opened(stack: ExitStack, folder: Path, **said: object) -> OpenedData:
    (data,) = read_plan(plan_of(folder, data=[data_of(folder, **said)])).data
    return OpenedData.of(stack, data, Limits(), with_records=True)


@pytest.mark.slow
def test_the_records_of_a_release_have_the_features_of_their_classes(tmp_path: Path) -> None:
    with ExitStack() as stack:
        data = opened(stack, tmp_path, features=["visits"])
        sample = LearningSample.of(data)
        wanted = RequestedFigures(threshold=0.2, kept_in=data.variants)
        variant = data.run("Mondrian", (KAnonymity(k=5),), None, 1, wanted)
        kept = data.variants.find(variant)
        features, original = sample.as_released(kept.load, kept.tables), sample.encode_original_records()
    ages = {person: (min(people)[0], max(people)[0]) for people in CLASSES for person in people}
    lives = {town: [float(town == each) for each in TOWNS] for town in TOWNS}
    assert features.tolist() == [[*ages[person], *lives[person[1]], person[2]] for person in PEOPLE]
    assert original.tolist() == [[age, age, *lives[town], visits] for age, town, visits, _ in PEOPLE]
    assert sample.labels.tolist() == [int(ill == "yes") for *_, ill in PEOPLE]


@pytest.mark.slow
def test_records_that_lack_a_value_or_a_label_are_not_looked_at(tmp_path: Path) -> None:
    with ExitStack() as stack:
        data_of(tmp_path)
        lines = (tmp_path / "people.csv").read_text().splitlines()
        lines[1] = lines[1].replace("20,", "?,")
        lines[3] = lines[3].replace(",no", ",")
        (tmp_path / "odd.csv").write_text("\n".join(lines))
        data = opened(stack, tmp_path, table=str(tmp_path / "odd.csv"), sensitive=[])
        sample = LearningSample.of(data)
        assert sample.encode_original_records()[:, 0].tolist() == [21.0, *map(float, range(23, 60))]
        assert np.isfinite(sample.encode_original_records()).all()


def test_a_label_that_teaches_nothing_is_refused(tmp_path: Path) -> None:
    head, *lines = write_people(tmp_path).read_text().splitlines()
    numbered = tmp_path / "numbered.csv"
    numbered.write_text("\n".join([f"record,{head}", *(f"r{number},{line}" for number, line in enumerate(lines))]))
    with ExitStack() as stack:
        data = opened(stack, tmp_path, table=str(numbered), label="record")
        with pytest.raises(UsageError, match="has 40 values, the rarest in 1 records"):
            LearningSample.of(data).require_learnable()
        with pytest.raises(UsageError, match="is a quasi-identifier"):
            LearningSample.of(replace(data, data=replace(data.data, label="age")))
        with pytest.raises(UnknownColumnError, match="visit"):
            LearningSample.of(replace(data, data=replace(data.data, features=("visit",))))
