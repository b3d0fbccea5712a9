"""Backends that store working memories."""
