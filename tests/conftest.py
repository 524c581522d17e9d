"""Chosen before any test imports MuJoCo: draw without a screen."""

from him.view import gl

gl.choose()
