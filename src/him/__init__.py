"""Hybrid Internal Model: quadrupeds that walk from joint encoders and an IMU alone."""

__version__ = "0.1.0"
