"""The results of a benchmark outlive a crash, and only what can be compared is put side by side."""

from dataclasses import replace

from bench_results import Run, append_result, comparable, read_results

RUN = Run(
    input="census",
    records=10_000,
    program="Mondrian",
    round=1,
    quasi_identifiers=9,
    k=5,
    l=3,
    threads=2,
    memory_limit="2GB",
    environment={"toolbox": "1"},
    load_before=0.0,
    wall_seconds=2.5,
    timings={"read": 1.0},
)


def test_what_is_appended_is_read_again_in_order(tmp_path):
    path = tmp_path / "results.jsonl"
    append_result(path, RUN)
    append_result(path, replace(RUN, round=2, failure="no result in 5 s"))
    assert read_results(path) == [RUN, replace(RUN, round=2, failure="no result in 5 s")]


def test_without_a_file_there_is_no_result(tmp_path):
    assert read_results(tmp_path / "results.jsonl") == []


def test_a_line_that_was_cut_short_is_passed_over_and_spoils_no_other(tmp_path, capsys):
    path = tmp_path / "results.jsonl"
    append_result(path, RUN)
    path.write_bytes(path.read_bytes() + b'{"input": "cen')
    append_result(path, replace(RUN, round=2))
    assert read_results(path) == [RUN, replace(RUN, round=2)]
    assert capsys.readouterr().err == f"{path}: a line that is no result is passed over\n"


def test_of_two_runs_of_one_thing_the_later_counts():
    again = replace(RUN, wall_seconds=3.0)
    assert comparable([RUN, replace(RUN, round=2), again]) == [again, replace(RUN, round=2)]


def test_only_runs_made_as_the_last_one_are_comparable():
    others = [
        replace(RUN, environment={"toolbox": "0"}),
        replace(RUN, k=10),
        replace(RUN, l=2),
        replace(RUN, threads=1),
    ]
    last = replace(RUN, program="Datafly", memory_limit="4GB")
    assert comparable([*others, RUN, last]) == [RUN, last]
    assert comparable([]) == []
