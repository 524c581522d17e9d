"""`him bench ...`: from the command to the files, with few robots, on the CPU."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from him.bench import trial
from him.bench.campaign import Campaign
from him.bench.launch import Clock
from him.cli import bench_campaign
from him.cli import main as cli
from tests.bench import trained
from tests.bench.measured import record
from tests.bench.policies import untrained
from tests.cli import tiny
from tests.threads import one_thread  # noqa: F401


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(path: str) -> dict[str, Any]:
    return json.loads(Path(path).read_text())


@pytest.fixture
def small_arenas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever walks for a second does not need 50 metres."""
    monkeypatch.setattr(trial, "ARENA", 2)


@pytest.mark.usefixtures("small_arenas")
def test_tracking_from_a_policy_to_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """Real physics, a few trials of a second and a bit."""
    untrained(Path("go1-him-0.onnx"))
    words = ["bench", "tracking", "go1-him-0.onnx", "--trials", "8", "--seconds", "1.1", "--device", "cpu"]
    assert cli.main(words) == 0
    table = read("results/tracking/go1.json")
    assert list(table["columns"]) == ["him"]
    assert len(table["rows"]) == 24
    assert {row["columns"]["him"]["trials"] for row in table["rows"]} == {8}
    assert Path("results/tracking/go1.png").stat().st_size > 10_000
    assert "| stairs | combined | ±1 | angular |" in Path("results/tracking/go1.md").read_text()
    before = Path("results/tracking/policies/go1-him-0.json").stat().st_mtime_ns
    capsys.readouterr()
    assert cli.main(words) == 0, "nothing is left to do"
    assert Path("results/tracking/policies/go1-him-0.json").stat().st_mtime_ns == before
    assert "HIM (paper)" in capsys.readouterr().out


def test_tracking_without_anything_measured_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "tracking"]) == cli.USAGE_ERROR
    assert "name at least one policy" in capsys.readouterr().err


@pytest.mark.usefixtures("small_arenas")
def test_latents_from_two_policies() -> None:
    for method in ("him", "regression"):
        untrained(Path(f"go1-{method}-0.onnx"), method)
    how = ["--robots", "4", "--levels", "0", "--seconds", "1.1", "--instants", "2", "--points", "20", "--device", "cpu"]
    assert cli.main(["bench", "latent", "go1-him-0.onnx", "go1-regression-0.onnx", *how]) == 0
    result = read("results/latent/go1.json")
    assert list(result["policies"]) == ["him", "regression"]
    assert Path("results/latent/go1.png").exists()
    assert "| Regression | latent |" in Path("results/latent/go1.md").read_text()


def test_latents_of_two_robots_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for robot in ("go1", "a1"):
        untrained(Path(f"{robot}.onnx"), robot=robot)
    assert cli.main(["bench", "latent", "go1.onnx", "a1.onnx", "--device", "cpu"]) == cli.USAGE_ERROR
    assert "one robot, not on a1, go1" in capsys.readouterr().err


@pytest.mark.usefixtures("small_arenas")
def test_the_contrastive_study_of_a_run() -> None:
    assert tiny.train(Path("runs/go1-him-0"), 2) == 0
    how = [
        "--robots",
        "2",
        "--rollouts",
        "0",
        "--probe-robots",
        "0",
        "--device",
        "cpu",
        "--page",
        "docs/contrastive.md",
    ]
    assert cli.main(["bench", "contrastive", "runs/go1-him-0", *how]) == 0
    result = read("results/contrastive/contrastive.json")
    assert [row["run"] for row in result["rows"]] == ["go1-him-0"]
    measured = Path("results/contrastive/runs/go1-him-0.json")
    before = measured.stat().st_mtime_ns
    assert cli.main(["bench", "contrastive", "runs/go1-him-0", *how]) == 0
    assert measured.stat().st_mtime_ns == before, "not measured again"
    assert "    him train go1" in Path("docs/contrastive.md").read_text()


@pytest.mark.usefixtures("small_arenas")
def test_internal_models_taught_anew(capsys: pytest.CaptureFixture[str]) -> None:
    untrained(Path("go1-him-0.onnx"))
    how = ["--robots", "4", "--seconds", "0.1", "--epochs", "1", "--batch", "64", "--probe-robots", "0"]
    words = ["bench", "relearn", "go1-him-0.onnx", *how, "--device", "cpu", "--only", "default"]
    assert cli.main(words) == 0
    measured = Path("results/contrastive/relearned/default.json")
    before = measured.stat().st_mtime_ns
    assert cli.main([*words, "weight-0"]) == 0
    assert measured.stat().st_mtime_ns == before, "not measured again"
    assert [row["run"] for row in read("results/contrastive/relearned.json")["rows"]] == ["default", "weight-0"]
    page = Path("results/contrastive/relearned.md").read_text()
    assert "| τ 0.1, sum, ×0 | 0.0 | 0.0 |" in page
    assert f"    him bench relearn go1-him-0.onnx {' '.join(how)}\n" in page
    assert "error" not in page.split("| variant")[1], "columns of what nobody measured are left out"
    assert cli.main([*words, "strange"]) == cli.USAGE_ERROR
    assert "no variant strange" in capsys.readouterr().err


def test_ablation_of_named_runs_and_of_a_folder() -> None:
    folders = [str(trained.run(Path(f"runs/{method}"), method)) for method in ("him", "oracle")]
    assert cli.main(["bench", "ablation", *folders, "--out", "here"]) == 0
    assert cli.main(["bench", "ablation", "--runs", "runs", "--out", "there"]) == 0
    assert read("here/aliengo.json") == read("there/aliengo.json")
    assert Path("here/aliengo.png").exists()
    assert not Path("here/aliengo-prototypes.png").exists()


def test_a_report_of_everything_there_is() -> None:
    for method in ("him", "rma"):
        record(Path("results/tracking/policies"), method, 1.0)
        trained.run(Path(f"results/aliengo-{method}-0"), method)
    assert cli.main(["bench", "report"]) == 0
    page = Path("results/report.md").read_text()
    assert "**not measured**" in page
    assert "## Tracking errors, aliengo" in page
    assert "![aliengo](ablation/aliengo.png)" in page
    html = Path("results/report.html").read_text()
    assert html.count("data:image/png;base64,") == 2


def test_a_report_of_nothing_says_so() -> None:
    Path("results").mkdir()
    assert cli.main(["bench", "report"]) == 0
    assert Path("results/report.md").read_text().count("**not measured**") == 12


def test_a_dry_campaign_tells_every_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "campaign", "--stage", "3", "--dry-run", "--train=--log-every=50"]) == 0
    said = capsys.readouterr().out
    assert "him train a1 --method mob --seed 0 --samples 200000000 --log-every=50 --out runs/a1-mob-0" in said
    assert said.count("train, keep, tracking") == 5
    assert not list(Path().iterdir())


def test_a_campaign_concludes_only_when_all_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[str] = []

    def launch(words: Sequence[str], log: Path, clock: Clock) -> None:
        launched.append(words[1])

    monkeypatch.setattr(bench_campaign, "Campaign", partial(Campaign, launch=launch))
    for finished, expected in ((False, ["report"]), (True, ["latent", "report"])):
        launched.clear()
        monkeypatch.setattr(Campaign, "run", lambda self, jobs, done=finished: done)
        assert cli.main(["bench", "campaign", "--stage", "1"]) == (0 if finished else 1)
        assert launched == expected
    assert "stage 1 is done" in capsys.readouterr().out
