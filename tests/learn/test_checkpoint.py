"""Checkpoints are whole or refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from him.learn import checkpoint
from him.learn.checkpoint import CheckpointError


def write(folder: Path, *iterations: int, keep: int = 3) -> list[Path]:
    return [checkpoint.save(folder, state(i), i, i * 100, 1.5, keep) for i in iterations]


def state(i: int) -> dict[str, Tensor]:
    return {
        "method.weight": torch.full((2, 3), float(i)).t(),
        "count": torch.tensor(i),
        "mask": torch.tensor([True]),
    }


def test_everything_comes_back(tmp_path: Path) -> None:
    write(tmp_path, 1, 2)
    loaded, manifest = checkpoint.load(tmp_path)
    assert (manifest.iteration, manifest.samples, manifest.seconds) == (2, 200, 1.5)
    assert loaded.keys() == state(2).keys()
    assert all(torch.equal(value, loaded[name]) for name, value in state(2).items())


def test_only_the_last_ones_stay(tmp_path: Path) -> None:
    write(tmp_path, *range(1, 6), keep=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "00000004.json", "00000004.rank0.safetensors", "00000005.json", "00000005.rank0.safetensors",
    ]  # fmt: skip


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def alter(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def remove(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize(
    ("damage", "suffix"),
    [
        (truncate, "rank0.safetensors"),
        (alter, "rank0.safetensors"),
        (remove, "rank0.safetensors"),
        (truncate, "json"),
        (alter, "json"),
    ],
)
def test_a_damaged_checkpoint_is_refused_by_name_and_the_one_before_offered(
    tmp_path: Path, damage: Callable[[Path], None], suffix: str
) -> None:
    write(tmp_path, 1, 2)
    damage(tmp_path / f"00000002.{suffix}")
    with pytest.raises(CheckpointError, match=r"00000002.*resume from .*00000001\.json"):
        checkpoint.load(tmp_path)
    assert checkpoint.load(tmp_path / "00000001.json")[1].iteration == 1


def test_nothing_intact_is_said(tmp_path: Path) -> None:
    write(tmp_path, 1)
    truncate(tmp_path / "00000001.rank0.safetensors")
    with pytest.raises(CheckpointError, match="No intact checkpoint"):
        checkpoint.load(tmp_path)
    with pytest.raises(CheckpointError, match="no checkpoint in"):
        checkpoint.load(tmp_path / "elsewhere")


def test_a_write_that_breaks_off_leaves_the_previous_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, 1)

    def broken(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("him.learn.checkpoint.os.replace", broken)
        with pytest.raises(OSError, match="disk full"):
            write(tmp_path, 2)
    assert checkpoint.load(tmp_path)[1].iteration == 1
    write(tmp_path, 3)
    assert not list(tmp_path.glob("*.part"))


def test_a_checkpoint_of_several_processes_names_how_to_resume_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 1)
    monkeypatch.setattr("him.learn.distributed.world", lambda: 2)
    with pytest.raises(CheckpointError, match="written by 1 process"):
        checkpoint.load(tmp_path)


def test_weights_alone(tmp_path: Path) -> None:
    class Holder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(3, 2))

    holder = Holder()
    write(tmp_path, 7)
    assert checkpoint.load_weights(holder, tmp_path).iteration == 7
    assert torch.equal(holder.weight, torch.full((3, 2), 7.0))
