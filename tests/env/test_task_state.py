"""The same seed gives the same run, a saved task goes on where it was, and bad numbers stay inside."""

from contextlib import nullcontext
from pathlib import Path

import pytest
import torch

from him.env.make import make_task
from him.env.presets import World
from him.env.protocol import Step
from him.env.settings import Randomisation, TaskSettings
from him.env.task import LocomotionTask
from tests.env.tasks import SMALL, make
from tests.host_reads import no_host_read

ENVS = 12
WILD = TaskSettings(randomisation=Randomisation(bodies=8, push=0.5, push_seconds=0.5), episode_seconds=0.4)


def walk(task: LocomotionTask, steps: int) -> list[Step]:
    return [task.step(torch.randn(task.num_envs, 12)) for _ in range(steps)]


def tensors(step: Step) -> list[torch.Tensor]:
    return [*step.observation, *step.final, *step[2:]]


def assert_same(one: list[Step], two: list[Step], rows: slice | list[int] = slice(None)) -> None:
    for a, b in zip(one, two, strict=True):
        assert all(torch.equal(x[rows], y[rows]) for x, y in zip(tensors(a), tensors(b), strict=True))


def test_same_seed_same_run() -> None:
    first, again, other = (walk(make(ENVS, WILD, seed=seed), 40) for seed in (1, 1, 2))
    assert_same(first, again)
    assert torch.stack([step.done for step in first]).sum() > ENVS
    assert not torch.equal(first[0].reward, other[0].reward)


def test_a_saved_task_goes_on_bit_by_bit_in_a_new_one() -> None:
    """Across ends of episodes, new bodies, forces and commands."""
    task = make(ENVS, WILD, seed=1)
    walk(task, 15)
    state, random = {name: value.clone() for name, value in task.state_dict().items()}, torch.get_rng_state()
    expected = walk(task, 40)
    fresh = make(ENVS, WILD, seed=1)
    walk(fresh, 3)
    fresh.load_state_dict(state)
    torch.set_rng_state(random)
    assert_same(walk(fresh, 40), expected)
    assert all(torch.equal(value, fresh.state_dict()[name]) for name, value in task.state_dict().items())


def test_a_state_is_a_copy_of_tensors_alone() -> None:
    task = make(4, WILD)
    state = task.state_dict()
    before = {name: value.clone() for name, value in state.items()}
    walk(task, 5)
    assert all(torch.equal(value, before[name]) for name, value in state.items())


@pytest.mark.parametrize("field", ["qpos", "qvel"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e30])
def test_bad_numbers_end_their_episode_alone(
    field: str, bad: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo logs its warnings to a file where it runs
    task = make(ENVS, TaskSettings(randomisation=Randomisation(bodies=8)), seed=1)
    state, random = task.state_dict(), torch.get_rng_state()
    clean = walk(task, 5)
    planted = state[f"engine.{field}"].clone()
    planted[3, 9] = bad
    task.load_state_dict(state | {f"engine.{field}": planted})
    torch.set_rng_state(random)
    task.metrics()
    dirty = walk(task, 5)
    assert dirty[0].done[3]
    assert not dirty[0].timeout[3]
    assert all(torch.isfinite(value).all() for step in dirty for value in tensors(step))
    metrics = task.metrics()
    assert all(torch.isfinite(value) for value in metrics.values())
    assert metrics["episode/faults"].item() == pytest.approx(1 / 5)
    assert_same(dirty, clean, [i for i in range(ENVS) if i != 3])


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_step_never_waits_for_the_device(device: str) -> None:
    """As trained: everything random, and compiled on a GPU; the first steps compile and are not counted. The engine of
    a CPU works on the host, so there it is left out."""
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU here")
    world = World(TaskSettings(randomisation=Randomisation(bodies=8, push=0.5)), SMALL)
    task = make_task("go1", 64, 0, world, device)
    task.transition.ahead = True
    task.reset()
    if device == "cpu":
        task.engine.reset = lambda *given: None
    action = torch.randn(64, 12, device=device)
    for _ in range(3):
        task.step(action)
    if device == "cuda":
        torch.cuda.synchronize()
    for _ in range(3):
        with no_host_read(device):
            task.act(action)
        with no_host_read(device) if device == "cuda" else nullcontext():
            task.simulate()
        with no_host_read(device):
            task.outcome()
            task.metrics()
