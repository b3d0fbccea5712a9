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
    # "[ FAILED ] LedgerTest.AddsRows (0 ms)", "Failed LedgerTests.AddsRows [12 ms]", "67% tests passed, 1 tests failed"
    (
        "failed",
        r"^\s*\[ {0,4}FAILED {0,4}\] \S|^\s*Failed [A-Z][\w.+]{2,160}(?:\([^()\n]{0,80}\))? \[[<\d][^\]\n]{1,12}\]$"
        r"|^Test [Cc]ase '[^'\n]{1,160}' failed\b|\btests passed, [1-9]\d{0,5} tests? failed\b"
        r"|^The following tests FAILED\b",
    ),
    # "Failed asserting that 3 matches expected 4."
    ("failed asserting|failures!", r"^Failed asserting that\b|^FAILURES!$"),
    # "rspec ./spec/ledger_spec.rb:12 # Ledger adds a row"
    ("rspec", r"^rspec \./\S{1,200}:\d+ # "),
    # "3 files inspected, 2 offenses detected", "2 Error(s)", "12:7 error 'x' is never used"
    ("offense", r"\b[1-9]\d{0,5} offenses? detected\b"),
    ("error", r"^\s*[1-9]\d{0,5} Error\(s\)|^\s*\d{1,6}:\d{1,4} {1,8}error {1,8}\S"),
    # "vet: ./main.go:31:9: format %d has arg of wrong type", "luac: ledger.lua:12: '=' expected near 'x'"
    (
        "vet: |expected|unexpected|undefined|wrong|missing",
        r"^[a-z][a-z0-9+-]{1,15}: (?!warning)\S{1,200}\.\w{1,5}:\d{1,6}:(?:\d{1,4}:)? \S",
    ),
    ("no required module", r"\bno required module provides package \S"),
    ("data race", r"^WARNING: DATA RACE\b"),
    ("configuring incomplete|compilation error", r"\bConfiguring incomplete\b|^\W{0,4}Compilation error\b"),
    ("aborted!|dumped core", r"^\w{2,20} aborted!$|\bdumped core\b"),
    ("manifest unknown|password is required", r"\bmanifest unknown\b|^\w{2,10}: a password is required$"),
    # "(error) WRONGTYPE Operation against a key", "Msg 208, Level 16, State 1, Line 1"
    ("(error)|level 1", r"^\(error\) [A-Z]{3,20} \S|^Msg \d{1,6}, Level 1[1-9], State \d"),
    # "(Mix) Could not compile dependency :jason"
    ("could not compile", r"^(?:\(\w{2,20}\) )?Could not compile\b"),
    # "web/kit 9.0 requires php ^7.3 -> your php version (8.2.0) does not satisfy that requirement."
    (
        "does not satisfy|no matching package|conflicts with",
        r"\bdoes not satisfy that\b|-> no matching package\b|^[\w./-]{3,80} \S{1,40} conflicts with \S",
    ),
    # "Installation failed, reverting", "Testing failed:", "extconf.rb failed ***"
    ("failed", r"^(?:[A-Z]\w{2,20} )(?:\w{2,20} ){0,2}failed(?:[,:;] ?\w|[.:]?$)|^[\w.]{2,40} failed \*{3}$"),
    ("npm err", r"^\s*npm ERR! \S"),
    # "● totals › rounds half up"
    ("● ", r"^\s*● \S[^\n]{0,200} › \S"),
    # "TEST FAILED **", "Failed building wheel for x", "There was 1 failure:", "Getting requirements ... error"
    (
        "failed",
        r"^(?:\*\* )?(?:BUILD|TEST|ARCHIVE|ANALYZE|INSTALL|CLEAN) FAILED\b|^\s*Failed (?:\w+ing|building) \S",
    ),
    ("failure", r"\b[Tt]here (?:was|were) [1-9]\d{0,4} failures?\b|^\[INFO\] \S.{0,160}\bFAILURE \["),
    ("... error", r"\.{3} error$"),
    ("not found", r"^ld: (?:framework|library) not found \S"),
    ("were found", r"^\s*No (?:\w+ ){1,3}(?:matching|matched) [^\n]{1,200} (?:were|was) found\b"),
    # "main.go:16: too many arguments in call to run", "flag provided but not defined: -l"
    (
        "too many|not enough|undefined|argument|not defined",
        r"^\S{1,200}\.go:\d{1,6}: (?:too many|not enough|undefined|cannot|missing|first argument)\b"
        r"|\bflag provided but not defined\b",
    ),
    ("zsh: exit", r"^zsh: exit [1-9]\d{0,2}\b"),
    # "(ArgumentError) lib file could not be found", as Elixir prints it after two stars
    ("error)", r"^(?:\*\* )?\((?:\w{1,40}\.){0,4}[A-Z]\w{2,60}\) \S"),
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
