"""A light policy file is the same policy with weights of 16 bits."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper

from him.env.protocol import Sizes
from him.env.symmetry import standard
from him.errors import HimError
from him.learn.export import export
from him.learn.light import SMALLEST, lighten
from him.learn.method import Him
from him.learn.presets import preset


def answers(path: Path, obs: np.ndarray) -> list[np.ndarray]:
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"obs": obs})


def rounded(source: Path, target: Path) -> Path:
    """The same file, each weight of it rounded where it stands."""
    model = onnx.load(source)
    for weight in model.graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype == np.float32 and values.size >= SMALLEST:
            weight.CopyFrom(numpy_helper.from_array(values.astype(np.float16).astype(np.float32), weight.name))
    onnx.save(model, target)
    return target


def test_it_is_half_as_large_and_answers_as_rounded_weights_do(tmp_path: Path) -> None:
    torch.manual_seed(0)
    method = Him(Sizes(frame=45, extra=193, action=12, mirror=standard((17, 11))), preset("default"))
    heavy = export(method, tmp_path / "heavy.onnx", {"robot": "toy"})
    light = lighten(heavy, tmp_path / "new" / "light.onnx")
    assert light.stat().st_size < 0.53 * heavy.stat().st_size
    assert onnx.load(light).metadata_props == onnx.load(heavy).metadata_props
    obs = np.random.default_rng(0).normal(size=(32, 6, 45)).astype(np.float32)
    expected = answers(rounded(heavy, tmp_path / "rounded.onnx"), obs)
    for got, wanted, before in zip(answers(light, obs), expected, answers(heavy, obs), strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-6)
        np.testing.assert_allclose(got, before, atol=2e-3)
    again = lighten(light, light)
    assert onnx.load(again).graph == onnx.load(light).graph


def test_a_weight_that_is_too_large_is_refused(tmp_path: Path) -> None:
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [SMALLEST]) for name in ("obs", "action")]
    weight = numpy_helper.from_array(np.full(SMALLEST, 1e5, np.float32), "big")
    graph = helper.make_graph(
        [helper.make_node("Add", ["obs", "big"], ["action"])], "g", *[[t] for t in tensors], [weight]
    )
    onnx.save(helper.make_model(graph), tmp_path / "p.onnx")
    with pytest.raises(HimError, match="big has numbers that 16 bits cannot hold"):
        lighten(tmp_path / "p.onnx", tmp_path / "q.onnx")
    assert not (tmp_path / "q.onnx").exists()
