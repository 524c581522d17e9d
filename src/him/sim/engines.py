"""Engines by name."""

import torch

from him.errors import HimError
from him.robots import Robot
from him.sim.bodies import Bodies
from him.sim.engine import DECIMATION, SUBSTEPS, Engine
from him.terrain import Terrain

NAMES = ("warp", "native")


def default_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make(
    name: str | None,
    robot: Robot,
    terrain: Terrain,
    worlds: int,
    bodies: Bodies | None = None,
    device: torch.device | str | None = None,
    deterministic: bool = False,
    substeps: int = DECIMATION,
) -> Engine:
    """`warp` runs on a GPU (or, for tests, on Warp's CPU device), `native` on CPU cores; None picks by device.

    `substeps` is the number of physics steps in a control period.
    """
    device = torch.device(device) if device is not None else default_device()
    name = name or ("warp" if device.type == "cuda" else "native")
    if name not in NAMES:
        raise HimError(f"there is no engine {name!r}; choose one of {', '.join(NAMES)}")
    if worlds < 1:
        raise HimError(f"at least one world is needed, not {worlds}")
    if substeps not in SUBSTEPS:
        raise HimError(f"a control period has 1, 2 or 4 physics steps, not {substeps}")
    if name == "warp":
        from him.sim.warp_engine import WarpEngine

        return WarpEngine(robot, terrain, worlds, bodies, device, deterministic, substeps=substeps)
    if device.type != "cpu":
        raise HimError("the native engine runs on the CPU; choose --device cpu, or the engine warp")
    from him.sim.native_engine import NativeEngine

    return NativeEngine(robot, terrain, worlds, bodies, substeps=substeps)
