"""The robot's mirror image: what a state, a command and an action look like with left and right exchanged.

A quadruped and its world are symmetric, so the mirror image of an experience is an experience, and the best answer to a
mirrored state is the mirrored answer. Networks can be built so that they know (`him.learn.networks`), and need not
learn everything twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from him.errors import HimError
from him.policy.terms import BEHAVIOUR, OBS_TERMS, Term

Image = tuple[int, float]
"""Which number takes a place in the mirror image, and with which sign."""

Mirror = Mapping[str, Sequence[Image]]
"""Mirror images of a task's `frame`, `extra`, `action` and `velocity`."""

POLAR = (1.0, -1.0, 1.0)
"""Signs of a velocity, a force or a direction: y changes sides."""

AXIAL = (-1.0, 1.0, -1.0)
"""Signs of a rotation: about y it stays, about x and z it turns round."""

LEGS = (1, 0, 3, 2)
"""FL, FR, RL, RR with the sides exchanged."""

LEG = (-1.0, 1.0, 1.0)
"""Signs of hip, thigh and calf: only the hip turns about the forward axis."""


@dataclass(frozen=True)
class Space:
    """Numbers that a network reads or writes, and their mirror image, if they have one."""

    size: int
    images: tuple[Image, ...] | None = None

    @classmethod
    def of(cls, images: Sequence[Image]) -> Space:
        return cls(len(images), tuple((int(place), float(sign)) for place, sign in images))

    def same(self, size: int) -> Space:
        """Numbers beside these that are their own mirror image."""
        return Space(size) if self.images is None else Space.of(signed([1.0] * size))

    def pairs(self, size: int) -> Space:
        """Numbers beside these of which the second half is the mirror image of the first: what a network makes up."""
        if self.images is None:
            return Space(size)
        if size % 2:
            raise HimError(f"symmetric networks need even widths, not {size}: choose another, or --no-symmetry")
        return Space.of([((k + size // 2) % size, 1.0) for k in range(size)])

    def only(self, places: Sequence[int]) -> Space:
        """Some of these numbers, in this order; with each its mirror image must be among them."""
        if self.images is None:
            return Space(len(places))
        where = {place: k for k, place in enumerate(places)}
        return Space.of([(where[self.images[place][0]], self.images[place][1]) for place in places])

    def __add__(self, other: Space) -> Space:
        """These numbers and then the others."""
        if self.images is None or other.images is None:
            return Space(self.size + other.size)
        return Space.of(join(self.images, other.images))

    def __mul__(self, times: int) -> Space:
        """These numbers so many times."""
        return Space(self.size * times) if self.images is None else Space.of(join(*[self.images] * times))


@dataclass(frozen=True)
class Reflection:
    """A permutation with signs; applied twice it gives everything back."""

    place: Tensor
    sign: Tensor

    @classmethod
    def of(cls, images: Sequence[Image], device: torch.device | str = "cpu") -> Reflection:
        places, signs = zip(*images, strict=True)
        return cls(torch.tensor(places, device=device), torch.tensor(signs, device=device))

    def __call__(self, values: Tensor) -> Tensor:
        return values.index_select(-1, self.place) * self.sign


def standard(scan: tuple[int, int], terms: Sequence[Term] = OBS_TERMS, factors: Sequence[float] = ()) -> Mirror:
    """Of a frame of these terms, and of the critic's velocity, force and scan of (along x, along y) points.

    `factors` are the signs of what the critic sees besides.
    """
    images = _images()
    return {
        "frame": join(*(images[term.name] for term in terms)),
        "extra": join(signed(POLAR), signed(POLAR), flipped(*scan), signed(factors)),
        "action": joints(),
        "velocity": signed(POLAR),
    }


def _images() -> dict[str, list[Image]]:
    """Mirror image of each term of a frame. Offsets of half a step are their own, as the clocks show."""
    return {
        "command": signed((1.0, -1.0, -1.0)),
        "angular_velocity": signed(AXIAL),
        "gravity": signed(POLAR),
        **dict.fromkeys(("joint_pos", "joint_vel", "last_action", "before_last_action"), joints()),
        "behaviour": signed([-1.0 if name == "roll" else 1.0 for name in BEHAVIOUR]),
        "clock": [(leg, 1.0) for leg in LEGS],
    }


def signed(signs: Sequence[float]) -> list[Image]:
    """Numbers that stay in their place."""
    return list(enumerate(signs))


def joints() -> list[Image]:
    """Twelve joints, leg by leg."""
    return [(3 * leg + joint, sign) for leg in LEGS for joint, sign in enumerate(LEG)]


def flipped(along: int, across: int) -> list[Image]:
    """A grid of heights, x-major, with y turned round."""
    return [(x * across + (across - 1 - y), 1.0) for x in range(along) for y in range(across)]


def join(*parts: Sequence[Image]) -> list[Image]:
    """One after the other."""
    images: list[Image] = []
    for part in parts:
        start = len(images)
        images += [(start + place, sign) for place, sign in part]
    return images
