"""The player carries out a policy file as ONNX Runtime does, and refuses what it cannot."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import TensorProto, helper

from him.bench.player import Player
from him.env.factors import NAMES
from him.env.protocol import Sizes
from him.errors import HimError
from him.learn.export import export
from him.learn.method import Him, phases
from him.learn.presets import preset
from him.methods import METHODS
from him.policy.contract import METADATA_KEY
from tests.learn.conftest import small
from tests.policy.random_policy import contract


def promised(path: Path) -> Path:
    """With a contract, whichever."""
    model = onnx.load(path)
    helper.set_model_props(model, {METADATA_KEY: contract().to_json()})
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("batch", [1, 7])
def test_answers_are_onnxruntimes(tmp_path: Path, scale: float, batch: int) -> None:
    torch.manual_seed(0)
    settings = preset("laptop")
    method = Him(Sizes(45, 193, 12), replace(settings, him=replace(settings.him, velocity_scale=scale)))
    path = promised(export(method, tmp_path / "p.onnx", {}))
    history = torch.randn(batch, 6, 45)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    expected = session.run(["action", "velocity", "latent"], {"obs": history.numpy()})
    said = Player(path)(history)
    assert list(said) == ["action", "velocity", "latent"]
    for got, wanted in zip(said.values(), expected, strict=True):
        np.testing.assert_allclose(got.numpy(), wanted, atol=1e-5)


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_can_be_played_on_many_robots(tmp_path: Path, name: str) -> None:
    torch.manual_seed(0)
    frame = 69 if name == "mob" else 45  # with behaviour and clocks
    method = phases(METHODS[name](Sizes(frame, 193 + len(NAMES), 12), small()))[-1]
    path = promised(export(method, tmp_path / "p.onnx", {}))
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given = {put.name: torch.rand(3, *put.shape[1:]) for put in session.get_inputs()}
    player = Player(path)
    if "behaviour" in given:  # the same for all robots
        player.behaviour = given["behaviour"] = given["behaviour"][:1].expand(3, -1)
    said = player(given["obs"], given.get("time"))
    expected = session.run(list(said), {key: value.numpy() for key, value in given.items()})
    for got, wanted in zip(said.values(), expected, strict=True):
        np.testing.assert_allclose(got.numpy(), wanted, atol=1e-5)


def write(path: Path, operation: str, metadata: dict[str, str]) -> Path:
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 2]) for name in ("obs", "action")]
    node = helper.make_node(operation, ["obs"], ["action"])
    model = helper.make_model(helper.make_graph([node], "g", tensors[:1], tensors[1:]))
    helper.set_model_props(model, metadata)
    onnx.save(model, path)
    return path


def test_a_file_without_a_contract_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HimError, match="no contract"):
        Player(write(tmp_path / "p.onnx", "Tanh", {}))


def test_an_operation_it_does_not_know_is_named(tmp_path: Path) -> None:
    with pytest.raises(HimError, match="Softplus"):
        Player(write(tmp_path / "p.onnx", "Softplus", {METADATA_KEY: contract().to_json()}))


def test_a_policy_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HimError, match="there is no policy"):
        Player(tmp_path / "none.onnx")
