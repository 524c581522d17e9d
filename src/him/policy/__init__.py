"""The policy contract, the frame and its history, and a runner: NumPy and onnxruntime, no torch."""

from him.policy.contract import Contract, Tensor
from him.policy.find import find
from him.policy.frame import frame, gravity_direction
from him.policy.history import History
from him.policy.runner import Decision, Policy
from him.policy.terms import FRAME_SIZE, HISTORY_LENGTH, JOINT_NAMES, OBS_TERMS, Term

__all__ = [
    "FRAME_SIZE",
    "HISTORY_LENGTH",
    "JOINT_NAMES",
    "OBS_TERMS",
    "Contract",
    "Decision",
    "History",
    "Policy",
    "Tensor",
    "Term",
    "find",
    "frame",
    "gravity_direction",
]
