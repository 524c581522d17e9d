"""The exported file answers as the method does and carries its metadata."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from him.env.protocol import Sizes
from him.env.symmetry import standard
from him.learn.compact import compact
from him.learn.export import export
from him.learn.method import Him
from him.learn.networks import mlp
from him.learn.presets import preset
from him.learn.run import Run
from tests.learn.toy_run import trainer

SIZES = Sizes(frame=45, extra=193, action=12, mirror=standard((17, 11)))


@pytest.mark.parametrize("name", ["default", "release"])
def test_onnxruntime_and_torch_agree(tmp_path: Path, name: str) -> None:
    torch.manual_seed(0)
    method = Him(SIZES, preset(name))
    path = export(method, tmp_path / "policy.onnx", {"robot": "toy", "version": 1})
    obs = torch.randn(64, 6, 45)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    assert [(x.name, x.shape) for x in session.get_inputs()] == [("obs", ["batch", 6, 45])]
    shapes = {x.name: x.shape[1:] for x in session.get_outputs()}
    assert shapes == {"action": [12], "velocity": [3], "latent": [16]}
    answers = session.run(None, {"obs": obs.numpy()})
    with torch.no_grad():
        expected = method.outputs(obs)
    for answer, tensor in zip(answers, expected.values(), strict=True):
        np.testing.assert_allclose(answer, tensor.numpy(), atol=1e-5)
    metadata = {prop.key: prop.value for prop in onnx.load(path).metadata_props}
    assert json.loads(metadata["him"]) == {"robot": "toy", "version": 1}


def test_of_symmetric_layers_one_half_is_stored(tmp_path: Path) -> None:
    sizes = {}
    for symmetry in (True, False):
        method = Him(SIZES, replace(preset("default"), symmetry=symmetry))
        sizes[symmetry] = export(method, tmp_path / "policy.onnx", {}).stat().st_size
    assert sizes[True] < 0.55 * sizes[False]


def test_a_single_symmetric_output_is_stored_whole() -> None:
    spaces = SIZES.spaces(symmetric=True)
    network = mlp(spaces.frame, (8,), spaces.frame.same(1))
    values = torch.randn(5, 45)
    torch.testing.assert_close(compact(network)(values), network(values))


def test_velocity_is_exported_in_metres_per_second() -> None:
    method = Him(SIZES, replace(preset("default"), him=replace(preset("default").him, velocity_scale=2.0)))
    obs = torch.randn(4, 6, 45)
    with torch.no_grad():
        assert torch.equal(method.outputs(obs)["velocity"] * 2.0, method.model(obs)[0])


def test_a_run_can_be_exported_from_its_folder(tmp_path: Path) -> None:
    from him.learn.checkpoint import load_weights

    trained = trainer(tmp_path, 2)
    trained.run()
    run = Run(tmp_path)
    method = Him(run.sizes(), run.settings())
    load_weights(method, run.checkpoints)
    path = export(method, tmp_path / "policy.onnx", {})
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    context = trained.learner.rollout.context(3)
    with torch.no_grad():
        expected = trained.learner.method.outputs(context)["action"].numpy()
    np.testing.assert_allclose(session.run(["action"], {"obs": context.numpy()})[0], expected, atol=1e-5)
