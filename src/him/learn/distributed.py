"""Several processes as one learner. Every helper does nothing where torch.distributed was not started."""

from __future__ import annotations

import os
from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import Tensor, nn


def active() -> bool:
    return dist.is_available() and dist.is_initialized()


def rank() -> int:
    return dist.get_rank() if active() else 0


def world() -> int:
    return dist.get_world_size() if active() else 1


def start() -> None:
    """Join the other processes if torchrun started this one, through NCCL on GPUs and gloo otherwise."""
    if active() or int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")


def stop() -> None:
    if active():
        dist.destroy_process_group()


def barrier() -> None:
    if active():
        dist.barrier()


def total(value: Tensor) -> Tensor:
    """Sum over the processes, without gradient."""
    if active():
        value = value.detach().clone()
        dist.all_reduce(value)
    return value


def mean(value: Tensor) -> Tensor:
    """Mean over the processes, without gradient."""
    return total(value) / world() if active() else value


def average_gradients(parameters: Iterable[nn.Parameter]) -> None:
    """Replace each gradient by its mean over the processes, in one message."""
    if not active():
        return
    gradients = [p.grad for p in parameters if p.grad is not None]
    flat = mean(torch.cat([g.flatten() for g in gradients]))
    for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
        gradient.copy_(part.view_as(gradient))


def share_weights(module: nn.Module) -> None:
    """Give every process the weights of the first."""
    if active():
        for tensor in module.state_dict().values():
            dist.broadcast(tensor, src=0)


def any_process(flags: Iterable[bool], device: torch.device) -> list[bool]:
    """Each flag raised if any process raised it. Waits for the device, so not for the hot path."""
    flags = list(flags)
    if not active():
        return flags
    votes = torch.tensor(flags, dtype=torch.int32, device=device)
    dist.all_reduce(votes, op=dist.ReduceOp.MAX)
    return [bool(vote) for vote in votes.tolist()]


def slowest(seconds: float, device: torch.device) -> float:
    """The longest time of all processes, so that all schedules by time agree. Waits for the device."""
    if not active():
        return seconds
    longest = torch.tensor(seconds, dtype=torch.float64, device=device)
    dist.all_reduce(longest, op=dist.ReduceOp.MAX)
    return longest.item()


def gather(value: str) -> list[str]:
    """The strings of all processes in order of rank, known to each of them."""
    if not active():
        return [value]
    values = [""] * world()
    dist.all_gather_object(values, value)
    return values
