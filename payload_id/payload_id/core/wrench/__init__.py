"""Identification from a force-torque sensor between flange and payload."""
