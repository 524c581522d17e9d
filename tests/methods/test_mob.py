"""MoB: told how to walk, with an estimator beside the policy; deployed from standard frames and a clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import torch

from him.env.behaviour import trot
from him.env.factors import NAMES
from him.env.protocol import Sizes
from him.env.settings import Commands, TaskSettings
from him.learn.export import export
from him.learn.rollout import View
from him.methods import METHODS, task_for
from him.methods.mob import ESTIMATED, FRAMES, Mob
from him.policy import History, frame, gravity_direction
from tests.env.tasks import ROBOT, begin, make, quiet
from tests.learn.conftest import one_thread as one_thread
from tests.learn.conftest import small
from tests.methods.toys import learner, trainer

SIZES = Sizes(69, 193 + len(NAMES), 12)
TRUTH = [NAMES.index(name) - len(NAMES) for name in ESTIMATED]


def test_only_who_asks_is_told_how_to_walk() -> None:
    for name in METHODS:
        task = task_for(name, TaskSettings())
        assert task.gait.active == (name == "mob")
        assert task.factors == (name in ("mob", "rma", "rma-original"))


def test_the_estimator_is_taught_friction_and_restitution() -> None:
    made = learner("mob")
    made.collect()
    view = View.flat(made.rollout, torch.arange(made.batch_size))
    history, truth = made.method.auxiliary_inputs(view)
    assert history.shape[1] == FRAMES
    assert torch.equal(truth, view.extra()[:, TRUTH])
    loss, _ = made.method.auxiliary_loss(history, truth)
    guess = made.method.estimator(history.flatten(1))
    torch.testing.assert_close(loss, (guess - truth).square().mean())


def test_ppos_gradient_reaches_the_estimator_too() -> None:
    method = learner("mob").method
    assert {id(p) for p in method.estimator.parameters()} <= {id(p) for p in method.policy_parameters()}
    method.actor(method.features(torch.randn(2, FRAMES, method.sizes.frame))).sum().backward()
    assert all(p.grad is not None and (p.grad != 0).any() for p in method.estimator.parameters())


def test_the_estimators_step_follows_each_of_ppos() -> None:
    made = learner("mob")
    order: list[str] = []
    auxiliary, policy = made._auxiliary_replay.function, made._policy_replay.function
    made._auxiliary_replay.function = lambda index: (order.append("estimator"), auxiliary(index))[1]
    made._policy_replay.function = lambda index: (order.append("policy"), policy(index))[1]
    made.iterate()
    assert order == ["policy", "estimator"] * (len(order) // 2)
    assert len(order) == 2 * made.settings.ppo.epochs * made.settings.ppo.minibatches


def test_the_actor_sees_the_whole_history_and_the_estimate() -> None:
    method = Mob(SIZES, small())
    context = torch.randn(3, FRAMES, 69)
    features = method.features(context)
    assert torch.equal(features[:, : FRAMES * 69], context.flatten(1))
    assert torch.equal(features[:, FRAMES * 69 :], method.estimator(context.flatten(1)))


def test_what_it_is_deployed_with_is_what_it_was_trained_with() -> None:
    """Standard frames as every controller builds them, the time and the behaviour give the task's own histories."""
    envs = 3
    task = make(envs, task_for("mob", quiet(commands=Commands(seconds=1e6))))
    torch.manual_seed(0)
    begin(task, 1000)
    method, behaviour = Mob(SIZES, small()), task.episode.more["behaviour"].clone()
    standard, own = ([History(n, size) for _ in range(envs)] for n, size in ((FRAMES + 1, 45), (FRAMES, 69)))
    action = np.zeros((envs, 12))
    seen = task.senses.observe(
        task.engine.qpos, task.engine.qvel, task.episode, torch.zeros(envs, 187), torch.zeros(envs, 69)
    )[0].frame
    for t in range(40):
        qpos, qvel = task.engine.qpos.double().numpy(), task.engine.qvel.double().numpy()
        newest = frame(
            task.episode.command,
            qvel[:, 3:6],
            gravity_direction(qpos[:, 3:7]),
            qpos[:, 7:] - ROBOT.default_joint_pos,
            qvel[:, 6:],
            action,
        )
        obs = torch.from_numpy(np.stack([h.push(x) for h, x in zip(standard, newest, strict=True)]))
        expected = np.stack([h.push(x) for h, x in zip(own, seen.numpy(), strict=True)])
        got = method.frames(obs, torch.full((envs, 1), 0.02 * t), behaviour)
        np.testing.assert_allclose(got.numpy(), expected, atol=2e-5)
        drawn = 0.5 * torch.randn(envs, 12)
        step = task.step(drawn)
        assert not step.done.any()
        action, seen = drawn.numpy(), step.observation.frame
    assert np.ptp(expected[:, :, -4:], axis=1).min() > 1.5, "the clocks went round"


def test_torch_and_onnxruntime_agree(tmp_path: Path) -> None:
    torch.manual_seed(0)
    method = Mob(SIZES, small())
    session = onnxruntime.InferenceSession(export(method, tmp_path / "p.onnx", {}), providers=["CPUExecutionProvider"])
    n = 20
    behaviour = torch.tensor(trot(ROBOT)).repeat(n, 1) + 0.1 * torch.rand(n, 11)
    inputs = {"obs": torch.randn(n, FRAMES + 1, 45), "time": 10 * torch.rand(n, 1), "behaviour": behaviour}
    assert {name: value.shape[1:] for name, value in inputs.items()} == {
        name: value.shape[1:] for name, value in method.inputs().items()
    }
    with torch.no_grad():
        expected = method.outputs(*inputs.values())["action"]
    feeds = {name: value.numpy() for name, value in inputs.items()}
    (got,) = session.run(["action"], feeds)
    np.testing.assert_allclose(got, expected.numpy(), atol=1e-5)
    (earlier,) = session.run(["action"], feeds | {"time": np.zeros((n, 1), np.float32)})
    assert np.abs(earlier - got).max() > 1e-4, "the clock matters"


def test_interrupted_and_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    whole = trainer("mob", tmp_path / "whole", 4)
    whole.run()
    made = trainer("mob", tmp_path / "run", 4)
    made.stop_at = 2
    assert made.run().reason == "interrupted"
    resumed = trainer("mob", tmp_path / "run", 4, resume=True)
    resumed.run()
    one, two = resumed.learner.state_dict(), whole.learner.state_dict()
    assert [name for name in one if not torch.equal(one[name], two[name])] == []
