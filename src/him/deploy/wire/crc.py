"""Unitree's checksum: CRC-32, polynomial 0x04C11DB7, no reflection, over little-endian 32-bit words.

`zlib.crc32` is the same polynomial with every bit order mirrored. So the bytes of each word are turned
round (the word's top byte goes first), each byte is mirrored, and the result is mirrored back: a few
microseconds a packet instead of a loop over bits in Python.
"""

import zlib

import numpy as np

_MIRROR = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def crc32(data: bytes, words: int) -> int:
    """Checksum of the first `words` 32-bit words of `data`."""
    swapped = np.frombuffer(data, "<u4", words).byteswap().tobytes()
    register = zlib.crc32(swapped.translate(_MIRROR)) ^ 0xFFFFFFFF
    return int.from_bytes(register.to_bytes(4, "little").translate(_MIRROR), "big")


def covered_words(length: int) -> int:
    """Words the checksum covers in a frame of `length` bytes; up to three bytes before it are left out."""
    return length // 4 - 1
