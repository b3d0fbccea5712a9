"""Presets written for other frameworks."""
