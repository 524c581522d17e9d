import builtins

import numpy as np
import pytest

from him.deploy import Request
from him.deploy.log import Log, read
from him.deploy.replay import plot, stops, summary
from him.errors import HimError


@pytest.fixture
def recording(make_rig, tmp_path):
    path = tmp_path / "walk.log"
    log = Log(path, {"robot": "a1"})
    rig = make_rig(log=log)
    rig.walk()
    rig.link.state.quaternion = np.array([np.cos(0.6), np.sin(0.6), 0.0, 0.0])
    rig.run(0.5)
    rig.link.state.quaternion = np.array([1.0, 0.0, 0.0, 0.0])
    rig.ask(Request.RESTART, 0.1)
    rig.ask(Request.DAMPING, 0.1)
    log.close()
    return read(path)


def test_summary_tells_what_happened(recording):
    lines = summary(recording)
    assert lines["robot"] == "a1"
    assert "walk" in lines["modes"]
    assert lines["tilt"] == "at most 69 degrees"
    assert ", 0 late" in lines["period"]


def test_each_stop_is_listed_with_its_reason(recording):
    kinds = [stop.split(" at ")[0] for stop in stops(recording)]
    assert kinds == ["tilt", "operator"]


def test_plot_draws_a_picture(recording, tmp_path):
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    plot(recording, tmp_path / "sub" / "walk.png")
    assert (tmp_path / "sub" / "walk.png").read_bytes().startswith(b"\x89PNG")


def test_missing_matplotlib_is_named(recording, tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(name=name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(HimError, match="pip install matplotlib"):
        plot(recording, tmp_path / "walk.png")


def test_empty_log_is_named(tmp_path):
    Log(tmp_path / "x.log").close()
    with pytest.raises(HimError, match="no cycles"):
        summary(read(tmp_path / "x.log"))
