"""A method that was given the weights of a policy file answers as the file does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from him.env.protocol import Sizes
from him.env.symmetry import standard
from him.errors import HimError
from him.learn.adopt import adopt
from him.learn.export import export
from him.learn.light import lighten
from him.learn.presets import preset
from him.learn.settings import TrainSettings
from him.methods import METHODS
from him.policy.contract import Contract
from him.robots import load

SIZES = Sizes(frame=45, extra=193, action=12, mirror=standard((17, 11)))


def settings(**changes: object) -> TrainSettings:
    base = preset("laptop")
    him = replace(base.him, encoder=(16, 8), target=(16, 8))
    return replace(base, him=him, ppo=replace(base.ppo, actor=(16, 8), critic=(16, 8)), **changes)


def written(path: Path, name: str, **changes: object) -> tuple[Path, torch.Tensor, torch.Tensor]:
    """A file of random weights, and what it answers to what."""
    method = METHODS[name](SIZES, settings(**changes))
    about: dict[str, Any] = {"commit": "c", "command": "him train", "samples": 7, "seed": 0, "deployable": True}
    contract = Contract.for_robot(
        load("go1"), method=name, command_ranges=((-1.0, 1.0),) * 3, action_clip=20.0, **about
    )
    obs = torch.randn(5, *method.inputs()["obs"].shape[1:])
    export(method, path, json.loads(contract.to_json()))
    with torch.no_grad():
        return path, obs, method.outputs(obs)["action"]


@pytest.mark.parametrize("name", ["him", "baseline", "no-velocity-input", "regression", "oracle"])
@pytest.mark.parametrize("symmetry", [True, False])
def test_it_answers_as_the_file_does(tmp_path: Path, name: str, symmetry: bool) -> None:
    path, obs, expected = written(tmp_path / "policy.onnx", name, symmetry=symmetry)
    method = METHODS[name](SIZES, settings(symmetry=symmetry))
    assert adopt(method, name, path).samples == 7
    with torch.no_grad():
        torch.testing.assert_close(method.outputs(obs)["action"], expected, rtol=1e-5, atol=1e-6)


def test_weights_of_16_bits_are_widened(tmp_path: Path) -> None:
    path, obs, expected = written(tmp_path / "policy.onnx", "him")
    method = METHODS["him"](SIZES, settings())
    adopt(method, "him", lighten(path, tmp_path / "light.onnx"))
    with torch.no_grad():
        torch.testing.assert_close(method.outputs(obs)["action"], expected, rtol=1e-2, atol=1e-3)


def test_what_the_file_does_not_hold_stays(tmp_path: Path) -> None:
    method = METHODS["him"](SIZES, settings())
    before = {name: value.clone() for name, value in method.state_dict().items()}
    adopt(method, "him", written(tmp_path / "policy.onnx", "him")[0])
    changed = {name for name, value in method.state_dict().items() if not torch.equal(value, before[name])}
    assert {name.rsplit(".", 2)[0] for name in changed} == {"actor.mean", "model.encoder"}


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "policy.onnx", "him")[0]
    wider = settings()
    wider = replace(wider, ppo=replace(wider.ppo, actor=(32, 8)))
    with pytest.raises(HimError, match=r"actor\.mean\.0\.weight is 32x64 here and 8x64 there"):
        adopt(METHODS["him"](SIZES, wider), "him", path)
    with pytest.raises(HimError, match="trained by him: go on with --method him, not regression"):
        adopt(METHODS["regression"](SIZES, settings()), "regression", path)


def test_networks_without_symmetry_are_not_made_symmetric(tmp_path: Path) -> None:
    path = written(tmp_path / "policy.onnx", "him", symmetry=False)[0]
    with pytest.raises(HimError, match="--no-symmetry"):
        adopt(METHODS["him"](SIZES, settings()), "him", path)


def test_a_method_of_two_phases_begins_at_the_beginning(tmp_path: Path) -> None:
    sizes = replace(SIZES, extra=SIZES.extra + 11, mirror=None)
    method = METHODS["rma"](sizes, settings(symmetry=False))
    path = written(tmp_path / "policy.onnx", "him")[0]
    model = path.read_bytes().replace(b'"method": "him"', b'"method": "rma"')
    path.write_bytes(model)
    with pytest.raises(HimError, match="first phase of rma"):
        adopt(method, "rma", path)
