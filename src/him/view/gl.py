"""Which OpenGL library MuJoCo draws with; it decides once, when it is first imported."""

import os
import sys


def choose() -> None:
    """Draw without a screen where there is none and MUJOCO_GL is not set. Call before importing MuJoCo."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform == "linux" and not screen:
        os.environ.setdefault("MUJOCO_GL", "egl")
