"""Chosen before any test imports MuJoCo: draw without a screen. And properties are checked without a stopwatch."""

import hypothesis

from him.view import gl

gl.choose()
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")
