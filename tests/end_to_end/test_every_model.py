"""The newer privacy models enforced: asked for in a configuration or a call, judged on the release by plain programs."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from helpers import brute_models as brute
from helpers import in_order
from helpers.amounts import some
from helpers.brute_models import Judge, Values
from helpers.releases import classes
from helpers.running import run_in_process

import toolbox
from toolbox import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    ConfigurationError,
    DeltaDisclosure,
    EnhancedBetaLikeness,
    InputError,
    PrivacyModel,
    PSensitiveKAnonymity,
    TCloseness,
    UnsatisfiableError,
    UsageError,
)

pytestmark = pytest.mark.sampled(2)

ILLNESSES = {
    "flu": ("lungs", "infection", "*"),
    "asthma": ("lungs", "chronic", "*"),
    "angina": ("throat", "infection", "*"),
    "gout": ("joints", "chronic", "*"),
    "ulcer": ("stomach", "chronic", "*"),
}
# Of an illness its organ, then what all have in common.
ORGANS = [
    (name, {"lungs": "chest", "throat": "chest"}.get(row[0], "elsewhere"), "*") for name, row in ILLNESSES.items()
]
# The same as a map of codes, and a tree of these.
CODED = (
    "<map>"
    + "".join(f"<entry cat='{name}' int='{code}'/>" for code, name in enumerate(ILLNESSES))
    + "</map><vgh value='[0:4]'><node value='[0:2]'/><node value='[3:4]'/></vgh>"
)
AGES = [(age, f"{age // 10}0s", "young" if age < 50 else "old", "*") for age in range(20, 80)]
CITIES = [(city, "south" if city in ("Graz", "Linz") else "north", "*") for city in ("Graz", "Linz", "Wien", "Krems")]


def people(count: int = 100) -> pd.DataFrame:
    draw = random.Random(7)
    return pd.DataFrame(
        {
            "age": [draw.randrange(20, 80) for _ in range(count)],
            "city": [draw.choice(["Graz", "Linz", "Wien", "Krems"]) for _ in range(count)],
            "illness": draw.choices(list(ILLNESSES), [8, 4, 4, 2, 2], k=count),
        }
    )


CASES: dict[str, tuple[str, PrivacyModel, Callable[[Values], Judge]]] = {
    "alpha": (
        "<model name='(alpha,k)-anonymity' alpha='0.5' k='5'/>",
        AlphaKAnonymity(alpha=0.5, k=5, attribute="illness"),
        lambda _: brute.alpha_k_anonymous(0.5, 5),
    ),
    "p": (
        "<model name='p-sensitive k-anonymity' p='3' k='6'/>",
        PSensitiveKAnonymity(p=3, k=6, attribute="illness"),
        lambda _: brute.p_sensitive(3, 6),
    ),
    "delta": (
        "<model name='delta-disclosure' delta='1.2'/>",
        DeltaDisclosure(delta=1.2, attribute="illness"),
        lambda column: brute.discloses_less(1.2, column),
    ),
    "basic beta": (
        "<model name='Basic beta-likeness' beta='1' attribute='illness'/>",
        BasicBetaLikeness(beta=1, attribute="illness"),
        lambda column: brute.basic_beta_like(1, column),
    ),
    "enhanced beta": (
        "<model name='enhanced beta-likeness' beta='1.5'/>",
        EnhancedBetaLikeness(beta=1.5, attribute="illness"),
        lambda column: brute.enhanced_beta_like(1.5, column),
    ),
    "hierarchical t": (
        "<model name='t-closeness' t='0.15' distance='hierarchical'/>",
        TCloseness(t=0.15, distance="hierarchical", attribute="illness"),
        lambda column: brute.t_close(0.15, column, lambda one, all_: brute.hierarchical_distance(one, all_, ORGANS)),
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people().to_csv(tmp_path / "people.csv", index=False)
    for name, rows in {"ages": AGES, "cities": CITIES, "organs": ORGANS}.items():
        (tmp_path / f"{name}.csv").write_text("".join(";".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return tmp_path


def configuration(folder: Path, method: str, model: str, vgh: str = "<vgh file='organs.csv'/>") -> Path:
    path = folder / "config.xml"
    path.write_text(
        f"<config method='{method}' suppThreshold='0'>\n<input filename='people.csv' header='true'/>"
        "<output order='input' filename='release.csv'/><qid><att name='age'><vgh file='ages.csv'/></att>"
        "<att name='city'><vgh file='cities.csv'/></att></qid>\n"
        f"<sens><att name='illness' type='category'>{vgh}</att></sens>\n<privacy>{model}</privacy></config>",
        encoding="utf-8",
    )
    return path


def found_in(release: pd.DataFrame) -> list[list[str]]:
    """Return the illnesses of each class."""
    illness = release["illness"].tolist()
    members = classes(release[["age", "city"]].astype(str).values.tolist()).values()
    return [[illness[number] for number in one] for one in members]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "method"),
    # By default each model with one of the two methods.
    [
        (case, method)
        for turn, case in enumerate(CASES)
        for method in some(["Mondrian", "Incognito"], every=2, start=turn)
    ],
)
def test_a_release_satisfies_what_its_configuration_requires(folder: Path, method: str, case: str) -> None:
    listed, model, judge = CASES[case]
    finished = run_in_process("-config", configuration(folder, method, listed), "--json").succeeded()
    (stated,) = finished.document["models"]
    assert (stated["name"], stated["attribute"], stated["holds"]) == (model.name, "illness", True)
    release = pd.read_csv(folder / "release.csv", dtype=str)
    satisfies = judge(release["illness"].tolist())
    found = found_in(release)
    assert len(release) == 100
    assert len(found) > 1
    assert all(satisfies(one) for one in found)


@pytest.mark.slow
@pytest.mark.sampled(1)
# First the one that needs most, a hierarchy of the illnesses.
@pytest.mark.parametrize("case", [*reversed(CASES)])
def test_a_call_gives_the_same_release_and_so_does_a_map_with_a_tree_of_codes(folder: Path, case: str) -> None:
    listed, model, _ = CASES[case]
    run_in_process("-config", configuration(folder, "Mondrian", listed)).succeeded()
    result = in_order.anonymize(
        people(),
        quasi_identifiers=["age", "city"],
        sensitive=["illness"],
        hierarchies={"age": AGES, "city": CITIES, "illness": ORGANS},
        models=[model],
    )
    by_files = (folder / "release.csv").read_text(encoding="utf-8")
    released = pd.read_csv(folder / "release.csv", dtype=str)
    assert result.release.astype(str).values.tolist() == released.values.tolist()
    if case == "hierarchical t":
        run_in_process("-config", configuration(folder, "Mondrian", listed, CODED)).succeeded()
        assert (folder / "release.csv").read_text(encoding="utf-8") == by_files


@pytest.mark.slow
def test_what_is_stricter_leaves_fewer_classes(folder: Path) -> None:
    """Of the hierarchical distance a smaller t, and the equal distance, which no common organ makes shorter."""
    given = {
        "quasi_identifiers": ["age"],
        "sensitive": ["illness"],
        "hierarchies": {"age": AGES, "illness": ORGANS},
    }
    counts = [
        in_order.anonymize(people(), models=[TCloseness(t=t, distance=distance, attribute="illness")], **given)
        for t, distance in ((0.3, "hierarchical"), (0.1, "hierarchical"), (0.1, "equal"))
    ]
    loose, strict, equal = (one.summary.proof.classes for one in counts)
    assert loose > strict >= equal


@pytest.mark.slow
def test_suppression_helps_p_sensitive_k_anonymity(folder: Path) -> None:
    """Without suppression the one old person of Krems makes all ages wide; suppressed, they are one record less."""
    rows = [(25 + number % 5, "Graz", ("flu", "gout")[number % 2]) for number in range(40)]
    frame = pd.DataFrame([*rows, (79, "Graz", "flu")], columns=["age", "city", "illness"])
    given = {
        "quasi_identifiers": ["age", "city"],
        "sensitive": ["illness"],
        "hierarchies": {"age": AGES, "city": CITIES},
        "method": "Incognito",
        "models": [PSensitiveKAnonymity(p=2, k=4, attribute="illness")],
    }
    without = in_order.anonymize(frame, suppression_threshold=0, **given).summary.proof
    suppressed = in_order.anonymize(frame, suppression_threshold=1, **given).summary.proof
    assert (without.records_suppressed, without.classes) == (0, 1)
    assert suppressed.records_suppressed == 1
    assert suppressed.classes > 1


# Hierarchies of sensitive attributes


def test_a_hierarchical_distance_without_a_hierarchy_is_refused_before_reading(folder: Path) -> None:
    path = configuration(folder, "Mondrian", CASES["hierarchical t"][0], vgh="")
    (folder / "people.csv").write_text("not even a table", encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"t-closeness \(t=0.15\) of illness needs a hierarchy of illness\. Write a <vgh>"
    ):
        in_order.anonymize(path)
    assert not (folder / "release.csv").exists()


def test_an_illness_outside_its_hierarchy_is_an_error_that_does_not_name_it(folder: Path) -> None:
    with (folder / "people.csv").open("a", encoding="utf-8") as file:
        file.write("30,Graz,Secret7\n")
    path = configuration(folder, "Mondrian", CASES["hierarchical t"][0])
    with pytest.raises(
        InputError, match=r"column illness: pattern 'aaaaaa9' \(line 102\) is no declared category"
    ) as caught:
        in_order.anonymize(path)
    assert "Secret" not in str(caught.value)
    assert not (folder / "release.csv").exists()


@pytest.mark.slow
def test_a_number_outside_the_hierarchy_of_a_sensitive_column_is_an_error(folder: Path) -> None:
    rows = "".join(f"{20 + number},Graz,{number}\n" for number in range(20))
    (folder / "people.csv").write_text(f"age,city,illness\n{rows}", encoding="utf-8")
    path = configuration(folder, "Mondrian", "<model name='distinct l-diversity' l='2'/>", "<vgh value='[0:10]'/>")
    path.write_text(path.read_text(encoding="utf-8").replace("type='category'", ""), encoding="utf-8")
    with pytest.raises(InputError, match=r"column illness: .* is outside the hierarchy"):
        in_order.anonymize(path)


def test_a_faulty_hierarchy_file_of_a_sensitive_column_is_told_by_its_line(folder: Path) -> None:
    (folder / "organs.csv").write_text("flu;chest;*\nflu;chest;*\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"organs.csv, line 2: The value occurs in line 1 already"):
        toolbox.load_config(configuration(folder, "Mondrian", CASES["hierarchical t"][0]))


def test_a_hierarchy_file_is_not_overwritten(folder: Path) -> None:
    path = configuration(folder, "Mondrian", CASES["hierarchical t"][0])
    text = path.read_text(encoding="utf-8").replace("release.csv", "organs.csv")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="hierarchy file"):
        toolbox.load_config(path)


@pytest.mark.parametrize(
    ("model", "fault"),
    [
        ("<model name='(alpha,k)-anonymity' alpha='0.5'/>", "lacks k="),
        ("<model name='(alpha,k)-anonymity' alpha='1.5' k='2'/>", "alpha='1.5' of .* is out of range"),
        ("<model name='p-sensitive k-anonymity' p='2.5' k='2'/>", "p='2.5'.* is not a whole number"),
        (
            "<model name='delta-disclosure' delta='1' absent='maybe'/>",
            "absent='maybe' of delta-disclosure is out of range",
        ),
        ("<model name='beta-likeness' beta='1'/>", "is unknown.*Did you mean"),
        ("<model name='k-map' k='2' attribute='illness'/>", "k-map protects none"),
    ],
)
def test_what_is_wrong_with_a_model_is_said_with_its_line(folder: Path, model: str, fault: str) -> None:
    with pytest.raises(ConfigurationError, match=f"line 4: .*{fault}"):
        toolbox.load_config(configuration(folder, "Mondrian", model))


@pytest.mark.slow
def test_what_no_release_can_satisfy_is_refused(folder: Path) -> None:
    with pytest.raises(UnsatisfiableError, match=r"even all records together achieve only 0\.4"):
        in_order.anonymize(configuration(folder, "Mondrian", "<model name='(alpha,k)-anonymity' alpha='0.3' k='2'/>"))
