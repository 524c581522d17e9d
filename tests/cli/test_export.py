"""`him export` writes the policy of a run."""

from pathlib import Path

import onnx
import pytest

from him.cli import main as cli
from tests.cli import tiny
from tests.threads import one_thread  # noqa: F401


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "go1"
    assert tiny.train(folder, 1) == 0
    return folder


def test_export_writes_the_same_policy_anywhere(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run / "deep" / "walker.onnx"
    assert cli.main(["export", str(run), "--out", str(out)]) == 0
    assert str(out) in capsys.readouterr().out
    assert onnx.load(out) == onnx.load(run / "policy.onnx")


def test_export_writes_into_the_run_by_default(run: Path) -> None:
    before = (run / "policy.onnx").read_bytes()
    (run / "policy.onnx").unlink()
    assert cli.main(["export", str(run)]) == 0
    assert (run / "policy.onnx").read_bytes() == before


def test_weights_of_16_bits_halve_the_file(run: Path) -> None:
    out = run / "light.onnx"
    assert cli.main(["export", str(run), "--out", str(out), "--bits", "16"]) == 0
    weights = [sum(len(w.raw_data) for w in onnx.load(path).graph.initializer) for path in (run / "policy.onnx", out)]
    assert 0.5 * weights[0] <= weights[1] < 0.6 * weights[0]


@pytest.mark.parametrize(("back", "why"), [("0.5", "only a run with --start"), ("2", "from 1, the start, to -1")])
def test_there_must_be_a_way_back(run: Path, back: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = run / "back.onnx"
    assert cli.main(["export", str(run), "--out", str(out), "--back", back]) == cli.USAGE_ERROR
    assert why in capsys.readouterr().err
    assert not out.exists()


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", str(tmp_path)]) == cli.USAGE_ERROR
    assert "holds no run" in capsys.readouterr().err
