"""Which optional dependency a module belongs to, so that a missing one can be named with its remedy."""

EXTRAS = {
    "torch": "train",
    "mujoco": "train",
    "mujoco_warp": "train",
    "warp": "train",
    "numba": "train",
    "safetensors": "train",
    "onnx": "train",
    "onnxscript": "train",
    "tensorboard": "train",
    "matplotlib": "train",
    "PIL": "train",
    "sklearn": "train",
    "imageio": "train",
    "imageio_ffmpeg": "train",
    "viser": "view",
    "mjviser": "view",
    "cyclonedds": "go2",
    "rsl_rl": "dev",
}


def extra_of(module: str | None) -> str | None:
    """The extra that installs a module, or None for modules that are not optional."""
    return EXTRAS.get((module or "").partition(".")[0])
