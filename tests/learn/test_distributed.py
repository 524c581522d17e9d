"""Two gloo processes, each with half of every minibatch, against one process with all of it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from safetensors.torch import load_file, save_file
from torch import Tensor

from him.env.protocol import Sizes
from him.learn import checkpoint, distributed
from him.learn.learner import Averages, Learner
from him.learn.method import Him
from tests.learn.conftest import small
from tests.learn.toy import Toy

ENVS, STEPS = 16, 8


def one_update(rank: int, world: int) -> dict[str, Tensor]:
    """One step of each model, in float64, on this process's share of the same rollout."""
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    share = ENVS // world
    source = Learner(Toy(ENVS), Him(Sizes.of(Toy(1)), small(envs=ENVS, rollout=STEPS)))
    source.start()
    source.collect()
    learner = Learner(Toy(share), Him(Sizes.of(Toy(1)), small(envs=share, rollout=STEPS)))
    learner.method.load_state_dict(source.method.state_dict())
    for name, value in vars(source.rollout).items():
        if isinstance(value, Tensor) and value.dim() > 1:
            getattr(learner.rollout, name).copy_(value[:, rank * share : (rank + 1) * share])
    learner.evaluate()
    half = torch.arange(learner.batch_size // 2)
    result = {"advantages": distributed.total(learner.rollout.advantages.square().sum())}
    result |= as_floats("auxiliary", learner.auxiliary_step(half))
    result |= gradients("model", learner.method.model)
    references = learner.references(Averages())
    learner.method.actor.log_std.data -= 0.2  # so that the KL is not zero and moves the rate
    result |= as_floats("policy", learner.policy_step(half, references))
    result |= gradients("actor", learner.method.actor) | gradients("critic", learner.method.critic)
    result |= {f"weight.{name}": value for name, value in learner.method.state_dict().items()}
    return {name: value.detach().clone() for name, value in (result | {"rate": learner.rate}).items()}


def as_floats(prefix: str, logs: dict[str, Tensor]) -> dict[str, Tensor]:
    return {f"{prefix}.{name}": distributed.mean(value) for name, value in logs.items()}


def gradients(prefix: str, module: torch.nn.Module) -> dict[str, Tensor]:
    return {f"{prefix}.{name}": p.grad for name, p in module.named_parameters() if p.grad is not None}


def worker(rank: int, port: int, folder: str) -> None:
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    result = one_update(rank, 2)
    checkpoint.save(Path(folder) / "checkpoints", {"rank": torch.tensor(rank)}, 1, 1, 0.0, 3)
    loaded, _ = checkpoint.load(Path(folder) / "checkpoints")
    result["loaded"] = loaded["rank"]
    assert distributed.slowest(10.0 + rank, torch.device("cpu")) == 11.0
    votes = distributed.any_process([rank == 1, False], torch.device("cpu"))
    result["votes"] = torch.tensor(votes)
    save_file(result, str(Path(folder) / f"{rank}.safetensors"))
    distributed.stop()
    # all is said and written; on the way out torch's own threads sometimes abort a process that gloo had served
    os._exit(0)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_two_processes_equal_one(tmp_path: Path) -> None:
    try:
        expected = one_update(0, 1)
    finally:
        torch.set_default_dtype(torch.float32)
    mp.spawn(worker, (free_port(), str(tmp_path)), nprocs=2)
    for rank in range(2):
        result = load_file(str(tmp_path / f"{rank}.safetensors"))
        assert result.pop("loaded").item() == rank
        assert result.pop("votes").tolist() == [True, False]
        assert result.keys() == expected.keys()
        for name, value in expected.items():
            torch.testing.assert_close(result[name], value, atol=1e-6, rtol=1e-6, msg=name)
    assert expected["rate"].item() != small().ppo.learning_rate


def test_helpers_do_nothing_in_one_process() -> None:
    value = torch.tensor([1.0, 2.0])
    assert distributed.total(value) is value
    assert distributed.mean(value) is value
    assert distributed.gather("a") == ["a"]
    assert distributed.any_process([True, False], value.device) == [True, False]
    assert distributed.slowest(3.5, value.device) == 3.5
    assert (distributed.rank(), distributed.world()) == (0, 1)
