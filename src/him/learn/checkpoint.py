"""Checkpoints as safetensors and JSON. No pickle: a file from a stranger cannot run code.

A checkpoint is one tensor file for each process and one manifest that names them with their SHA-256. The
manifest is written last and, as every file, under a temporary name first: a run killed at any moment leaves
the previous checkpoint intact and no half of a new one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor, nn

from him.errors import HimError
from him.learn import distributed


class CheckpointError(HimError):
    """A checkpoint that cannot be used. The message names it, and the intact one before it if any."""


@dataclass(frozen=True)
class Manifest:
    """What a checkpoint is and which files belong to it."""

    iteration: int
    samples: int
    seconds: float
    """Time trained so far."""
    files: dict[str, str]
    """SHA-256 by name, one file for each process in order of rank."""
    phases: list[int] = field(default_factory=lambda: [0])
    """Iterations after which the phases of the method began, those to come left out."""
    format: int = 1

    @property
    def phase(self) -> int:
        """Of the method, the first being 0."""
        return len(self.phases) - 1

    def text(self) -> str:
        data = asdict(self)
        return json.dumps(data | {"digest": _digest(data)}, indent=1)

    @classmethod
    def read(cls, path: Path) -> Manifest:
        try:
            data: dict[str, Any] = json.loads(path.read_text())
            digest = data.pop("digest")
            manifest = cls(**data)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CheckpointError(f"{path} is damaged: {error}") from error
        if digest != _digest(data):
            raise CheckpointError(f"{path} is damaged: its content does not match its digest")
        return manifest


def save(
    folder: Path,
    state: dict[str, Tensor],
    iteration: int,
    samples: int,
    seconds: float,
    keep: int,
    phases: Sequence[int] = (0,),
) -> Path:
    """Write a checkpoint, of all processes together, and remove all but the last `keep`."""
    folder.mkdir(parents=True, exist_ok=True)
    data = save_tensors({name: value.detach().cpu().contiguous() for name, value in state.items()})
    name = f"{iteration:08d}.rank{distributed.rank()}.safetensors"
    _write(folder / name, data)
    names = distributed.gather(name)
    digests = distributed.gather(hashlib.sha256(data).hexdigest())
    path = folder / f"{iteration:08d}.json"
    if distributed.rank() == 0:
        manifest = Manifest(iteration, samples, seconds, dict(zip(names, digests, strict=True)), list(phases))
        _write(path, manifest.text().encode())
        _prune(folder, keep)
    distributed.barrier()
    return path


def load(path: Path) -> tuple[dict[str, Tensor], Manifest]:
    """The state of this process from a manifest, or from the newest one of a folder."""
    path = find(path)
    manifest = Manifest.read(path)
    if len(manifest.files) != distributed.world():
        many = len(manifest.files)
        raise CheckpointError(
            f"{path} was written by {many} processes: resume it with torchrun --nproc-per-node {many}"
        )
    return _tensors(path, manifest, distributed.rank()), manifest


def load_weights(method: nn.Module, path: Path) -> Manifest:
    """Put the weights of a checkpoint, or of the newest of a folder, into a method; for export and play."""
    path = find(path)
    manifest = Manifest.read(path)
    state = _tensors(path, manifest, 0)
    method.load_state_dict({k.removeprefix("method."): v for k, v in state.items() if k.startswith("method.")})
    return manifest


def tensor(path: Path, name: str) -> Tensor:
    """One of the tensors of a checkpoint, or of the newest of a folder."""
    path = find(path)
    return _tensors(path, Manifest.read(path), 0)[name]


def find(path: Path) -> Path:
    """The manifest meant by a path. A damaged newest one is refused and the intact one before it offered."""
    if path.is_file():
        verify(path)
        return path
    manifests = _manifests(path)
    if not manifests:
        raise CheckpointError(f"there is no checkpoint in {path}")
    try:
        verify(manifests[-1])
    except CheckpointError as error:
        raise CheckpointError(f"{error}. {_offer(manifests[:-1])}") from error
    return manifests[-1]


def verify(path: Path) -> None:
    manifest = Manifest.read(path)
    for name, digest in manifest.files.items():
        file = path.parent / name
        if not file.is_file():
            raise CheckpointError(f"{path} is incomplete: {name} is missing")
        if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            raise CheckpointError(f"{file} was truncated or altered: it does not match the SHA-256 in {path.name}")


def _tensors(path: Path, manifest: Manifest, rank: int) -> dict[str, Tensor]:
    name = list(manifest.files)[rank]
    try:
        return load_tensors((path.parent / name).read_bytes())
    except SafetensorError as error:
        raise CheckpointError(f"{path.parent / name} is not a safetensors file: {error}") from error


def _offer(earlier: list[Path]) -> str:
    for path in reversed(earlier):
        try:
            verify(path)
        except CheckpointError:
            continue
        return f"The one before it is intact: resume from {path}"
    return "No intact checkpoint lies before it: start anew"


def _manifests(folder: Path) -> list[Path]:
    return sorted(folder.glob("[0-9]*.json"))


def _prune(folder: Path, keep: int) -> None:
    """Drop old checkpoints, and what a killed run left of an unfinished one."""
    manifests = _manifests(folder)
    for path in manifests[:-keep]:
        path.unlink()
    stems = {path.stem for path in manifests[-keep:]}
    for path in [*folder.glob("*.safetensors"), *folder.glob("*.part")]:
        if path.name.partition(".")[0] not in stems:
            path.unlink(missing_ok=True)


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _digest(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
