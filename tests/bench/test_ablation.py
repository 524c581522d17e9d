"""Learning curves: which runs belong together, and what is averaged."""

from pathlib import Path

import numpy as np
import pytest

from him.bench import ablation, runs
from him.bench.runs import Trained
from him.errors import HimError
from tests.bench import trained


def read(folder: Path, *args: object, **more: object) -> Trained:
    return runs.read(trained.run(folder, *args, **more))


def test_seeds_are_averaged_with_their_deviation_and_one_has_none(tmp_path: Path) -> None:
    found = [read(tmp_path / f"him-{seed}", "him", seed, 0.8 + 0.02 * seed) for seed in range(3)]
    result = ablation.result([*found, read(tmp_path / "oracle", "oracle")], "aliengo")
    assert list(result["methods"]) == ["him", "oracle"]
    him = result["methods"]["him"]
    ends = [run.metrics[-1]["tracking/linear_score"] for run in found]
    assert him["samples"][-1] == 200_000_000
    assert him["linear_score"]["mean"][-1] == pytest.approx(np.mean(ends), abs=1e-4)
    assert him["linear_score"]["deviation"][-1] == pytest.approx(np.std(ends, ddof=1), abs=1e-4)
    assert result["methods"]["oracle"]["linear_score"]["deviation"] is None


def test_the_final_figure_is_the_mean_over_the_last_tenth(tmp_path: Path) -> None:
    run = read(tmp_path / "a")
    figure = ablation.curves([run])["mean_level"]["final"]
    assert figure == pytest.approx(6 * 0.9 * 0.95, abs=0.05), "a line that rises to 5.4"


def test_runs_of_other_lengths_are_compared_where_both_have_samples(tmp_path: Path) -> None:
    long, short = read(tmp_path / "a"), read(tmp_path / "b", "him", 1)
    del short.metrics[40:]
    samples = ablation.curves([long, short])["samples"]
    assert samples[-1] == short.metrics[-1]["samples"]


def test_changed_runs_and_shorter_budgets_are_no_seeds_of_the_method(tmp_path: Path) -> None:
    found = [
        read(tmp_path / "plain"),
        read(tmp_path / "short", samples=100_000_000),
        read(tmp_path / "hot", him__temperature=3.0),
        read(tmp_path / "a1", robot="a1"),
    ]
    assert ablation.result(found, "aliengo")["methods"]["him"]["runs"] == ["plain"]


def test_what_all_runs_have_in_common_is_no_difference(tmp_path: Path) -> None:
    found = [
        read(tmp_path / f"{method}-{seed}", method, seed, envs=8192) for method in ("him", "rma") for seed in (0, 1)
    ]
    found.append(read(tmp_path / "hot", envs=8192, him__temperature=3.0))
    methods = ablation.result(found, "aliengo")["methods"]
    assert {name: about["runs"] for name, about in methods.items()} == {
        "him": ["him-0", "him-1"],
        "rma": ["rma-0", "rma-1"],
    }


def test_prototypes_are_compared_at_one_budget(tmp_path: Path) -> None:
    found = [read(tmp_path / f"p{n}", samples=100_000_000, prototypes=n) for n in (8, 16, 256)]
    found.append(read(tmp_path / "long"))
    found.append(read(tmp_path / "hot", samples=100_000_000, prototypes=8, him__temperature=3.0))
    result = ablation.result(found, "aliengo")
    assert list(result["prototypes"]) == ["8", "16", "256"]
    assert result["prototypes"]["8"]["runs"] == ["p8"]
    assert result["methods"]["him"]["runs"] == ["long"]
    page = ablation.markdown(result)
    assert "## Number of prototypes" in page
    assert "| 256 | 1 | 100 |" in page


def test_one_number_of_prototypes_is_no_sweep(tmp_path: Path) -> None:
    result = ablation.result([read(tmp_path / "a")], "aliengo")
    assert result["prototypes"] == {}
    assert "prototypes" not in ablation.markdown(result)


def test_a_run_without_the_metric_is_named(tmp_path: Path) -> None:
    run = read(tmp_path / "old")
    for line in run.metrics:
        del line["terrain/highest"]
    with pytest.raises(HimError, match="old have no terrain/highest"):
        ablation.result([run], "aliengo")


def test_what_was_not_finite_is_passed_over(tmp_path: Path) -> None:
    run = read(tmp_path / "a")
    before = ablation.curves([run])["mean_level"]["mean"]
    run.metrics[20]["terrain/level"] = None
    np.testing.assert_allclose(ablation.curves([run])["mean_level"]["mean"], before, atol=2e-4)


def test_a_robot_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HimError, match="no run of go1"):
        ablation.result([read(tmp_path / "a")], "go1")
