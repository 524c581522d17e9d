"""Policies by name: `aliengo` is `policies/aliengo.onnx`, here or beside the package."""

from pathlib import Path

from him.errors import HimError

SUFFIX = ".onnx"


def folders() -> tuple[Path, ...]:
    """Where named policies are looked for, nearest first: the current folder, the repository, the package."""
    package = Path(__file__).resolve().parents[1]
    places = (Path.cwd() / "policies", package.parents[1] / "policies", package / "policies")
    return tuple(dict.fromkeys(place for place in places if place.is_dir()))


def names() -> tuple[str, ...]:
    """Names of all policies that can be found."""
    return tuple(sorted({path.stem for folder in folders() for path in folder.glob(f"*{SUFFIX}")}))


def find(policy: str | Path) -> Path:
    """The file of a policy given by name or by path."""
    path = Path(policy)
    if path.is_file():
        return path
    if path.suffix == SUFFIX or len(path.parts) > 1:
        raise HimError(f"there is no policy file {path}")
    for folder in folders():
        if (candidate := folder / f"{path}{SUFFIX}").is_file():
            return candidate
    known = ", ".join(names()) or "none"
    raise HimError(f"there is no policy named {str(policy)!r}; there are: {known}. A path works too.")
