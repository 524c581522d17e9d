"""`him deploy replay`: a log in numbers and pictures."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from him.deploy.log import Recording
from him.deploy.safety import Fault
from him.deploy.states import Mode
from him.errors import HimError
from him.policy import JOINT_NAMES

Array = NDArray[np.float64]

LATE = 1.5
"""A cycle this many median periods long counts as late."""


def summary(recording: Recording) -> dict[str, str]:
    """What a person wants to know first."""
    time, columns = recording.time, recording.columns
    if time.size < 2:
        raise HimError("the log holds no cycles: the controller did not get as far as its first command")
    gaps = np.diff(time)
    period = float(np.median(gaps))
    late = int(np.sum(gaps > LATE * period))
    shares = {mode.name.lower(): float(np.mean(recording.mode == mode)) for mode in Mode}
    return {
        **{str(name): str(value) for name, value in recording.about.items()},
        "duration": f"{time[-1] - time[0]:.1f} s in {time.size} cycles",
        "modes": ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if share > 0.0),
        "stops": ", ".join(stops(recording)) or "none",
        "period": f"{1e3 * period:.2f} ms, {late} late, longest {1e3 * gaps.max():.1f} ms",
        "states": f"new in {recording.fresh.mean():.0%} of cycles, {recording.refused[-1]} packets refused",
        "tilt": f"at most {np.degrees(_most(_tilt(recording))):.0f} degrees",
        "torque": f"at most {_most(np.abs(columns['joint_torque'])):.1f} Nm",
        "joint speed": f"at most {_most(np.abs(columns['joint_vel'])):.1f} rad/s",
    }


def stops(recording: Recording) -> list[str]:
    """Each entry into damping: when, and why."""
    fault = recording.fault
    begins = np.flatnonzero((fault != 0) & (np.concatenate([[0], fault[:-1]]) != fault))
    when = recording.time - recording.time[0]
    return [f"{Fault(int(fault[i])).name.lower()} at {when[i]:.2f} s" for i in begins]


def plot(recording: Recording, path: Path) -> None:
    """Modes, commands, tilt, joints and torques over time, as a picture."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise HimError("the plot needs matplotlib; run: pip install matplotlib") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    time = recording.time - recording.time[0]
    columns = recording.columns
    figure, axes = pyplot.subplots(6, 1, figsize=(12, 16), sharex=True, layout="constrained")
    axes[0].step(time, recording.mode, where="post")
    axes[0].set_yticks([mode.value for mode in Mode], [mode.name.lower() for mode in Mode])
    for index, name in enumerate(("forward", "left", "turn")):
        axes[1].plot(time, columns["command"][:, index], label=f"{name}, asked")
    for index, name in enumerate(("forward", "left")):
        axes[1].plot(time, columns["velocity"][:, index], "--", label=f"{name}, estimated")
    axes[2].plot(time, np.degrees(_tilt(recording)))
    for index, name in enumerate(JOINT_NAMES):
        axes[3].plot(time, columns["joint_pos"][:, index], linewidth=0.7, label=name)
        axes[4].plot(time, columns["target"][:, index] - columns["joint_pos"][:, index], linewidth=0.7)
        axes[5].plot(time, columns["joint_torque"][:, index], linewidth=0.7)
    titles = (
        "mode",
        "command and velocity (m/s, rad/s)",
        "tilt (degrees)",
        "joints (rad)",
        "error (rad)",
        "torque (Nm)",
    )
    for axis, title in zip(axes, titles, strict=True):
        axis.set_ylabel(title)
        axis.grid(alpha=0.3)
    axes[1].legend(ncols=5, fontsize="small")
    axes[3].legend(ncols=6, fontsize="small")
    axes[5].set_xlabel("seconds")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def _tilt(recording: Recording) -> Array:
    """Angle between the body's vertical and the world's, rad."""
    x, y = recording.columns["quaternion"][:, 1:3].T
    return np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0))


def _most(values: Array) -> float:
    """Largest value there is, 0 if there is none."""
    return float(np.nanmax(values)) if np.isfinite(values).any() else 0.0
