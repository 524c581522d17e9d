"""Runs one exported policy and obeys its contract."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime
from numpy.typing import ArrayLike, NDArray

from him.errors import HimError
from him.policy.contract import METADATA_KEY, Contract
from him.policy.find import find
from him.policy.terms import BEHAVIOUR, FRAME_SIZE

Array = NDArray[np.float32]

KNOWN_INPUTS = ("obs", "time", "behaviour")
"""`obs` is the history; `time`, shape (batch, 1), is seconds since walking began, for gaits with a clock; `behaviour`,
shape (batch, 11), says how to walk, and is the contract's unless someone knows better."""

ROWS = {"time": (1,), "behaviour": (len(BEHAVIOUR),)}
"""Shapes of the inputs that not every network has."""


class Decision(NamedTuple):
    """What the network says for one history."""

    action: Array
    """Clipped to the contract's `action_clip`; the target is default + action_scale x action."""
    velocity: Array | None
    """Estimated base velocity in m/s, where the method estimates it."""
    latent: Array | None


class Policy:
    """An ONNX file ready to act. Refuses at load what it could not drive later."""

    def __init__(self, policy: str | Path, robot: str | None = None, simulated: bool = False) -> None:
        """Load a policy by name or path; with `robot` given, only a policy trained for it is accepted.

        One that needs what no robot measures is accepted where everything is `simulated`.
        """
        self.path = find(policy)
        self._session = _open(self.path)
        text = self._session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)
        if text is None:
            raise HimError(f"{self.path} has no metadata key {METADATA_KEY!r}: it is not a policy exported by him")
        self.contract = Contract.from_json(text)
        if robot is not None and self.contract.robot != robot:
            raise HimError(f"{self.path} was trained for {self.contract.robot}, not for {robot}")
        if not self.contract.deployable and not simulated:
            raise HimError(
                f"{self.path} ({self.contract.method}) is not deployable: it needs what no robot measures. "
                "`him play` and `him eval` take it"
            )
        self._check_tensors()
        self.width = int(self.contract.inputs[0].shape[2])
        """Numbers of an instant: a frame's, and more if it is not deployable."""
        self.scales = np.concatenate([term.scale for term in self.contract.obs_terms])
        self._outputs = [tensor.name for tensor in self.contract.outputs]
        self._inputs = [tensor.name for tensor in self.contract.inputs]

    def act(self, history: ArrayLike, time: float = 0.0, behaviour: ArrayLike | None = None) -> Decision:
        """Decide on one history (length, width), newest instant first."""
        told = self.contract.behaviour if behaviour is None else behaviour
        known = {"obs": history, "time": [time], "behaviour": told}
        feeds = {name: np.asarray(known[name], dtype=np.float32)[None] for name in self._inputs}
        values = dict(zip(self._outputs, self._session.run(self._outputs, feeds), strict=True))
        clip = self.contract.action_clip
        action = np.clip(values["action"][0], -clip, clip)
        velocity, latent = (values[name][0] if name in values else None for name in ("velocity", "latent"))
        return Decision(action, velocity, latent)

    def _check_tensors(self) -> None:
        """The network must have the tensors its contract declares, and no input a controller cannot feed."""
        session, contract = self._session, self.contract
        for declared, real in (
            (contract.inputs, session.get_inputs()),
            (contract.outputs, session.get_outputs()),
        ):
            shapes = {tensor.name: tuple(tensor.shape[1:]) for tensor in declared}
            found = {tensor.name: tuple(tensor.shape[1:]) for tensor in real}
            if shapes != found:
                raise HimError(f"{self.path} declares {shapes} but its network has {found}")
        if unknown := [tensor.name for tensor in contract.inputs if tensor.name not in KNOWN_INPUTS]:
            raise HimError(f"{self.path} needs inputs a controller cannot feed: {', '.join(unknown)}")
        given = {tensor.name: tuple(tensor.shape[1:]) for tensor in contract.inputs + contract.outputs}
        width = FRAME_SIZE if contract.deployable else given.get("obs", (0, 0))[-1]
        needed = {"obs": (contract.history_length, width), "action": (len(contract.joint_names),)}
        needed |= {name: shape for name, shape in ROWS.items() if name in given}
        for name, shape in needed.items():
            if given.get(name) != shape:
                raise HimError(f"{self.path} must have a tensor {name!r} of shape {('batch', *shape)}: {given}")


def _open(path: Path) -> onnxruntime.InferenceSession:
    """One thread: the network is small, and a second thread costs more than it brings."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise HimError(f"{path} cannot be read as an ONNX policy: {error}") from None
