import numpy as np
import pytest

from him.deploy import Mode, Request
from him.deploy.log import RECORD, Log, read
from him.deploy.safety import Fault
from him.errors import HimError


@pytest.fixture
def recorded(make_rig, tmp_path):
    """A walk that ends in damping, and its log, not closed: as after a crash."""
    path = tmp_path / "walk.log"
    rig = make_rig(log=Log(path, {"robot": "a1"}))
    rig.walk()
    rig.operator.command = np.array([0.5, 0.0, 0.0])
    rig.run(0.5)
    rig.link.state.quaternion = np.array([np.cos(0.6), np.sin(0.6), 0.0, 0.0])
    rig.run(0.1)
    return rig, path


def test_log_gives_back_every_cycle(recorded):
    rig, path = recorded
    log = read(path)
    assert log.about == {"robot": "a1"}
    assert 0 <= rig.controller.timing.cycles - log.time.size < 50
    np.testing.assert_allclose(np.diff(log.time), 0.002, atol=1e-9)
    assert set(log.mode) == {Mode.PASSIVE, Mode.STAND_UP, Mode.STAND, Mode.WALK, Mode.DAMPING}
    walking = np.flatnonzero(log.mode == Mode.WALK)
    sent = np.array([rig.link.sent[i].q for i in walking])
    np.testing.assert_allclose(log.columns["target"][walking], sent, atol=1e-4)
    np.testing.assert_allclose(log.columns["command"][walking[-1]], [0.5, 0.0, 0.0], atol=1e-3)
    assert np.isfinite(log.columns["velocity"][walking]).all()
    assert np.isnan(log.columns["target"][0]).all()


def test_trip_is_in_the_file_at_once(recorded):
    log = read(recorded[1])
    assert log.fault[np.flatnonzero(log.mode == Mode.DAMPING)[0]] == Fault.TILT


def test_record_cut_short_is_ignored(recorded):
    _, path = recorded
    whole = read(path).time.size
    path.write_bytes(path.read_bytes()[:-7])
    assert read(path).time.size == whole - 1


def test_log_stays_compact():
    assert RECORD.itemsize * 500 * 3600 < 300e6, "an hour at 500 Hz fits in 300 MB"


def test_numbers_that_are_not_finite_come_back_as_such(make_rig, tmp_path):
    rig = make_rig(log=Log(tmp_path / "x.log"))
    rig.run(0.01)
    rig.link.state.joint_vel[0] = np.nan
    rig.link.state.joint_vel[1] = 1e9
    rig.ask(Request.DAMPING, 0.01)
    last = read(tmp_path / "x.log").columns["joint_vel"][-1]
    assert np.isnan(last[0])
    assert last[1] == pytest.approx(131.068)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not a log"),
        (b"HIMLOG1\n", "is not a log"),
        (b"HIMLOG1\n\x05\x00\x00\x00{tru", "damaged"),
        (b"HIMLOG1\n\x02\x00\x00\x00{}", "damaged"),
        (b'HIMLOG1\n\x25\x00\x00\x00{"record_bytes": 3, "columns":   [] }', "another release"),
    ],
)
def test_damaged_file_is_refused(tmp_path, content, words):
    (tmp_path / "x.log").write_bytes(content)
    with pytest.raises(HimError, match=words):
        read(tmp_path / "x.log")


def test_missing_file_is_named(tmp_path):
    with pytest.raises(HimError, match="none"):
        read(tmp_path / "none")
