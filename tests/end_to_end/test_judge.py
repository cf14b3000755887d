"""`check`, `measure` and `risk` as people and programs use them, on our own releases and on other people's."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.judge_folder import RELEASE, achieved, folder, values
from helpers.running import run_in_process

__all__ = ["folder"]


class TestCheck:
    @pytest.mark.slow
    def test_every_model_is_measured_and_the_required_ones_are_judged(self) -> None:
        finished = run_in_process(
            "check", "release.csv", "--qi", "age,town", "--sensitive", "illness", "-k", 2, "--json"
        )
        assert finished.status == 0
        document = finished.document
        assert "toolbox_version" in document
        assert {name: document[name] for name in ("records", "records_suppressed", "classes", "holds")} == {
            "records": 5,
            "records_suppressed": 1,
            "classes": 2,
            "holds": True,
        }
        assert document["models"][0] == {
            "name": "k-anonymity",
            "attribute": None,
            "parameters": {"k": 2},
            "required": 2,
            "achieved": 2,
            "holds": True,
        }
        measured = achieved(finished)
        assert measured["k-anonymity", None] == 2
        assert measured["distinct l-diversity", "illness"] == 2
        assert measured["entropy l-diversity", "illness"] == pytest.approx(2)
        # Of all five records three have the flu, one in two of each class: |.5 - .6| + |.5 - .2| + |0 - .2|, halved.
        assert measured["t-closeness", "illness"] == pytest.approx(0.3)

    @pytest.mark.slow
    def test_a_required_model_that_fails_gives_status_3_and_still_the_figures(self) -> None:
        finished = run_in_process("check", "release.csv", "--qi", "age,town", "-k", 3, "--json")
        assert finished.status == 3
        assert finished.document["holds"] is False
        assert finished.document["models"][0]["achieved"] == 2
        seen = run_in_process("check", "release.csv", "--qi", "age,town", "-k", 3)
        assert (seen.status, "fails" in seen.stdout) == (3, True)

    @pytest.mark.slow
    def test_a_configuration_says_what_is_required(self) -> None:
        assert run_in_process("check", "release.csv", "-config", "c.xml", "--quiet").status == 0
        assert run_in_process("check", "release.csv", "-config", "c.xml", "-k", 3, "--quiet").status == 3

    @pytest.mark.slow
    def test_without_a_name_the_release_is_that_of_the_configuration(self) -> None:
        run_in_process("-config", "c.xml", "--quiet").succeeded()
        assert run_in_process("check", "-config", "c.xml", "--json").succeeded().document["records"] == 5

    def test_more_can_be_asked_than_a_configuration_requires(self) -> None:
        finished = run_in_process("check", "release.csv", "-config", "c.xml", "-l", 3, "-k", 2, "--json")
        assert finished.status == 3
        judged = [(one["name"], one["holds"]) for one in finished.document["models"] if one["holds"] is not None]
        assert judged == [("k-anonymity", True), ("k-anonymity", True), ("entropy l-diversity", False)]

    @pytest.mark.slow
    def test_harmonised_the_other_sensitive_columns_are_known_and_k_anonymity_is_asked_of_every_table(self) -> None:
        Path("two.csv").write_text("age,a,b\n" + "1,x,p\n1,y,q\n1,x,q\n1,y,p\n", encoding="utf-8")
        options = ["check", "two.csv", "--qi", "age", "--sensitive", "a,b", "-k", 3, "--json"]
        alone, both = run_in_process(*options), run_in_process(*options, "--harmonised")
        assert (alone.status, alone.document["models"][0]["achieved"]) == (0, 4)
        document = both.document
        found = [(one["attribute"], one["achieved"]) for one in document["models"] if one["holds"] is not None]
        assert found == [(None, 4), ("a", 2), ("b", 2)]
        assert document["holds"] is False
        assert achieved(both)["distinct l-diversity", "a"] == 2
        assert achieved(both)["p-sensitive k-anonymity", "a"] == 2

    @pytest.mark.slow
    def test_a_population_need_not_know_what_is_sensitive(self) -> None:
        Path("town.csv").write_text("town,age\n" + "Graz,21\nLinz,24\nWels,36\nWels,38\n", encoding="utf-8")
        options = ["--qi", "age,town", "--sensitive", "illness", "--population", "town.csv", "--json"]
        assert achieved(run_in_process("check", "release.csv", *options).succeeded())["k-map", None] == 2
        configured = run_in_process("check", "release.csv", "-config", "c.xml", "--population", "town.csv", "--json")
        assert achieved(configured.succeeded())["k-map", None] == 2

    def test_a_missing_value_is_a_value_like_any_other(self) -> None:
        Path("nulls.csv").write_text("age,town\n,Graz\n,Graz\n20,\n20,\n20,Graz\n", encoding="utf-8")
        document = run_in_process("check", "nulls.csv", "--qi", "age,town", "--json").document
        assert (document["records"], document["classes"], document["smallest_class"]) == (5, 3, 1)

    @pytest.mark.slow
    def test_a_population_says_among_how_many_people_a_class_hides(self) -> None:
        Path("town.csv").write_text("age,town\n" + "21,Graz\n24,Linz\n22,Wels\n36,Graz\n39,Wels\n", encoding="utf-8")
        measured = achieved(
            run_in_process("check", "release.csv", "--qi", "age,town", "--population", "town.csv", "--json").succeeded()
        )
        assert measured["k-map", None] == 2
        assert measured["delta-presence", None] == 1.0

    @pytest.mark.sampled(4)
    @pytest.mark.parametrize(
        ("options", "told"),
        [
            ([], "--qi"),
            (["--qi", "age", "-config", "c.xml"], "--config says everything itself"),
            (["--qi", "agee"], "Did you mean 'age'"),
            (["--qi", "age", "-t", "0.2"], "--sensitive"),
            (["--qi", "age", "--sensitive", "illness", "-c", "2"], "-l"),
            (["--qi", "age", "-k", "none"], "whole number"),
            (["--qi", "age", "--hierarchy", "towns.csv"], "NAME=FILE"),
            (["--qi", "age", "--hierarchy", "town=towns.csv"], "town"),
            (["--qi", "age", "--population", "nobody.csv"], "nobody.csv"),
            (["--qi", "age", "--kind", "age=word"], "number"),
        ],
    )
    def test_what_is_wrong_with_the_options_is_said(self, options: list[str], told: str) -> None:
        finished = run_in_process("check", "release.csv", *options)
        assert finished.status in (2, 4)
        assert told in finished.stderr
        assert "Traceback" not in finished.stderr

    def test_the_separator_is_found_by_the_names_of_the_columns(self) -> None:
        Path("semicolons.csv").write_text(RELEASE.replace(",", ";"), encoding="utf-8")
        assert run_in_process("check", "semicolons.csv", "--qi", "age,town", "--json").document["classes"] == 2

    def test_a_first_line_that_is_no_header_is_not_shown(self) -> None:
        Path("plain.csv").write_text("21,Graz,leukaemia\n23,Linz,flu\n", encoding="utf-8")
        finished = run_in_process("check", "plain.csv", "--qi", "age,town")
        assert (finished.status, "is that a header?" in finished.stderr) == (2, True)
        assert "leukaemia" not in finished.stderr + finished.stdout

    def test_names_with_commas_stand_in_quotes(self) -> None:
        Path("names.csv").write_text('"town, state",age\nx,1\nx,1\n', encoding="utf-8")
        assert run_in_process("check", "names.csv", "--qi", 'age,"town, state"', "--json").document["classes"] == 1

    def test_ragged_lines_are_an_error(self) -> None:
        Path("ragged.csv").write_text("age,town\n1,a\n2\n", encoding="utf-8")
        finished = run_in_process("check", "ragged.csv", "--qi", "age")
        assert (finished.status, "line 3" in finished.stderr) == (4, True)


class TestMeasure:
    @pytest.mark.slow
    def test_the_notation_of_other_programs_is_understood_and_weights_count(self) -> None:
        options = ["people.csv", "release.csv", "--qi", "age,town", "--weight", "town=3", "--json"]
        measured = values(run_in_process("measure", *options).succeeded())
        # Ages 21 to 64: [20:25) begins below all, so it is 4 wide; 35-40 is 5 wide; * is all of it.
        assert measured["normalised certainty penalty", "age"] == pytest.approx((2 * 4 + 2 * 5 + 43) / 5 / 43)
        assert measured["normalised certainty penalty", "town"] == 1
        of_age = measured["normalised certainty penalty", "age"]
        assert measured["normalised certainty penalty", None] == pytest.approx((of_age + 3 * 1) / 4)
        assert measured["suppressed records", None] == 1

    @pytest.mark.slow
    def test_hierarchies_name_what_is_released(self) -> None:
        Path("levels.csv").write_text("town\nsouth\nnorth\nGraz\nnorth\n*\n", encoding="utf-8")
        finished = run_in_process(
            "measure", "people.csv", "levels.csv", "--qi", "town", "--hierarchy", "town=towns.csv", "--json"
        ).succeeded()
        # Levels 1, 1, 0, 1 and 2 of 2.
        assert values(finished)["precision", "town"] == pytest.approx(1 - 5 / 2 / 5)

    @pytest.mark.slow
    def test_a_release_in_another_order_is_paired_by_its_classes(self) -> None:
        Path("other.csv").write_text("age\n64\n39\n38\n23\n21\n", encoding="utf-8")
        finished = run_in_process("measure", "people.csv", "other.csv", "--qi", "age", "--json").succeeded()
        assert values(finished)["non-uniform entropy", None] == pytest.approx(1)

    @pytest.mark.slow
    def test_our_own_release_is_measured_with_its_configuration_without_what_it_skipped(self) -> None:
        with Path("people.csv").open("a", encoding="utf-8") as file:
            file.write("Flo,?,Graz,flu\n")
        run_in_process("-config", "c.xml", "--quiet", "--on-missing", "skip").succeeded()
        finished = run_in_process("measure", "-config", "c.xml", "--json").succeeded()
        measured = values(finished)
        assert 0 < measured["normalised certainty penalty", None] < 1
        # illness is the only sensitive attribute, and so the class label.
        assert ("classification metric", None) in measured
        assert ("conditional entropy", None) in measured

    @pytest.mark.slow
    def test_a_value_that_stands_for_nothing_is_named(self) -> None:
        Path("odd.csv").write_text("town\nGraz\nLinz\nMars\nWels\nWels\n", encoding="utf-8")
        finished = run_in_process("measure", "people.csv", "odd.csv", "--qi", "town")
        assert (finished.status, "'Mars'" in finished.stderr) == (4, True)

    def test_one_file_is_not_enough(self) -> None:
        finished = run_in_process("measure", "people.csv", "--qi", "age")
        assert (finished.status, "ORIGINAL RELEASE" in finished.stderr) == (2, True)

    def test_a_k_of_0_is_none(self) -> None:
        finished = run_in_process("measure", "people.csv", "release.csv", "--qi", "age", "-k", 0)
        assert finished.status == 2
        assert "-k '0' is too small. Write a whole number of at least 1." in finished.stderr


class TestRisk:
    @pytest.mark.slow
    def test_risks_by_class_and_by_what_is_consistent(self) -> None:
        finished = run_in_process(
            "risk", "release.csv", "--qi", "age,town", "--original", "people.csv", "-k", 3, "--json"
        ).succeeded()
        document = finished.document
        assert document["prosecutor"]["highest"] == 0.5
        assert document["histogram"] == [{"size": 2, "classes": 2, "records": 4}]
        # Each of the first four fits two records and the suppressed one; Ed only the suppressed one.
        assert document["consistency"]["counts"] == [{"consistent": 1, "people": 1}, {"consistent": 3, "people": 4}]
        assert (document["consistency"]["below_k"], document["consistency"]["alone"]) == (1, 1)

    @pytest.mark.slow
    def test_a_configuration_knows_the_original_and_k(self) -> None:
        document = run_in_process("risk", "release.csv", "-config", "c.xml", "--json").succeeded().document
        assert document["consistency"]["k"] == 2

    def test_without_the_original_there_is_no_consistency_risk(self) -> None:
        finished = run_in_process("risk", "release.csv", "--qi", "age,town", "--json").succeeded()
        assert finished.document["consistency"] is None
        assert any("--original" in note for note in finished.document["notes"])

    @pytest.mark.slow
    def test_tables_for_eyes(self) -> None:
        seen = run_in_process("risk", "release.csv", "--qi", "age,town", "--original", "people.csv").succeeded().stdout
        for part in ("prosecutor", "classes by their size", "could be theirs", "fewer than k = 5"):
            assert part in seen

    @pytest.mark.slow
    def test_a_picture_of_both(self, folder: Path) -> None:
        options = ["risk", "release.csv", "--qi", "age,town", "--original", "people.csv", "--quiet"]
        run_in_process(*options, "--plot", "risk.svg").succeeded()
        drawn = (folder / "risk.svg").read_text(encoding="utf-8")
        assert "<svg" in drawn
        assert [path.name for path in folder.iterdir() if "risk" in path.name] == ["risk.svg"]
        finished = run_in_process(*options, "--plot", "risk.txt")
        assert (finished.status, ".svg" in finished.stderr) == (2, True)

    def test_a_threshold_is_a_probability(self) -> None:
        finished = run_in_process("risk", "release.csv", "--qi", "age", "--threshold", 2)
        assert (finished.status, "threshold" in finished.stderr) == (2, True)
