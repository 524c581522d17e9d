import os
import struct

import pytest

from him.deploy.wire.crc import covered_words, crc32


def bit_by_bit(data: bytes, words: int) -> int:
    """The checksum as Unitree describes it, a word and a bit at a time."""
    crc = 0xFFFFFFFF
    for (word,) in struct.iter_unpack("<I", data[: 4 * words]):
        crc ^= word
        for _ in range(32):
            crc = (crc << 1) ^ (0x04C11DB7 if crc & 0x80000000 else 0)
            crc &= 0xFFFFFFFF
    return crc


@pytest.mark.parametrize("words", [1, 2, 151, 152, 191, 200, 202])
def test_crc_equals_the_loop_over_bits(words):
    for _ in range(20):
        data = os.urandom(4 * words + 7)
        assert crc32(data, words) == bit_by_bit(data, words)


@pytest.mark.parametrize(("length", "words"), [(610, 151), (614, 152), (771, 191), (807, 200), (812, 202)])
def test_words_covered_in_each_frame(length, words):
    assert covered_words(length) == words
