"""Each compared method shows what sets it apart from HIM, on the toy task."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from him.env.symmetry import Reflection, join
from him.learn.learner import Learner
from him.learn.method import Him
from him.learn.rollout import View
from him.methods import METHODS
from tests.learn.conftest import one_thread as one_thread
from tests.learn.conftest import small
from tests.methods.toys import Symmetric, learner


def parts(made: Learner) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in made.method.state_dict().items()}


def moved(made: Learner, before: dict[str, torch.Tensor]) -> set[str]:
    now = made.method.state_dict()
    return {name for name, value in before.items() if not torch.equal(value, now[name])}


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_learns_something_finite(name: str) -> None:
    made = learner(name)
    before = parts(made)
    for _ in range(2):
        logs = made.iterate()
    assert all(torch.isfinite(value).all() for value in logs.values())
    assert logs["update/skipped"] == 0
    assert {"actor.mean.0.weight", "critic.value.0.weight"} <= moved(made, before)


@pytest.mark.parametrize(("name", "hidden"), [("no-velocity-input", slice(0, 3)), ("no-latent-input", slice(3, None))])
def test_a_hidden_input_is_zero_and_gets_no_gradient(name: str, hidden: slice) -> None:
    made = learner(name)
    made.collect()
    features = made.method.features(made.rollout.context(0))
    frame = made.method.sizes.frame
    assert torch.count_nonzero(features[:, frame:][:, hidden]) == 0
    made.method.actor(features).square().sum().backward()
    first = made.method.actor.mean[0].weight.grad
    assert torch.count_nonzero(first[:, frame:][:, hidden]) == 0
    assert torch.count_nonzero(first) > 0


def test_without_the_velocity_loss_its_head_stays_as_it_was() -> None:
    made = learner("no-velocity-loss")
    head = made.method.model.encoder[-1].weight.detach().clone()
    made.iterate()
    now = made.method.model.encoder[-1].weight.detach()
    assert torch.equal(now[:3], head[:3])
    assert not torch.equal(now[3:], head[3:])


def test_without_the_latent_loss_latent_head_target_and_prototypes_stay() -> None:
    made = learner("no-latent-loss")
    before = parts(made)
    head = made.method.model.encoder[-1].weight.detach().clone()
    made.iterate()
    now = made.method.model.encoder[-1].weight.detach()
    assert torch.equal(now[3:], head[3:])
    assert not torch.equal(now[:3], head[:3])
    assert not [name for name in moved(made, before) if "target" in name or "prototypes" in name]


def test_the_baseline_trains_its_encoder_by_ppo_alone() -> None:
    made = learner("baseline")
    assert made.auxiliary_optimiser is None
    before = parts(made)
    made.iterate()
    changed = moved(made, before)
    assert "model.encoder.0.weight" in changed
    assert not [name for name in changed if "target" in name or "prototypes" in name]
    him = learner("him")
    encoder = {id(p) for p in him.method.model.parameters()}
    assert not encoder & {id(p) for p in him.method.policy_parameters()}


@pytest.mark.parametrize("name", ["regression", "plain-regression"])
def test_regression_learns_to_predict_the_successor(name: str) -> None:
    made = learner(name)
    made.collect()
    everything = torch.arange(made.batch_size)
    losses = [made.auxiliary_step(everything)["loss/reconstruction"].item() for _ in range(300)]
    assert losses[-1] < 0.7 * losses[0]
    assert not isinstance(made.method, Him)


@pytest.mark.parametrize("label", ["current", "successor"])
def test_regression_is_taught_hims_label(label: str) -> None:
    settings = small()
    settings = replace(settings, him=replace(settings.him, velocity_label=label, velocity_scale=2.0))
    made = learner("regression", settings)
    made.collect()
    view = View.flat(made.rollout, torch.arange(made.batch_size))
    taught = made.method.auxiliary_inputs(view)[2]
    torch.testing.assert_close(taught, view.successor_velocity() if label == "successor" else 2 * view.velocity())


def test_the_variational_divergence_is_that_of_two_gaussians() -> None:
    method = learner("regression").method
    mean, log_variance = torch.randn(2, 64, method.settings.him.latent)
    _, divergence = method.code(mean, log_variance, torch.zeros_like(mean))
    ours = torch.distributions.Normal(mean, (0.5 * log_variance).exp())
    prior = torch.distributions.Normal(torch.zeros_like(mean), torch.ones_like(mean))
    torch.testing.assert_close(divergence, torch.distributions.kl_divergence(ours, prior).mean())


def test_the_oracle_sees_whole_observations_of_the_past() -> None:
    made = learner("oracle")
    made.collect()
    context = made.rollout.context(0)
    assert made.method.privileged
    assert context.shape[-1] == made.method.sizes.frame + made.method.sizes.extra
    changed = context.clone()
    changed[:, -1, -1] += 1.0
    assert not torch.equal(made.method.features(context), made.method.features(changed))


def asymmetry(made: Learner) -> float:
    """Largest difference between the answer to a mirrored context and the mirrored answer, values included."""
    images = made.task.mirror
    assert images is not None
    reflect = {name: Reflection.of(values) for name, values in images.items()}
    whole = Reflection.of(join(images["frame"], images["extra"]))
    context, seen = made.rollout.context(0), made.rollout.critic(0, 1)[0]
    mirrored = (whole if made.method.privileged else reflect["frame"])(context)

    def act(context: torch.Tensor) -> torch.Tensor:
        return made.method.actor(made.method.features(context))

    apart = reflect["action"](act(context)) - act(mirrored)
    return max(
        float(apart.abs().max()), float((made.method.critic(seen) - made.method.critic(whole(seen))).abs().max())
    )


@pytest.mark.parametrize("name", list(METHODS))
@torch.no_grad()
def test_every_method_answers_a_mirror_image_in_kind(name: str) -> None:
    """Before learning and after, and only if it is asked to."""
    made = learner(name, kind=Symmetric)
    for _ in range(2):
        with torch.enable_grad():
            made.iterate()
        assert asymmetry(made) < 1e-5
    free = learner(name, replace(small(), symmetry=False), kind=Symmetric)
    free.collect()
    assert asymmetry(free) > 1e-3
