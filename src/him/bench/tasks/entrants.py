"""Who takes part: policies by name or path, each for the robot its contract names."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from him.errors import HimError
from him.policy import Policy
from him.policy.find import names


@dataclass(frozen=True)
class Entrant:
    """A policy."""

    name: str
    path: Path
    robot: str
    method: str
    digest: str
    """SHA-256 of the file."""

    @classmethod
    def of(cls, policy: str) -> "Entrant":
        loaded = Policy(policy)
        path = loaded.path.resolve()
        # an exported run is FOLDER/policy.onnx
        name = path.parent.name if path.stem == "policy" else path.stem
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return cls(name, path, loaded.contract.robot, loaded.contract.method, digest)


def gather(policies: Sequence[str]) -> tuple[list[Entrant], list[str]]:
    """The named policies, or every one there is; and a sentence for each that cannot take part."""
    if policies:
        return _distinct([Entrant.of(policy) for policy in policies]), []
    found, remarks = [], []
    for name in names():
        try:
            found.append(Entrant.of(name))
        except HimError as error:
            remarks.append(f"{name} is left out: {error}")
    return found, remarks


def _distinct(entrants: list[Entrant]) -> list[Entrant]:
    unique = list(dict.fromkeys(entrants))
    for i, entrant in enumerate(unique):
        if any(entrant.name == other.name for other in unique[:i]):
            raise HimError(f"two different policies are called {entrant.name}: rename a file, results are kept by name")
    return unique
