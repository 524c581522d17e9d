"""One iteration of learning on the toy task."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from him.env.protocol import Sizes
from him.learn import ppo
from him.learn.learner import Averages, Learner
from him.learn.method import Him
from him.learn.presets import release
from him.learn.rollout import View
from tests.host_reads import no_host_read
from tests.learn.conftest import build, small
from tests.learn.toy import Toy


def weights(learner: Learner) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in learner.method.state_dict().items()}


def moved(before: dict[str, torch.Tensor], learner: Learner) -> set[str]:
    now = learner.method.state_dict()
    return {name.split(".")[0] for name, value in before.items() if not torch.equal(value, now[name])}


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("preset", ["small", "release"])
def test_no_value_is_read_back_during_an_iteration(device: str, preset: str) -> None:
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU here")
    settings = small() if preset == "small" else replace(release(), envs=8, rollout=4)
    task = Toy(settings.envs, device=device)
    learner = Learner(task, Him(Sizes.of(task), settings))
    learner.start()
    learner.iterate()
    with no_host_read(device):
        learner.iterate()


def test_learning_works_at_all() -> None:
    settings = small(envs=128, rollout=16)
    learner = build(replace(settings, ppo=replace(settings.ppo, epochs=4)))
    logs = [{name: value.item() for name, value in learner.iterate().items()} for _ in range(30)]

    def mean(name: str, part: slice) -> float:
        values = [line[name] for line in logs[part]]
        return sum(values) / len(values)

    first, last = slice(0, 4), slice(-4, None)
    assert mean("rollout/reward", last) > mean("rollout/reward", first) + 0.1
    assert mean("loss/velocity", last) < 0.5 * mean("loss/velocity", first)
    assert mean("loss/contrastive", last) < 0.3 * mean("loss/contrastive", first)
    assert logs[-1]["update/skipped"] == 0


def test_each_phase_moves_its_own_parameters(learner: Learner) -> None:
    learner.collect()
    learner.evaluate()
    index = next(learner.minibatches(learner.settings.ppo.epochs))
    before = weights(learner)
    learner.auxiliary_step(index)
    assert moved(before, learner) == {"model"}
    before = weights(learner)
    learner.policy_step(index, learner.references(Averages()))
    assert moved(before, learner) == {"actor", "critic"}


def test_a_policy_from_a_file_waits_for_what_the_file_does_not_hold() -> None:
    learner = build(small(wait=0.5))
    before = weights(learner)
    learner.schedule(0.4)
    learner.iterate()
    now = learner.method.state_dict()
    still = {name for name in before if torch.equal(before[name], now[name])}
    assert {name for name in before if name.startswith(("actor.", "model.encoder."))} == still
    learner.schedule(0.6)
    learner.iterate()
    now = learner.method.state_dict()
    assert not any(torch.equal(before[name], now[name]) for name in still)


def test_an_internal_model_may_stay_as_it_is() -> None:
    settings = small()
    learner = build(replace(settings, him=replace(settings.him, learning_rate=0.0)))
    before = weights(learner)
    learner.iterate()
    assert moved(before, learner) == {"actor", "critic"}


def anchored(weight: float) -> Learner:
    settings = small(rollout=16)
    return build(replace(settings, ppo=replace(settings.ppo, anchor=weight, epochs=4)))


def test_an_anchor_keeps_the_policy_near_what_it_began_with() -> None:
    """Away from it is still where rewards lead, and what it began with stays what it was."""
    away = {}
    for weight in (1e-6, 1.0):
        learner = anchored(weight)
        began = weights(learner)
        logs = [learner.iterate() for _ in range(12)]
        assert logs[0]["policy/away"] < logs[-1]["policy/away"]
        assert learner.origin is not None
        assert all(torch.equal(began[name], value) for name, value in learner.origin.state_dict().items())
        away[weight] = logs[-1]["policy/away"].item()
    assert 0 < away[1.0] < 0.2 * away[1e-6]


def test_what_a_run_began_with_is_in_its_state() -> None:
    again, learner = anchored(1.0), anchored(1.0)
    assert again.origin is not None
    for weight in again.origin.parameters():
        weight.zero_()
    learner.iterate()
    state = {name: value.clone() for name, value in learner.state_dict().items()}
    expected = learner.iterate()["policy/away"]
    again.load_state_dict(state)
    assert again.iterate()["policy/away"] == expected


def test_entropy_and_pace_go_down_as_the_settings_say() -> None:
    """Entropy in a line from a tenth of the run to four, KL and rates over the last three; the task is told."""
    settings = small()
    learner = build(settings)
    told = []
    for done in (0.0, 0.1, 0.25, 0.85, 1.0):
        learner.schedule(done)
        told.append((learner.entropy_weight.item(), learner.pace.item(), learner.auxiliary_rate.item()))
    rate = settings.him.learning_rate
    expected = [(0.01, 1, rate), (0.01, 1, rate), (0.0075, 1, rate), (0.005, 0.5, rate / 2), (0.005, 0.05, rate / 20)]
    for seen, wanted in zip(told, expected, strict=True):
        assert seen == pytest.approx(wanted)
    assert learner.task.done == 1.0


def test_same_seed_same_run() -> None:
    results = []
    for seed in (0, 0, 1):
        learner = build(small(), seed)
        learner.iterate()
        learner.iterate()
        results.append(learner)
    assert not moved(weights(results[0]), results[1])
    assert moved(weights(results[0]), results[2])


@pytest.mark.parametrize("reference", ["rollout", "embedding"])
def test_references_of_ratio_and_divergence(reference: str) -> None:
    """Before PPO's first step: against the embedding ratio and KL are exactly neutral, against the rollout
    the internal model's drift shows."""
    settings = small()
    chosen = replace(settings.ppo, ratio_reference=reference, kl_reference=reference)
    learner = build(replace(settings, ppo=chosen))
    learner.collect()
    learner.evaluate()
    for index in learner.minibatches(learner.settings.ppo.epochs):
        learner.auxiliary_step(index)
    averages = Averages()
    found = learner.references(averages)
    assert averages.means()["policy/drift"] > 0
    index = next(learner.minibatches(learner.settings.ppo.epochs))
    logs = learner.policy_step(index, found)
    assert (logs["policy/kl"] < 1e-9).item() == (reference == "embedding")
    assert torch.equal(found.actions, learner.rollout.actions) == (reference == "rollout")


def test_noise_is_carried_over_to_the_means_of_the_new_embedding() -> None:
    """However far the internal model moved the policy, no ratio is far from 1 before PPO's first step, and the
    gradient is that of the noise: an action far from its new mean would drown all others."""
    learner = build(small())
    with torch.no_grad():
        learner.method.actor.log_std.fill_(-6.0)
        learner.collect()
        learner.evaluate()
        for weight in learner.method.auxiliary_parameters():
            weight.mul_(3.0)
    reference, rollout = learner.references(Averages()), learner.rollout
    actions, means = reference.actions, reference.means
    assert (means - rollout.means).abs().max() > 10 * learner.old_log_std.exp().max()
    torch.testing.assert_close(actions - means, rollout.actions - rollout.means)
    torch.testing.assert_close(
        ppo.log_prob(actions, means, learner.old_log_std), rollout.log_probs, rtol=1e-4, atol=1e-4
    )
    logs = learner.policy_step(torch.arange(learner.batch_size), reference)
    torch.testing.assert_close(logs["loss/surrogate"], -rollout.advantages.mean(), atol=1e-4, rtol=0)


def test_rollout_log_probabilities_are_those_of_the_drawn_actions(learner: Learner) -> None:
    learner.collect()
    learner.evaluate()
    rollout = learner.rollout
    std = learner.method.actor.log_std.exp()
    expected = torch.distributions.Normal(rollout.means, std).log_prob(rollout.actions).sum(-1)
    torch.testing.assert_close(rollout.log_probs, expected)
    with torch.no_grad():
        everything = torch.arange(learner.batch_size)
        means = learner.method.actor(learner.method.features(View.flat(rollout, everything).context()))
    torch.testing.assert_close(means.view_as(rollout.means), rollout.means)


def test_the_policy_learns_from_explorers_alone() -> None:
    settings = small(envs=64, rollout=4)
    learner = build(replace(settings, ppo=replace(settings.ppo, composed=0.5)))
    learner.collect()
    learner.evaluate()
    rollout, explores = learner.rollout, learner.exploring[:, 0]
    assert 20 < explores.sum() < 44
    noise = rollout.actions - rollout.means
    assert (noise[:, explores] != 0).all()
    assert (noise[:, ~explores] == 0).all()
    advantages = rollout.advantages.clone()
    assert (advantages[:, ~explores] == 0).all()
    assert advantages[:, explores].mean().abs() < 1e-5, "normalised without the others"
    assert advantages[:, explores].std() == pytest.approx(1.0, abs=1e-3)
    returns = rollout.returns.clone()
    rollout.rewards[:, ~explores] += 100.0
    learner.evaluate()
    assert torch.equal(rollout.advantages, advantages), "what the others earn is nobody's merit"
    assert (rollout.returns[:, ~explores] > returns[:, ~explores]).all(), "but the critic hears of it"


def test_timeouts_are_valued_by_their_true_successor(learner: Learner) -> None:
    task = learner.task
    assert isinstance(task, Toy)
    task.age.fill_(task.limit - 1.0)
    learner.collect()
    learner.evaluate()
    rollout = learner.rollout
    assert rollout.timeouts[0].all()
    delta = rollout.rewards[0] + learner.settings.ppo.discount * rollout.final_values[0] - rollout.values[0]
    torch.testing.assert_close(rollout.returns[0] - rollout.values[0], delta, rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        others = learner.method.critic(rollout.critic(1, 2))[0]
    assert not torch.allclose(rollout.final_values[0], others)


@pytest.mark.parametrize("cut", [True, False])
def test_a_new_command_is_nobodys_merit(cut: bool) -> None:
    """Cut there, the advantage is the one-step surprise under the old command; uncut, the next value comes in."""
    settings = small()
    learner = build(replace(settings, ppo=replace(settings.ppo, cut_at_commands=cut)))
    learner.collect()
    rollout = learner.rollout
    rollout.dones[2], rollout.timeouts[2], rollout.renewed[2] = False, False, True
    rollout.final_values[2] += 1.0
    learner.evaluate()
    surprise = rollout.rewards[2] + settings.ppo.discount * rollout.final_values[2] - rollout.values[2]
    same = torch.isclose(rollout.returns[2] - rollout.values[2], surprise, rtol=1e-4, atol=1e-5)
    assert same.all() if cut else not same.any()


def test_poisoned_rewards_skip_the_policy_update_alone(learner: Learner) -> None:
    task = learner.task
    assert isinstance(task, Toy)
    task.poison = torch.tensor(float("nan"))
    before = weights(learner)
    logs = learner.iterate()
    assert moved(before, learner) == {"model"}
    updates = learner.settings.ppo.epochs * learner.settings.ppo.minibatches
    assert logs["update/skipped"].item() == updates
    task.poison = None
    before = weights(learner)
    logs = learner.iterate()
    assert logs["update/skipped"].item() == updates
    assert moved(before, learner) == {"model", "actor", "critic"}


def test_release_interleaves_and_shares_its_rate() -> None:
    settings = replace(release(), envs=8, rollout=4)
    learner = build(settings)
    assert learner.auxiliary_optimiser is not None
    assert learner.auxiliary_optimiser.adam.param_groups[0]["lr"] is learner.rate
    before = weights(learner)
    logs = learner.iterate()
    assert moved(before, learner) == {"model", "actor", "critic"}
    assert logs["loss/contrastive"].item() < 0.12  # ln 32 / 32 = 0.108 for uniform assignments


def test_release_labels_and_targets() -> None:
    learner = build(replace(release(), envs=8, rollout=4))
    learner.collect()
    view = View.flat(learner.rollout, torch.arange(learner.batch_size))
    _, target, label = learner.method.auxiliary_inputs(view)
    assert torch.equal(label, view.successor_velocity())
    assert torch.equal(target, torch.cat([view.successor()[:, 3:], view.successor_velocity()], -1))


def test_epochs_cover_the_batch_and_reshuffle(learner: Learner) -> None:
    fixed = build(replace(learner.settings, ppo=replace(learner.settings.ppo, reshuffle=False)))
    for which, same in ((learner, False), (fixed, True)):
        parts = list(which.minibatches(which.settings.ppo.epochs))
        count = which.settings.ppo.minibatches
        epochs = [torch.cat(parts[i * count : (i + 1) * count]) for i in range(which.settings.ppo.epochs)]
        for epoch in epochs:
            assert torch.equal(epoch.sort().values, torch.arange(which.batch_size))
        assert torch.equal(epochs[0], epochs[1]) == same


def test_hot_functions_compile_into_one_graph_each(learner: Learner) -> None:
    learner.collect()
    learner.evaluate()
    index = next(learner.minibatches(learner.settings.ppo.epochs))
    view = View.flat(learner.rollout, index)
    inputs = learner.method.auxiliary_inputs(view)
    whole = {"fullgraph": True, "backend": "aot_eager"}
    loss, _ = torch.compile(learner.method.auxiliary_loss, **whole)(*inputs)
    torch.testing.assert_close(loss, learner.method.auxiliary_loss(*inputs)[0])
    features, actions, means, _ = learner.references(Averages())
    assert features is not None
    rollout = learner.rollout
    data = (actions, rollout.log_probs, means, rollout.values, rollout.advantages, rollout.returns)
    batch = ppo.Minibatch(view.critic(), *(view.pick(rows) for rows in data))
    arguments = (features[index], learner.old_log_std, batch, learner.entropy_weight)
    loss, _ = torch.compile(learner.policy_loss, **whole)(*arguments)
    torch.testing.assert_close(loss, learner.policy_loss(*arguments)[0])
