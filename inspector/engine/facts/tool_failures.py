"""Further cue phrases of printed failures: formatters, test runners, compilers and shells that name no error."""

from __future__ import annotations

from inspector.engine.facts.cue_tables import mark_table

TOOL_FAILURES = mark_table(
    # "[warn] Code style issues found in 2 files", "Format issues found in above 2 files"
    (
        "issues found|problems found|violations found|would reformat|would be reformatted",
        r"^(?:\[\w+\] )?(?!no\b|0\b)(?:[\w-]+ ){0,3}(?:issues|problems|violations) found in\b|^would reformat \S"
        r"|^[1-9]\d{0,4} files? would be reformatted\b",
    ),
    # "jq: error (at <stdin>:3): Cannot index", "sed: -e expression #1, char 3: unterminated", "patch: **** malformed"
    (
        "error (|error at |expression #|****|malformed|unterminated|not recoverable",
        r"^[a-z][\w.-]{0,20}: (?:\w+ )?error\b|^sed: -e expression\b|^patch: \*{4} |^tar: Error is not recoverable\b",
    ),
    # "< HTTP/2 403"
    ("http/", r"^[<*]? ?HTTP/\d(?:\.\d)? [45]\d\d\b"),
    # "e: file:///app/Main.kt:12:5 Unresolved reference", "scala: not found: value foo", "Variable not in scope: foo"
    (
        "unresolved reference|undefined name|not in scope|not found: |redeclaration|type mismatch",
        r"^[ew]: \S{1,200}:\d+:\d+:? |\b(?:Unresolved reference|Undefined name|[Vv]ariable not in scope)\b"
        r"|: not found: \w",
    ),
    # "** (CompileError) lib/app.ex:12: undefined function"
    ("** (", r"^\s*\*\* \([A-Z][\w.]{2,60}\) \S"),
    ("core dumped|aborted", r"\(core dumped\)|^Aborted\b\.?$"),
    # "##[error]Process completed with exit code 1."
    ("##[error]|::error", r"^\s*(?:\S{1,40} )?(?:##\[error\]|::error\b)"),
    ("maximum execution time|maximum time|time limit", r"\bexceeded the (?:maximum|time)\b"),
    # "[FAIL] adds a row", "not ok 3 - adds a row"
    ("[fail]|not ok ", r"^\s*\[FAIL(?:ED)?\] \S|^\s*not ok \d"),
    # "The connection to the server localhost:8080 was refused"
    ("refused", r"\b(?:connection|request|server)\b[^.]{1,80} (?:was|were|is) refused\b"),
    # "fatal: [web1]: FAILED! => {"
    ("could not read |failed!", r"\bfatal: could not read \w|^\s*fatal: \[[\w.-]{1,60}\]: FAILED!"),
    (
        "user rejected|doesn't want to proceed",
        r"^(?:The )?[Uu]ser (?:rejected|denied|declined|doesn['’]t want to proceed)\b",
    ),
)
"""Forms to search in the lines of tool output, in addition to `PRINTED_ERROR`."""
