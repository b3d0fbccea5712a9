from inspector.report.source.detectors.registry import (
    DETECTORS as DETECTORS,
    Detector as Detector,
    run_detectors as run_detectors,
)
