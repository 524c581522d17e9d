"""Writes an untrained HIM network with a valid contract: real sizes, random weights, small actions."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from him.policy import FRAME_SIZE, HISTORY_LENGTH, Contract

ENCODER = (HISTORY_LENGTH * FRAME_SIZE, 512, 256, 128, 19)
ACTOR = (FRAME_SIZE + 19, 512, 256, 128, 12)


def contract(**changes) -> Contract:
    """A contract for a made-up but plausible robot."""
    rows = {
        "robot": "a1",
        "method": "him",
        "default_joint_pos": (0.1, 0.8, -1.5) * 4,
        "joint_limits": ((-0.802, 0.802), (-1.05, 4.19), (-2.7, -0.916)) * 4,
        "action_scale": 0.25,
        "action_clip": 10.0,
        "kp": (30.0,) * 12,
        "kd": (0.75,) * 12,
        "stand_kp": (60.0,) * 12,
        "stand_kd": (3.0,) * 12,
        "torque_limits": (33.5,) * 12,
        "command_ranges": ((-1.0, 1.0), (-0.5, 0.5), (-1.5, 1.5)),
        "deployable": True,
        "commit": "0" * 40,
        "command": "him train a1",
        "samples": 0,
        "seed": 0,
    }
    return Contract(**{**rows, **changes})


def layers(prefix: str, source: str, sizes, rng, gain: float):
    """Nodes and weights of a fully connected network with ELU between its layers."""
    nodes, weights = [], []
    for index, (rows, columns) in enumerate(pairwise(sizes)):
        last = index == len(sizes) - 2
        scale = (gain if last else 1.0) / np.sqrt(rows)
        name = f"{prefix}{index}"
        matrix = rng.normal(0.0, scale, (rows, columns)).astype(np.float32)
        weights += [
            numpy_helper.from_array(matrix, f"{name}_w"),
            numpy_helper.from_array(np.zeros(columns, np.float32), f"{name}_b"),
        ]
        nodes.append(helper.make_node("Gemm", [source, f"{name}_w", f"{name}_b"], [name]))
        source = name
        if not last:
            nodes.append(helper.make_node("Elu", [name], [f"{name}_elu"]))
            source = f"{name}_elu"
    return nodes, weights, source


def network(rng, gain: float) -> onnx.GraphProto:
    """History -> velocity and unit latent; newest frame, velocity and latent -> action."""
    constants = {"start": [0], "one": [1], "three": [3], "all": [19], "axis": [1]}
    weights = [numpy_helper.from_array(np.array(v, np.int64), k) for k, v in constants.items()]
    encoder, encoder_weights, embedding = layers("e", "flat", ENCODER, rng, 1.0)
    actor, actor_weights, action = layers("a", "seen", ACTOR, rng, gain)
    nodes = [
        helper.make_node("Flatten", ["obs"], ["flat"], axis=1),
        *encoder,
        helper.make_node("Slice", [embedding, "start", "three", "axis"], ["velocity"]),
        helper.make_node("Slice", [embedding, "three", "all", "axis"], ["raw"]),
        helper.make_node("LpNormalization", ["raw"], ["latent"], axis=1, p=2),
        helper.make_node("Slice", ["obs", "start", "one", "axis"], ["newest"]),
        helper.make_node("Flatten", ["newest"], ["frame"], axis=1),
        helper.make_node("Concat", ["frame", "velocity", "latent"], ["seen"], axis=1),
        *actor,
        helper.make_node("Identity", [action], ["action"]),
    ]
    outputs = {"action": 12, "velocity": 3, "latent": 16}
    shape = ["batch", HISTORY_LENGTH, FRAME_SIZE]
    return helper.make_graph(
        nodes,
        "him",
        [helper.make_tensor_value_info("obs", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", s]) for n, s in outputs.items()],
        [*weights, *encoder_weights, *actor_weights],
    )


def save(path: Path, about: Contract | str | None = None, gain: float = 0.1, seed: int = 0) -> Path:
    """Write the file; `about` is its contract, any other metadata text, or nothing."""
    graph = network(np.random.default_rng(seed), gain)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if about is not None:
        text = about.to_json() if isinstance(about, Contract) else about
        helper.set_model_props(model, {"him": text})
    onnx.save(model, path)
    return path
