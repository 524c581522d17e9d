"""RMA: a policy that is told the factors, then a student that guesses what it was told from its own walks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from torch import nn

from him.env.factors import NAMES
from him.env.protocol import Sizes
from him.env.settings import Randomisation, TaskSettings
from him.learn import checkpoint
from him.learn.export import export
from him.learn.learner import Learner
from him.learn.method import phases
from him.learn.rollout import View
from him.learn.run import Run
from him.methods import METHODS, rma, task_for
from him.methods.rma import FRAMES, LATENT, Adaptation, Rma, RmaOriginal, Student
from tests.env.tasks import make
from tests.learn.conftest import one_thread as one_thread
from tests.learn.conftest import small
from tests.methods.toys import Told, learner, trainer

SIZES = Sizes(45, 193 + len(NAMES), 12)


def second(first: Learner) -> Learner:
    made = Learner(first.task, first.method.following())
    made.start()
    return made


def copied(module: nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in module.state_dict().items()}


def same(module: nn.Module, before: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


# the networks


def test_the_adaptation_module_is_the_published_one() -> None:
    net = Adaptation(42)
    convolutions = [m for m in net.convolutions if isinstance(m, nn.Conv1d)]
    shapes = [(c.in_channels, c.out_channels, c.kernel_size[0], c.stride[0]) for c in convolutions]
    assert shapes == [(32, 32, 8, 4), (32, 32, 5, 1), (32, 32, 5, 1)]
    assert net.last.in_features == 3 * 32
    assert sum(p.numel() for p in net.convolutions.parameters()) == 18_528
    assert sum(p.numel() for p in net.last.parameters()) == 776
    assert net(torch.randn(5, FRAMES, 42)).shape == (5, LATENT)


def test_the_newest_frames_count_and_channels_do_not_mix_with_time() -> None:
    torch.manual_seed(0)
    net, past = Adaptation(9), torch.randn(1, FRAMES, 9)
    said = net(past)
    for age, matters in ((0, True), (20, True), (47, True), (48, False), (49, False)):
        other = past.clone()
        other[:, age] += 1.0
        assert bool((net(other) != said).any()) == matters, f"frame {age}"
    assert not torch.allclose(net(past.flip(1)), said)


def test_the_encoder_reads_all_factors_and_never_the_velocity() -> None:
    method = Rma(SIZES, small())
    context = torch.randn(1, 1, 45 + SIZES.extra, requires_grad=True)
    method.features(context)[:, 45:].sum().backward()
    used = context.grad[0, 0] != 0
    assert not used[: 45 + 3].any(), "neither the frame nor the velocity"
    assert used[45 + 3 :].all(), "force, elevation map and factors"


def test_the_original_reads_its_own_factors_alone() -> None:
    method = RmaOriginal(SIZES, small())
    extra = torch.randn(3, SIZES.extra)
    told = dict(zip(method.names, method.told(extra).unbind(-1), strict=True))
    for name, values in told.items():
        assert torch.equal(values, extra[:, SIZES.extra - len(NAMES) + NAMES.index(name)])
    assert method.encoder[0].in_features == 6


# the first phase


def test_factors_reach_the_encoder_with_the_right_values() -> None:
    """Of the real task: what the first phase's features are made of is the worlds' friction, mass and the like."""
    settings = task_for("rma", TaskSettings(randomisation=Randomisation(bodies=8)))
    task = make(8, settings)
    torch.manual_seed(0)
    made = Learner(task, Rma(Sizes.of(task), small(envs=8, rollout=4)))
    made.start()
    made.collect()
    seen = made.method.told(View.flat(made.rollout, torch.arange(8 * 4)).extra())[-8:]
    names = ("mass", "friction", "kp")
    mass, friction, kp = (seen[:, NAMES.index(name) - len(NAMES)].double().numpy() for name in names)
    world = task.state_dict()
    trunk = task.robot.trunk.mass
    low, high = 0.8 * trunk - 1, 1.2 * trunk + 3
    kept = ~made.rollout.dones[-1].numpy()
    np.testing.assert_allclose(
        (low + (high - low) * (mass + 1) / 2)[kept], world["engine.body_mass"][:, 1].numpy()[kept], rtol=1e-5
    )
    expected = (0.2 + 2.55 * (friction + 1) / 2 + 1) / 2
    np.testing.assert_allclose(expected[kept], world["engine.geom_friction"][:, -1, 0].numpy()[kept], rtol=1e-5)
    assert np.abs(kp).max() > 0.3


def test_ppo_trains_policy_and_encoder_and_leaves_the_adaptation_alone() -> None:
    made = learner("rma")
    encoder, adaptation, actor = (copied(m) for m in (made.method.encoder, made.method.adaptation, made.method.actor))
    made.iterate()
    assert not same(made.method.encoder, encoder)
    assert not same(made.method.actor, actor)
    assert same(made.method.adaptation, adaptation)


# the second phase


def test_the_student_keeps_policy_and_encoder_and_learns_the_adaptation() -> None:
    first = learner("rma")
    first.iterate()
    made = second(first)
    kept = [(m, copied(m)) for m in (made.method.actor, made.method.critic, made.method.encoder)]
    adaptation = copied(made.method.adaptation)
    for _ in range(2):
        logs = made.iterate()
    assert all(same(module, before) for module, before in kept)
    assert not same(made.method.adaptation, adaptation)
    assert torch.isfinite(logs["loss/latent"])
    assert made.method.actor is first.method.actor


def test_the_student_drives_by_its_own_guess_without_noise() -> None:
    """What was done in the second phase is the policy's answer to the adaptation module, not to the truth."""
    made = second(learner("rma"))
    for _ in range(8):
        made.collect()
    rollout, method = made.rollout, made.method
    assert torch.equal(rollout.actions, rollout.means)
    for t in (0, 5):
        context = rollout.context(t)
        assert context.shape == (16, FRAMES + 1, method.sizes.frame)
        guess = method.adaptation(context[:, 1:])
        expected = method.actor(torch.cat([context[:, 0], guess], -1))
        torch.testing.assert_close(rollout.actions[t], expected)
        truth = method.encoder(method.told(View(rollout, torch.full((16,), t), torch.arange(16)).extra()))
        told = method.actor(torch.cat([context[:, 0], truth], -1))
        assert not torch.allclose(rollout.actions[t], told, atol=1e-3)


def test_the_present_frame_is_not_among_those_it_reads() -> None:
    method = second(learner("rma")).method
    context = torch.randn(2, FRAMES + 1, method.sizes.frame)
    other = context.clone()
    other[:, 0] += 1.0
    guess = [method.features(c)[:, method.sizes.frame :] for c in (context, other)]
    assert torch.equal(*guess)


def test_the_encoders_latent_is_the_target_and_gets_no_gradient() -> None:
    made = second(learner("rma"))
    made.collect()
    inputs = made.method.auxiliary_inputs(View.flat(made.rollout, torch.arange(made.batch_size)))
    loss, logs = made.method.auxiliary_loss(*inputs)
    past, told = inputs
    distance = made.method.adaptation(past) - made.method.encoder(told)
    torch.testing.assert_close(loss, distance.square().sum(-1).mean())
    loss.backward()
    assert all(p.grad is None for p in made.method.encoder.parameters())
    assert all(p.grad is not None for p in made.method.adaptation.parameters())
    torch.testing.assert_close(logs["loss/latent"], loss.detach())


def test_the_module_learns_from_what_the_student_did_and_felt() -> None:
    """Better than any constant guess, after some steps on walks long enough to feel the wind."""
    made = second(learner("rma"))
    for _ in range(6):
        made.collect()
    everything = torch.arange(made.batch_size)
    made.auxiliary_rate.fill_(3e-3)
    logs = [made.auxiliary_step(everything) for _ in range(30)]
    assert logs[-1]["loss/latent"] < 0.5 * logs[0]["loss/latent"]
    assert logs[-1]["loss/latent"] < 0.7 * logs[-1]["latent/variance"]


def test_the_second_phase_is_stated_and_comes_on_top() -> None:
    first, then = phases(Rma(SIZES, small(samples=1_000_000, seconds=100.0)))
    assert isinstance(then, Student)
    assert (first.phase, then.phase) == ("policy", "adaptation")
    assert (first.settings.samples, then.settings.samples) == (1_000_000, 400_000)
    assert then.settings.seconds == pytest.approx(140.0)
    assert (then.settings.him.learning_rate, then.settings.him.epochs) == (rma.RATE, 1)
    assert {then.settings.pace(done) for done in (0.0, 0.5, 1.0)} == {1.0}, "at a constant rate"
    assert phases(METHODS["him"](SIZES, small()))[1:] == []


# both in one run


def test_one_run_has_both_phases_and_says_which(tmp_path: Path) -> None:
    made = trainer("rma", tmp_path, 5)
    before = copied(made.phases[0].adaptation)
    assert Run(tmp_path).record()["phases"] == [
        {"name": "policy", "samples": 5 * 128, "iteration": 0},
        {"name": "adaptation", "samples": 2 * 128},
    ]
    outcome = made.run()
    assert (outcome.reason, outcome.iteration, outcome.samples) == ("finished", 7, 7 * 16 * 8)
    run = Run(tmp_path)
    assert run.record()["phases"] == [
        {"name": "policy", "samples": 5 * 128, "iteration": 0},
        {"name": "adaptation", "samples": 2 * 128, "iteration": 5},
    ]
    lines = run.metrics()
    assert [line["phase"] for line in lines] == [1] * 5 + [2] * 2
    assert ["loss/latent" in line for line in lines] == [False] * 5 + [True] * 2
    assert not same(made.method.adaptation, before)
    manifest = checkpoint.load(run.checkpoints)[1]
    assert (manifest.phase, manifest.phases) == (1, [0, 5])
    assert run.settings().iterations == 5, "the first phase's settings are the run's"


@pytest.mark.parametrize("stop", [3, 5, 6])
def test_interrupted_in_either_phase_and_resumed_equals_uninterrupted(tmp_path: Path, stop: int) -> None:
    whole = trainer("rma", tmp_path / "whole", 5)
    whole.run()
    made = trainer("rma", tmp_path / "run", 5)
    made.stop_at = stop
    assert (made.run().reason, made.iteration) == ("interrupted", stop)
    resumed = trainer("rma", tmp_path / "run", 5, resume=True)
    assert len(resumed.begun) == (1 if stop <= 5 else 2)
    assert resumed.run().reason == "finished"
    one, two = resumed.learner.state_dict(), whole.learner.state_dict()
    assert one.keys() == two.keys()
    assert [name for name in one if not torch.equal(one[name], two[name])] == []
    assert Run(tmp_path / "run").record()["phases"] == Run(tmp_path / "whole").record()["phases"]
    assert [line["phase"] for line in Run(tmp_path / "run").metrics()] == [1] * 5 + [2] * 2


def test_robots_go_on_where_they_were_in_the_second_phase(tmp_path: Path) -> None:
    made = trainer("rma", tmp_path, 2)
    made.stop_at = 2
    made.run()
    state = {name: value.clone() for name, value in made.learner.task.state_dict().items()}
    last = made.learner.rollout.frames[-1].clone()
    assert made._next_phase()
    assert all(torch.equal(value, state[name]) for name, value in made.learner.task.state_dict().items())
    made.learner.rollout.begin()
    assert torch.equal(made.learner.rollout.context(0), last[:, None].expand(-1, FRAMES + 1, -1))


@pytest.mark.parametrize("name", ["rma", "rma-original"])
def test_torch_and_onnxruntime_agree_on_the_student(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    student = phases(METHODS[name](SIZES, small()))[-1]
    assert not student.privileged
    session = onnxruntime.InferenceSession(export(student, tmp_path / "p.onnx", {}), providers=["CPUExecutionProvider"])
    obs = torch.randn(20, FRAMES + 1, 45)
    with torch.no_grad():
        expected = student.outputs(obs)
    got = session.run(["action", "latent"], {"obs": obs.numpy()})
    for value, wanted in zip(got, expected.values(), strict=True):
        np.testing.assert_allclose(value, wanted.numpy(), atol=1e-5)


def test_the_told_toy_tells_the_wind() -> None:
    task = Told(4)
    observation, _ = task.reset()
    assert torch.equal(observation.extra[:, 6:9], task.wind)
