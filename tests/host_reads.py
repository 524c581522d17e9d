"""Steps that may not wait for the device, watched on a GPU by torch and on a CPU by the operations that would."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class NoHostRead(TorchDispatchMode):
    """Fails on every operation whose result must reach the host before the program can go on."""

    forbidden = ("_local_scalar_dense", "nonzero", "is_nonzero", "masked_select", "equal", "unique")

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        assert not name.startswith(self.forbidden), f"{name} waits for the device"
        return func(*args, **(kwargs or {}))


@contextmanager
def no_host_read(device: str) -> Iterator[None]:
    if device == "cpu":
        with NoHostRead():
            yield
        return
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")
