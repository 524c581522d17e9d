"""The doctor tries things for real and names the remedy for what fails."""

import pytest

from him.cli import doctor, probes
from him.cli.probes import Finding


def test_the_native_engine_is_really_stepped() -> None:
    finding = probes.attempt("native")
    assert finding.works
    assert finding.detail.startswith("MuJoCo 4.")


def test_a_broken_library_is_found_out() -> None:
    assert not probes.attempt("rendering", MUJOCO_GL="nonsense").works


def test_a_missing_package_names_its_extra() -> None:
    finding = probes.attempt("package", "viser.nonsense", "viser")
    assert not finding.works
    assert doctor.remedy(doctor.Row("live view", finding)) == "pip install 'him[view]'"


def test_a_crash_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "TIMEOUT", 20)
    finding = probes.attempt("package", "him.nonsense", "him")
    assert finding == Finding(False, "No module named 'him.nonsense'")


def row(what: str, works: bool, essential: bool = False) -> doctor.Row:
    return doctor.Row(what, Finding(works, "found [out]"), "apt install it", essential)


@pytest.mark.parametrize(("native", "onnx", "code"), [(True, False, 0), (False, True, 0), (False, False, 1)])
def test_fails_only_when_nothing_can_run(
    native: bool, onnx: bool, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row("native", native, True), row("onnx", onnx, True), row("video", True), row("egl", False)]
    monkeypatch.setattr(doctor, "examine", lambda: iter(rows))
    assert doctor.main([]) == code
    shown = capsys.readouterr().out
    assert "apt install it" in shown
    assert "found [out]" in shown
