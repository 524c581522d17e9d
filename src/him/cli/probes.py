"""What `him doctor` tries, each in a process of its own: a driver may crash without taking the doctor along.

A probe prints one line about what it found and returns, or raises. Run one by hand with
`python -m him.cli.probes NAME`.
"""

import importlib
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TINY = "<mujoco><worldbody><light pos='0 0 3'/><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>"
"""A ball in the air: the smallest model that moves."""

TIMEOUT = 180
"""Seconds; the first Warp step on a new machine compiles its kernels."""

WIDEST = 90
"""Characters of an answer worth showing."""


@dataclass(frozen=True)
class Finding:
    """How a probe went."""

    works: bool
    detail: str


def attempt(name: str, *arguments: str, **environment: str) -> Finding:
    """Run a probe in a new process."""
    command = [sys.executable, "-m", "him.cli.probes", name, *arguments]
    env = {**os.environ, **environment}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return Finding(False, f"no answer within {TIMEOUT} s")
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    if done.returncode < 0:
        lines = [f"crashed with signal {-done.returncode}"]
    return Finding(done.returncode == 0, textwrap.shorten(lines[-1], WIDEST) if lines else "no answer")


def native() -> str:
    import mujoco

    model = mujoco.MjModel.from_xml_string(TINY)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    _fell(float(data.qvel[2]))
    return f"MuJoCo {mujoco.__version__}, {os.cpu_count()} CPU threads"


def warp(device: str) -> str:
    import mujoco
    import mujoco_warp
    import warp

    warp.config.log_level = warp.LOG_WARNING
    model = mujoco.MjModel.from_xml_string(TINY)
    with warp.ScopedDevice(device):
        data = mujoco_warp.put_data(model, mujoco.MjData(model), nworld=2)
        mujoco_warp.step(mujoco_warp.put_model(model), data)
        _fell(float(data.qvel.numpy()[1, 2]))
        version = importlib.metadata.version("mujoco-warp")
        return f"mujoco_warp {version}, Warp {warp.__version__} on {warp.get_device().name}"


def gpu() -> str:
    query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        raise RuntimeError("no NVIDIA driver answers") from None
    return "; ".join(answer.strip().splitlines())


def torch_cuda() -> str:
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError(f"torch {torch.__version__} sees no GPU")
    torch.ones(2, device="cuda").sum().item()
    return f"CUDA {torch.version.cuda}"


def rendering() -> str:
    """The library that MUJOCO_GL names."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(TINY)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, 64, 64) as renderer:
        renderer.update_scene(data)
        if renderer.render().max() == 0:
            raise RuntimeError("renders black pictures")
    return "renders"


def video() -> str:
    import imageio
    import imageio_ffmpeg
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "probe.mp4"
        imageio.mimsave(path, [np.zeros((64, 64, 3), np.uint8)] * 5, fps=50)
        if not path.stat().st_size:
            raise RuntimeError("wrote an empty video")
    return f"H.264 through ffmpeg {imageio_ffmpeg.get_ffmpeg_version()}"


def package(module: str, distribution: str) -> str:
    importlib.import_module(module)
    return f"{distribution} {importlib.metadata.version(distribution)}"


PROBES: dict[str, Callable[..., str]] = {
    probe.__name__: probe for probe in (native, warp, gpu, torch_cuda, rendering, video, package)
}


def _fell(velocity: float) -> None:
    if not -1.0 < velocity < 0.0:
        raise RuntimeError(f"a ball dropped for one step moves at {velocity} m/s")


if __name__ == "__main__":
    try:
        print(PROBES[sys.argv[1]](*sys.argv[2:]))
    except Exception as failure:
        sys.exit(str(failure or type(failure).__name__).splitlines()[0])
