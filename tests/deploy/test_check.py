"""The checks against a scripted robot that does what the person is asked to do to it, rightly or wrongly."""

import numpy as np
import pytest

from him import robots
from him.deploy import SimClock
from him.deploy.check import Check, Finding
from him.deploy.messages import State
from him.policy import JOINT_NAMES, Policy, gravity_direction

OUTWARDS = {"hip": 1.0, "thigh": 1.0, "calf": 1.0}


class Harness:
    """A hung-up robot: every sentence spoken makes the person move something from then on."""

    def __init__(self, clock, wiring=range(12), signs=(1.0,) * 12, imu_sign: float = 1.0) -> None:
        self.refused = 0
        self.torque_sent = False
        self.deaf = False
        self.loss = 0
        self._clock, self._wiring, self._signs, self._imu_sign = clock, list(wiring), signs, imu_sign
        self._pose = np.tile([0.0, 1.0, -1.8], 4)
        self._quaternion, self._rates = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
        self._count = 0

    def say(self, text: str) -> None:
        """Do what is asked."""
        half = 0.15
        self._quaternion, self._rates = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
        if text.startswith("Move the "):
            leg, kind = text.split()[2:4]
            index = JOINT_NAMES.index(f"{leg}_{kind}")
            way = -1.0 if kind == "hip" and leg in ("FR", "RR") else 1.0
            self._pose[self._wiring[index]] += 0.3 * way * self._signs[index]
        elif "nose down" in text:
            self._quaternion = np.array([np.cos(half), 0.0, self._imu_sign * np.sin(half), 0.0])
        elif "left side" in text:
            self._quaternion = np.array([np.cos(half), -self._imu_sign * np.sin(half), 0.0, 0.0])
        elif "turn it to its left" in text:
            self._rates = np.array([0.0, 0.0, 0.8 * self._imu_sign])

    def send(self, command) -> None:
        self.torque_sent |= command.servo or command.kp.any() or command.kd.any() or command.tau.any()

    def receive(self) -> State | None:
        self._count += 1
        if self.deaf or (self.loss and self._count % self.loss):
            return None
        return State(
            joint_pos=self._pose.copy(),
            joint_vel=np.zeros(12),
            joint_torque=np.zeros(12),
            quaternion=self._quaternion,
            angular_velocity=self._rates,
            acceleration=-9.81 * gravity_direction(self._quaternion),
            tick=self._count,
        )

    def close(self) -> None:
        pass


def findings(robot, policy=None, **wrong):
    clock = SimClock()
    harness = Harness(clock, **wrong)
    found = list(Check(robot, harness, clock, harness.say, policy).run())
    assert not harness.torque_sent
    return {finding.name: finding for finding in found}


def test_good_robot_passes_everything_without_torque(robot, policy):
    found = findings(robot, policy)
    assert all(finding.passed for finding in found.values()), found
    assert list(found)[:2] == ["packets", "limits"]
    assert len(found) == 2 + 4 + 12 + 1


@pytest.mark.parametrize("name", ["aliengo", "a1", "go1", "go2"])
def test_a_dry_run_shows_signs_and_order(name):
    policy, clock = Policy(name), SimClock()
    standing = np.array(policy.contract.default_joint_pos)

    def run(pose: np.ndarray) -> Finding:
        harness = Harness(clock)
        harness._pose = pose
        return Check(robots.load(name), harness, clock, lambda text: None, policy).dry_run(policy)

    assert run(standing).passed
    assert run(np.tile([0.0, 0.3, -1.0], 4)).passed, "legs that hang"
    assert run(np.tile([0.0, 1.36, -2.65], 4)).passed, "legs that are folded"
    for wrong in (-standing, standing[::-1]):
        found = run(wrong)
        assert not found.passed
        assert "does not know this pose" in found.detail


def test_without_hands_nobody_is_asked_to_move_anything(robot, policy):
    clock, asked = SimClock(), []
    found = list(Check(robot, Harness(clock), clock, asked.append, policy).run(hands=False))
    assert [finding.name for finding in found] == ["packets", "limits", "IMU level", "dry run"]
    assert all(finding.passed for finding in found)
    assert not any(word in text for text in asked for word in ("Move", "Tilt", "turn"))


def test_swapped_legs_are_found(robot):
    found = findings(robot, wiring=[3, 4, 5, 0, 1, 2, 6, 7, 8, 9, 10, 11])
    assert "FR_hip moved instead" in found["FL_hip"].detail
    assert {name for name, finding in found.items() if not finding.passed} == set(JOINT_NAMES[:6])


def test_wrong_sign_is_found(robot):
    found = findings(robot, signs=(1.0, 1.0, 1.0, -1.0, *[1.0] * 8))
    assert [name for name, finding in found.items() if not finding.passed] == ["FR_hip"]
    assert "sign" in found["FR_hip"].detail


def test_mirrored_imu_is_found(robot):
    found = findings(robot, imu_sign=-1.0)
    wrong = {name for name, finding in found.items() if not finding.passed}
    assert wrong == {"IMU pitch", "IMU roll", "IMU yaw"}


@pytest.mark.parametrize("axis", ["pitch", "roll"])
def test_signs_asked_for_are_those_of_the_frame(axis):
    """Nose down shows gravity forwards, a lean to the left shows it leftwards."""
    harness = Harness(SimClock())
    harness.say("Tilt the nose down." if axis == "pitch" else "tilt it to its left side")
    gravity = gravity_direction(harness.receive().quaternion)
    assert gravity[0 if axis == "pitch" else 1] > 0.2


def checked(robot, **changes):
    clock = SimClock()
    harness = Harness(clock)
    for name, value in changes.items():
        setattr(harness, name, value)
    return Check(robot, harness, clock, harness.say)


def test_silent_robot_stops_the_checks_at_once(robot):
    found = list(checked(robot, deaf=True).run())
    assert [finding.passed for finding in found] == [False]


def test_slow_packets_and_refused_packets_fail(robot):
    assert not checked(robot, loss=4).packets().passed
    assert not checked(robot, refused=3).packets().passed
    assert checked(robot).packets().passed


def test_joint_outside_its_limits_is_named(robot):
    check = checked(robot, _pose=np.tile([0.0, 1.0, 0.5], 4))
    finding = check.limits()
    assert not finding.passed
    assert "FL_calf reads 0.50" in finding.detail


def test_person_who_does_nothing_fails_the_joint(robot):
    clock = SimClock()
    finding = Check(robot, Harness(clock), clock, lambda text: None).joint(0)
    assert not finding.passed
    assert finding.detail == "no joint moved"
