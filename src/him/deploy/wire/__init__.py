"""Unitree's packets: tables of bytes, checksums, and what a number on the wire may be."""

from him.deploy.wire.bounds import Refused
from him.deploy.wire.sdk1 import FRAMES, Frames

__all__ = ["FRAMES", "Frames", "Refused"]
