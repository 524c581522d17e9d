"""The fake robot behind its packets: walks, brakes when nobody commands, and counts what happens."""

import numpy as np
import pytest

from him.deploy import Mode, SimClock
from him.deploy.check import Check
from him.deploy.messages import Command, damping, off
from him.errors import HimError
from him.fake import status
from him.fake.server import Settings
from him.fake.status import Status
from him.policy import Policy
from tests.fake.lockstep import Lockstep, Walk


@pytest.fixture(scope="module")
def aliengo() -> Policy:
    return Policy("aliengo")


def test_the_shipped_policy_walks_through_losses_and_latency(aliengo: Policy) -> None:
    with Lockstep("aliengo", Settings(loss=0.1, latency=0.004, seed=1)) as world:
        walk = Walk(world, aliengo, speed=1.0)
        walk.run(7.0)
        seen = world.robot.status()
    assert walk.controller.mode == Mode.WALK
    assert walk.controller.stops == []
    assert seen.distance > 4.0
    assert (seen.falls, seen.refused, seen.slipped) == (0, 0, 0.0)
    assert seen.lost / (seen.received + seen.sent + seen.lost) == pytest.approx(0.1, abs=0.02)


def test_the_same_seed_gives_the_same_walk(aliengo: Policy) -> None:
    def end(seed: int) -> Status:
        with Lockstep("aliengo", Settings(loss=0.05, seed=seed)) as world:
            Walk(world, aliengo, speed=0.5).run(0.6)
            return world.robot.status()

    assert end(3) == end(3)
    assert end(3).position != end(4).position


@pytest.mark.parametrize("robot", ["a1", "go1", "aliengo"])
def test_the_check_of_a_robot_left_alone_passes_over_the_wire(robot: str, aliengo: Policy) -> None:
    with Lockstep(robot, Settings()) as world:
        policy = aliengo if robot == "aliengo" else None
        check = Check(world.table, world.link, world.clock, lambda text: None, policy)
        found = list(check.run(hands=False))
        assert world.robot.mode == status.Mode.OFF, "a check sends no torque"
    assert [finding.name for finding in found if not finding.passed] == []
    assert len(found) == 3 + (policy is not None)


def stand(world: Lockstep) -> Command:
    """Stand it up by hand, so that there is something to lose."""
    table = world.table
    hold = Command(q=table.default_joint_pos, kp=table.stand_kp, kd=table.stand_kd)
    folded = world.robot.body.data.qpos[7:].copy()
    for share in np.linspace(0.0, 1.0, 500):
        hold.q = folded + share * (table.default_joint_pos - folded)
        world.link.send(hold)
        world.advance(0.002)
    assert world.robot.body.position[2] == pytest.approx(table.standing_height, abs=0.04)
    return hold


def test_silence_means_braking_after_the_watchdog_s_time() -> None:
    with Lockstep("a1", Settings(latency=0.0, watchdog=0.1)) as world:
        hold = stand(world)
        world.advance(0.1)
        assert world.robot.mode == status.Mode.SERVO
        world.advance(0.002)
        assert world.robot.mode == status.Mode.SILENCE
        world.advance(2.0)
        seen = world.robot.status()
        assert seen.position[2] < 0.6 * world.table.standing_height
        assert seen.speed < 0.05
        assert seen.tilt < 0.3
        assert seen.falls == 0, "lying down with brakes on is no fall"
        world.link.send(hold)
        world.advance(0.002)
        assert world.robot.mode == status.Mode.SERVO


def test_without_a_watchdog_the_last_command_stays() -> None:
    with Lockstep("a1", Settings(latency=0.0, watchdog=0.0)) as world:
        stand(world)
        world.advance(3.0)
        assert world.robot.mode == status.Mode.SERVO
        assert world.robot.body.position[2] == pytest.approx(world.table.standing_height, abs=0.04)


def test_motors_that_are_off_stay_off_in_silence() -> None:
    with Lockstep("a1", Settings(latency=0.0)) as world:
        assert world.robot.mode == status.Mode.WAITING
        world.link.send(off())
        world.advance(1.0)
        assert world.robot.mode == status.Mode.OFF
        world.link.send(damping(3.0))
        world.advance(0.002)
        assert world.robot.mode == status.Mode.DAMPING


def test_falls_are_counted() -> None:
    with Lockstep("go1", Settings(latency=0.0, watchdog=0.0)) as world:
        stand(world)
        assert world.robot.falls == 0, "standing up is no fall"
        world.link.send(Command(q=np.tile([0.0, 2.5, -2.6], 4), kp=world.table.kp, kd=world.table.kd))
        world.advance(1.5)
        assert world.robot.falls == 1
        world.advance(1.0)
        assert world.robot.falls == 1, "lying is no new fall"


def test_rolling_over_is_a_fall() -> None:
    with Lockstep("go1", Settings(latency=0.0, watchdog=0.0)) as world:
        stand(world)
        world.robot.body.data.qpos[3:7] = np.cos(0.6), np.sin(0.6), 0.0, 0.0
        world.advance(0.002)
        assert world.robot.falls == 1


def test_it_keeps_up_with_the_clock_and_lets_long_stalls_go() -> None:
    told: list[Status] = []
    with Lockstep("a1", Settings()) as world:
        clock = SimClock()
        robot = world.robot
        robot.run(clock, lambda: clock.now() >= 0.5, told.append)
        assert robot.now == pytest.approx(0.5, abs=0.01)
        assert [round(each.time, 1) for each in told] == [0.0, 0.1, 0.2, 0.3, 0.4]
        for stall, slipped in ((0.04, 0.0), (1.0, 1.0)):
            pending = [stall]

            def stop(until: float = clock.now() + stall + 0.2, pending: list[float] = pending) -> bool:
                if pending:
                    clock.sleep_until(clock.now() + pending.pop())
                return clock.now() > until

            before, begun = robot.now, clock.now()
            robot.run(clock, stop, told.append)
            assert robot.slipped == pytest.approx(slipped, abs=0.003)
            assert robot.now - before == pytest.approx(clock.now() - begun - slipped, abs=0.005)


@pytest.mark.parametrize("wrong", [{"loss": 1.5}, {"loss": float("nan")}, {"latency": -1.0}, {"watchdog": -0.1}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(HimError, match=next(iter(wrong))):
        Settings(**wrong)
