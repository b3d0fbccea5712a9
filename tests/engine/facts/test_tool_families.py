"""Failures as the test runners, compilers and package managers of many languages print them."""

from __future__ import annotations

import pytest

from inspector.engine.facts import text_classes


@pytest.mark.parametrize(
    "line",
    [
        "[  FAILED  ] TideTest.RoundsHalfUp (0 ms)",
        "  Failed TideTests.RoundsHalfUp [12 ms]",
        "Test Case '-[TideTests testHalf]' failed (0.012 seconds).",
        "71% tests passed, 2 tests failed out of 7",
        "Failed asserting that 3 matches expected 4.",
        "rspec ./spec/tide_spec.rb:12 # Tide rounds half up",
        "7 files inspected, 2 offenses detected",
        "    2 Error(s)",
        "  12:7  error  'tide' is assigned a value but never used  no-unused-vars",
        "vet: ./tide.go:31:9: format %d has arg of wrong type",
        "luac: tide.lua:12: '=' expected near 'x'",
        "no required module provides package example.com/tide; to add it:",
        "-- Configuring incomplete, errors occurred!",
        "rails aborted!",
        "manifest for tide:9 not found: manifest unknown: manifest unknown",
        "(error) WRONGTYPE Operation against a key holding the wrong kind of value",
        "Msg 208, Level 16, State 1, Line 1",
        "** (Mix) Could not compile dependency :tide",
        "** (ArgumentError) lib file tide.hrl could not be found",
        "    - harbour/tide 9.0 requires php ^7.3 -> your php version (8.2.0) does not satisfy that requirement.",
        "Installation failed, reverting ./composer.json to its original content.",
        "npm ERR! peer tide@2 from harbour@1",
        "  ● tide › rounds half up",
        "** TEST FAILED **",
        "  Failed building wheel for tide",
        "There was 1 failure:",
        "ld: framework not found Tide for architecture arm64",
        'No files matching the pattern "src/**/*.tide" were found.',
        "./tide.go:12: too many arguments in call to round",
        "flag provided but not defined: -tide",
        "[INFO] tide ............. FAILURE [ 10.342 s]",
        "[INFO] BUILD FAILURE",
        "org.harbour.TideException: expected: <3> but was: <4>",
        "HarbourServerError: E11000 duplicate key error { _id: 1 }",
    ],
)
def test_a_failure_is_found(line: str) -> None:
    assert text_classes(line, "output") == {"error"}


@pytest.mark.parametrize(
    "line",
    [
        "[       OK ] TideTest.RoundsHalfUp (0 ms)",
        "  Passed TideTests.RoundsHalfUp [12 ms]",
        "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12",
        "100% tests passed, 0 tests failed out of 7",
        "7 files inspected, no offenses detected",
        "    0 Error(s)",
        "  12:7  warning  Unexpected console statement  no-console",
        "[INFO] tide ............. SUCCESS [ 10.342 s]",
        "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 0",
        "ValueError: If the tide is negative",
        "tide.go:12: type Tide struct",
        "No tides are drawn at night in the harbour plan.",
    ],
)
def test_a_success_a_warning_and_documentation_are_none(line: str) -> None:
    assert "error" not in text_classes(line, "output")
