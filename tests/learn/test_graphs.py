"""Rollouts of the real task: as recorded and replayed on a GPU, and made step by step on a CPU."""

from dataclasses import replace

import pytest
import torch

from him.env.make import make_task
from him.env.presets import World
from him.env.protocol import Sizes
from him.env.settings import Randomisation, TaskSettings
from him.learn import presets
from him.learn.learner import Learner
from him.learn.rollout import View
from him.methods import METHODS
from tests.env.tasks import SMALL

ENVS, STEPS = 32, 8
WORLD = World(TaskSettings(randomisation=Randomisation(bodies=8), episode_seconds=0.5), SMALL)


@pytest.fixture(scope="module", params=["cpu", "cuda"])
def learner(request: pytest.FixtureRequest) -> Learner:
    device = request.param
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU here")
    torch.manual_seed(0)
    task = make_task("go1", ENVS, 0, WORLD, device)
    settings = replace(presets.default(), envs=ENVS, rollout=STEPS)
    made = Learner(task, METHODS["him"](Sizes.of(task), settings), compiled=device == "cuda")
    made.start()
    made.iterate()
    if device == "cuda":
        assert made._decide.graph is not None
        assert made._witness.graph is not None
    return made


def test_every_step_of_a_rollout_is_another(learner: Learner) -> None:
    """Frames follow each other, actions are noise around what the policy says of them, and episodes go on."""
    for _ in range(3):
        steps = learner.task.episode.steps.clone()
        learner.collect()
        rollout = learner.rollout
        assert rollout.now.item() == STEPS
        goes_on = ~(rollout.dones | rollout.renewed)
        after = rollout.frames[rollout.lead + 1 :]
        assert torch.equal(after[goes_on], rollout.final_frames[goes_on])
        assert (after != rollout.frames[rollout.lead : -1]).any(-1).all(), "noise alone sees to that"
        assert torch.equal(after[-1][:, 33:], rollout.actions[-1] * ~rollout.dones[-1][:, None])
        noise = (rollout.actions - rollout.means) / learner.method.actor.log_std.exp()
        assert noise.std().item() == pytest.approx(1.0, abs=0.1)
        assert (noise[1:] != noise[:-1]).all()
        alive = ~rollout.dones.any(0)
        assert alive.any()
        assert torch.equal(learner.task.episode.steps[alive], steps[alive] + STEPS)
        with torch.no_grad():
            everything = torch.arange(ENVS * STEPS, device=noise.device)
            means = learner.method.actor(learner.method.features(View.flat(rollout, everything).context()))
            values = learner.method.critic(torch.cat([rollout.final_frames, rollout.extras[1:]], -1))
        torch.testing.assert_close(means.view_as(rollout.means), rollout.means, atol=2e-3, rtol=0)
        torch.testing.assert_close(values[goes_on], rollout.final_values[goes_on], atol=2e-3, rtol=1e-2)
        learner.update()


def test_figures_are_means_over_the_steps(learner: Learner) -> None:
    learner.task.metrics()
    learner.collect()
    seen = learner.task.metrics()["reward/total"].item()
    assert seen * 0.02 == pytest.approx(learner.rollout.rewards.mean().item(), rel=1e-3, abs=1e-6)
