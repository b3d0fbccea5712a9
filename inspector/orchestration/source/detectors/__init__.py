"""Detectors: each a pure function of a scope and its lists of messages, which yields what it sees there."""

from inspector.orchestration.source.detectors.registry import DETECTORS, Detector, run_detectors

__all__ = ["DETECTORS", "Detector", "run_detectors"]
