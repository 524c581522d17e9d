"""A million random and mutated packets: none may crash a parser, and only good ones may pass."""

from collections import Counter

import numpy as np
import pytest

from him.deploy.wire import FRAMES, Refused
from him.deploy.wire.crc import covered_words, crc32

RANDOM, MUTATED, RESEALED = 800_000, 160_000, 40_000
"""Packets of random bytes and lengths; good ones with bits flipped; the same with the checksum made right."""

BOUNDS = (
    ("joint_pos", 6.3),
    ("joint_vel", 100.0),
    ("joint_torque", 127.0),
    ("angular_velocity", 40.0),
    ("acceleration", 400.0),
    ("q", 6.3),
    ("dq", 100.0),
    ("tau", 127.0),
    ("kp", 1000.0),
    ("kd", 100.0),
)
"""What no believed number exceeds, in a state or in a command."""


def outcome(parse, data: bytes) -> str:
    """`passed`, or the kind of refusal; anything else is an error of the parser."""
    try:
        parse(data)
    except Refused as refusal:
        text = str(refusal)
        kinds = ("bytes instead", "begin with", "checksum", "not finite", "modes")
        return next(kind for kind in kinds if kind in text)
    return "passed"


@pytest.fixture(scope="module")
def parsers(golden):
    """Each parser with a good packet for it."""
    pairs = []
    for recording, robot in (("A1_sdk_v3.2", "a1"), ("Go1_sdk_v3.8.6", "go1")):
        frames, entry = FRAMES[robot], golden[recording]
        pairs.append((frames.parse_state, bytes.fromhex(entry["lowstate_hex"]), frames.head))
        pairs.append((frames.parse_command, bytes.fromhex(entry["lowcmd_hex"]), frames.head))
    return pairs


def test_a_million_packets():
    assert RANDOM + MUTATED + RESEALED >= 1_000_000


def test_random_packets(parsers):
    """Half of any length, half of the right length; of these, half with the right head."""
    rng = np.random.default_rng(0)
    noise = rng.bytes(1 << 20)
    seen: Counter[str] = Counter()
    share = RANDOM // len(parsers)
    for parse, good, head in parsers:
        starts = rng.integers(0, len(noise) - 2000, share)
        lengths = np.where(rng.random(share) < 0.5, rng.integers(0, 1200, share), len(good))
        heads = rng.random(share) < 0.5
        for start, length, headed in zip(starts.tolist(), lengths.tolist(), heads.tolist(), strict=True):
            data = noise[start : start + length]
            seen[outcome(parse, head + data[len(head) :] if headed else data)] += 1
    assert sum(seen.values()) == RANDOM
    assert seen["passed"] == 0
    assert seen["bytes instead"] > 0.4 * RANDOM
    assert seen["checksum"] > 0.2 * RANDOM


def test_mutated_packets(parsers):
    """Good packets with a few bytes changed: the checksum catches every change among the bytes it covers."""
    rng = np.random.default_rng(1)
    share = MUTATED // len(parsers)
    for parse, good, _ in parsers:
        covered = 4 * covered_words(len(good))
        places = rng.integers(0, len(good), (share, 3))
        values = rng.integers(1, 256, (share, 3))
        for spots, changes in zip(places.tolist(), values.tolist(), strict=True):
            data = bytearray(good)
            for spot, change in zip(spots, changes, strict=True):
                data[spot] ^= change
            harmless = data[:covered] == good[:covered] and data[-4:] == good[-4:]
            assert (outcome(parse, bytes(data)) == "passed") == harmless


def test_resealed_packets(parsers):
    """With the checksum made right, what passes is finite and in range, and some of each is seen."""
    rng = np.random.default_rng(2)
    seen: Counter[str] = Counter()
    for parse, good, head in parsers:
        share = RESEALED // len(parsers)
        places = rng.integers(len(head), len(good) - 4, (share, 4))
        values = rng.integers(0, 256, (share, 4))
        for spots, changes in zip(places.tolist(), values.tolist(), strict=True):
            data = bytearray(good)
            for spot, change in zip(spots, changes, strict=True):
                data[spot] = change
            data[-4:] = crc32(bytes(data), covered_words(len(data))).to_bytes(4, "little")
            kind = outcome(parse, bytes(data))
            seen[kind] += 1
            if kind == "passed":
                message = parse(bytes(data))
                for name, bound in BOUNDS:
                    assert (np.abs(getattr(message, name, 0.0)) <= bound).all(), name
    assert sum(seen.values()) == RESEALED
    assert seen["passed"] > 0.2 * RESEALED
    assert seen["not finite"] > 0.05 * RESEALED
    assert seen["bytes instead"] == seen["begin with"] == seen["checksum"] == 0
