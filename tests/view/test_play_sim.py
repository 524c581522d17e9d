import numpy as np
import torch

from him import robots
from him.policy import Policy
from him.sim.engine import Parameters
from him.sim.material import IMPEDANCE, solref
from him.sim.native_engine import NativeEngine
from him.view.play_course import course
from him.view.play_sim import Simulation


def test_a_robot_that_holds_its_pose_stands(still):
    there = course("stairs", 3)
    simulation = Simulation(Policy(still), there.terrain, there.start)
    for _ in range(100):
        state = simulation.step(np.zeros(3))
    assert not state.fallen
    assert state.time > 1.99
    assert np.abs(state.velocity).max() < 0.05
    ground = float(there.terrain.height(*state.qpos[:2]))
    assert abs(state.qpos[2] - ground - simulation.robot.standing_height) < 0.05
    assert state.estimate is not None


def test_physics_is_that_of_training(restless):
    """The engine that trains, given the same targets, ends in the same place."""
    there, robot = course("obstacles", 5), robots.load("a1")
    simulation = Simulation(Policy(restless), there.terrain, there.start)
    engine = NativeEngine(robot, there.terrain, 1, threads=1)
    one = torch.ones(1)
    nominal = Parameters(
        body=torch.zeros(1, dtype=torch.int32),
        friction=one,
        solref=torch.tensor([solref(0.0)]),
        impedance=torch.full((1,), IMPEDANCE),
        kp=torch.tensor(robot.kp[None]).float(),
        kd=torch.tensor(robot.kd[None]).float(),
        delay=torch.zeros(1, dtype=torch.int32),
    )
    start = torch.tensor(simulation.qpos[None]).float()
    engine.reset(one.bool(), start, torch.zeros(1, 18), nominal)
    for _ in range(25):
        state = simulation.step((0.5, 0.0, 0.0))
        target = robot.default_joint_pos + robot.action_scale * simulation.action
        engine.step(torch.tensor(target[None]).float())
    assert np.abs(state.qpos[7:] - robot.default_joint_pos).max() > 0.1, "the policy hardly moved"
    np.testing.assert_allclose(state.qpos, engine.qpos[0].numpy(), atol=1e-5)


def test_a_push_moves_and_a_reset_forgets(still):
    there = course("flat")
    simulation = Simulation(Policy(still), there.terrain, there.start)
    first = simulation.step(np.zeros(3))
    simulation.push([0.0, 1.0, 0.0])
    assert simulation.step(np.zeros(3)).velocity[1] > 0.5
    simulation.reset()
    again = simulation.step(np.zeros(3))
    np.testing.assert_array_equal(first.qpos, again.qpos)


def test_a_robot_on_its_back_has_fallen(still):
    there = course("flat")
    simulation = Simulation(Policy(still), there.terrain, there.start)
    simulation.push([0.0, 6.0, 2.0])
    assert any(simulation.step(np.zeros(3)).fallen for _ in range(100))
