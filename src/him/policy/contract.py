"""What an exported policy says about itself, so that a controller needs the one file and nothing else."""

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from him.errors import HimError
from him.policy import validate
from him.policy.terms import BEHAVIOUR, FRAME_SIZE, HISTORY_LENGTH, HISTORY_ORDER, JOINT_NAMES, OBS_TERMS, Term

if TYPE_CHECKING:
    from him.robots import Robot

VERSION = 1
METADATA_KEY = "him"
"""Key of the ONNX file's metadata that holds the contract as JSON."""

Pair = tuple[float, float]


@dataclass(frozen=True)
class Tensor:
    """An input or output of the network."""

    name: str
    shape: tuple[int | str, ...]
    """The batch dimension is a name, the others are numbers."""


OBS = Tensor("obs", ("batch", HISTORY_LENGTH, FRAME_SIZE))
OUTPUTS = (Tensor("action", ("batch", 12)), Tensor("velocity", ("batch", 3)), Tensor("latent", ("batch", 16)))
"""What HIM's network gives: actions, the estimated base velocity in m/s, and the latent of the response."""


@dataclass(frozen=True)
class Contract:
    """Metadata of a policy. Building one checks it: a contract that exists is a contract that holds."""

    robot: str
    method: str
    default_joint_pos: tuple[float, ...]
    """Joint positions at action zero, rad."""
    joint_limits: tuple[Pair, ...]
    action_scale: float
    """Target position = default + action_scale x action. The network does not apply it."""
    action_clip: float
    """Actions are clipped to plus and minus this before they are used and fed back."""
    kp: tuple[float, ...]
    kd: tuple[float, ...]
    stand_kp: tuple[float, ...]
    stand_kd: tuple[float, ...]
    torque_limits: tuple[float, ...]
    command_ranges: tuple[Pair, ...]
    """Lowest and highest forward speed (m/s), leftward speed (m/s) and turning rate (rad/s) trained."""
    deployable: bool
    """False for policies that see what a robot cannot measure."""
    commit: str
    """Revision of the code that trained it."""
    command: str
    """Command line that trained it."""
    samples: int
    seed: int
    version: int = VERSION
    joint_names: tuple[str, ...] = JOINT_NAMES
    control_dt: float = 0.02
    history_length: int = HISTORY_LENGTH
    history_order: str = HISTORY_ORDER
    obs_terms: tuple[Term, ...] = OBS_TERMS
    inputs: tuple[Tensor, ...] = (OBS,)
    outputs: tuple[Tensor, ...] = OUTPUTS
    behaviour: tuple[float, ...] = ()
    """How to walk, in the order of `terms.BEHAVIOUR`, for a network with an input of that name; left out for others."""

    def __post_init__(self) -> None:
        validate.version(self.version, VERSION)
        validate.texts(self, "robot", "method", "commit", "command", "history_order")
        validate.whole_numbers(self, "samples", "seed", "history_length")
        validate.positive(self, "action_scale", "action_clip", "control_dt")
        validate.joint_order(self.joint_names, JOINT_NAMES)
        for name in ("default_joint_pos", "kp", "kd", "stand_kp", "stand_kd", "torque_limits"):
            validate.numbers(
                getattr(self, name), name, len(JOINT_NAMES), low=None if name == "default_joint_pos" else 0.0
            )
        validate.ranges(self.joint_limits, "joint_limits", len(JOINT_NAMES))
        validate.ranges(self.command_ranges, "command_ranges", 3)
        validate.inside(self.default_joint_pos, self.joint_limits, self.joint_names)
        if not isinstance(self.deployable, bool):
            raise HimError(f"the policy's `deployable` must be true or false, not {self.deployable!r}")
        if self.history_length < 1 or self.history_order != HISTORY_ORDER:
            raise HimError(f"the policy's history must hold at least one frame, {HISTORY_ORDER!r}")
        validate.terms(self.obs_terms)
        validate.tensors(self.inputs, "inputs")
        validate.tensors(self.outputs, "outputs")
        told = any(tensor.name == "behaviour" for tensor in self.inputs)
        validate.numbers(self.behaviour, "behaviour", len(BEHAVIOUR) if told else 0)

    @classmethod
    def for_robot(
        cls,
        robot: "Robot",
        *,
        method: str,
        command_ranges: tuple[Pair, ...],
        action_clip: float,
        **extra: Any,
    ) -> "Contract":
        """Contract of a policy just trained for `robot`: what the robot's table knows is taken from it."""

        def row(values: Any) -> tuple[float, ...]:
            return tuple(float(value) for value in values)

        return cls(
            robot=robot.name,
            method=method,
            joint_names=tuple(robot.joint_names),
            default_joint_pos=row(robot.default_joint_pos),
            joint_limits=tuple((float(low), float(high)) for low, high in robot.joint_limits),
            action_scale=float(robot.action_scale),
            action_clip=action_clip,
            kp=row(robot.kp),
            kd=row(robot.kd),
            stand_kp=row(robot.stand_kp),
            stand_kd=row(robot.stand_kd),
            torque_limits=row(robot.torque_limits),
            command_ranges=command_ranges,
            **extra,
        )

    def to_json(self) -> str:
        """The text that goes into the file's metadata."""
        data = asdict(self)
        if not self.behaviour:
            del data["behaviour"]
        return json.dumps(data, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Contract":
        """Read a contract; whatever is missing, unknown or wrong is named."""
        try:
            data = json.loads(text)
        except ValueError as error:
            raise HimError(f"the policy's metadata is not JSON: {error}") from None
        if not isinstance(data, dict):
            raise HimError("the policy's metadata must be a JSON object")
        validate.version(data.get("version"), VERSION)
        names = {field.name for field in fields(cls)}
        if missing := sorted(names - data.keys() - {"behaviour"}):
            raise HimError(f"the policy's metadata lacks {', '.join(missing)}: export it again")
        if unknown := sorted(data.keys() - names):
            raise HimError(f"the policy's metadata has unknown keys: {', '.join(unknown)}")
        data["obs_terms"] = _items(Term, data["obs_terms"], "obs_terms")
        data["inputs"] = _items(Tensor, data["inputs"], "inputs")
        data["outputs"] = _items(Tensor, data["outputs"], "outputs")
        return cls(**{name: _frozen(value) for name, value in data.items()})


def _items(kind: type, value: Any, name: str) -> Any:
    """A list of JSON objects as a tuple of `kind`."""
    try:
        return tuple(kind(**{key: _frozen(part) for key, part in item.items()}) for item in value)
    except (TypeError, AttributeError):
        keys = ", ".join(field.name for field in fields(kind))
        raise HimError(f"the policy's `{name}` must be a list of objects with {keys}") from None


def _frozen(value: Any) -> Any:
    """JSON lists as tuples, at any depth."""
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value
