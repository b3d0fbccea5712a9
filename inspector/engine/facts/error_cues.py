"""Cue phrases for sentences and output lines that report a failure."""

from __future__ import annotations

from inspector.engine.facts.cue_tables import joined, mark_table

_NAMED = r"(?-i:\b\w{0,80}(?:Error|Exception|Fault)\b(?:: |:?$| \d{3}\b| \[[A-Z_]{3,40}\]: ))"
"""Name of an exception: "ValueError: bad input"."""
_STARTED = (
    r"^[\s│╷|>]{0,12}(?:\*{3} )?[\[(]?(?:error|fatal|panic|critical|fail(?:ed|ure)?|E)[\])]?(?:\[\w+\])?(?:: |\()"
)
"""Start of a line that reports a failure: "error[E0308]: mismatched types"."""
_DOING = r"^\W{0,4}Error \w{3,12}ing [^:\n]{1,120}:|^\s*error connecting to \S"
"""Start of a line that names the step that failed: "Error adding task: no such list"."""
_STATUS = (
    r"\bHTTP(?:/\d(?:\.\d)?)? [45]\d\d\b|\bstatus(?: ?code)?:? [45]\d\d\b"
    r"|\b(?:400 Bad Request|401 Unauthorized|403 Forbidden|404 Not Found|405 Method Not Allowed|409 Conflict|410 Gone"
    r"|413 \w+ Too Large|415 Unsupported|422 Unprocessable|429 Too Many Requests|500 Internal Server Error"
    r"|501 Not Implemented|502 Bad Gateway|503 Service Unavailable|504 Gateway Time-?out)\b"
)
"""HTTP status of a failed request: "HTTP/1.1 404", "502 Bad Gateway"."""
_SIGNALLED = (
    r"\b(?:ECONNREFUSED|ECONNRESET|ENOENT|EACCES|EPERM|ETIMEDOUT|ENOTFOUND|EADDRINUSE|EPIPE|EEXIST|EISDIR|ENOTDIR"
    r"|EMFILE"
    r"|ENOSPC|ERESOLVE|ELIFECYCLE|SIGSEGV|SIGABRT|SIGKILL|OOMKilled|CrashLoopBackOff|ImagePullBackOff|ErrImagePull)\b"
)
"""Error codes of operating systems and runtimes. In capitals they also appear in code that handles them."""
_REFUSING = (
    r"^(?:\s{0,12}<\w+>|\s{0,12}(?:[\w./-]{1,60}(?:::\w{1,40})?: ){0,4}|\W{0,12})(?:invalid|illegal|unknown"
    r"|unrecogni[sz]ed|unsupported|malformed"
    r"|missing (?:required|argument"
    r"|parameter|value|key|field|option)|bad (?:address|request|gateway|substitution|credentials|input|value)|unable to"
    r"|could ?n[o’']t"
    r"|could not|can[’']t(?! be\b)|cannot(?! (?:be|support|also|always|use|rely|guarantee)\b)|not allowed"
    r"|unauthori[sz]ed|forbidden|no rule to make|no matching|too many|wrong)"
    r" [\w`'\"]"
)
"""Start of a line in which a program rejects something, often after its own name: "git: unknown option `x`"."""
_ABSENT = (
    r"^[^{}=;]{3,160}\b(?:does not|doesn[’']t|do not|did not|didn[’']t) (?:exist|match any|compile|parse|resolve"
    r"|have permission"
    r"|support)\b|\b(?:is not|isn[’']t) (?:defined|recogni[sz]ed|a valid|a git repository|installed|a directory"
    r"|found|assignable"
    r"|callable"
    r"|subscriptable|iterable|checked|running|available)\b|\b(?:has|have) not been (?:read|applied|found|defined)\b"
)
"""Predicates of a failure: "does not exist", "is not callable", "has not been applied"."""
_NOT_FOUND = (
    r"^(?![^\n]{0,160}\b(?:[Ii]f|[Ww]hen|[Ww]henever|[Rr]eturns?|[Rr]aises?|[Tt]hrows?|[Ww]hether|[Uu]nless|not found"
    r" errors?)\b)"
    r"(?-i:[^{}=;|#]{3,160}\bnot found(?:[.,]?$|\.? (?:in|on|for|at)\b|[.;:] [A-Z]))"
)
"""Statement that something was not found: "Git program not found.", "library not found for -lz"."""
_NO_FILE = r"^\W{0,4}(?:Path|File|Directory|Folder|Module|Command) (?:does not exist|not found)\b"
_NOT_DONE = (
    r"^(?![^\n]{0,160}\b(?:[Ii]f|[Ww]hen|[Rr]eturns?|[Ww]hether|[Uu]nless|so that)\b)[^{}=;#]{3,160}\b"
    r"(?:could not be (?:found|resolved|loaded|opened|read|parsed|created|established|located|determined|installed"
    r"|imported|inferred|converted|verified|applied|decoded)"
    r"|cannot be (?:converted|resolved|found|cast|dereferenced|loaded|opened|inferred|instantiated|located))\b"
)
"""Statement about what did not work: "the host could not be resolved", "String cannot be converted to UUID"."""
_COUNTED = (
    r"\b[1-9]\d{0,3} failed\b|\b(?:Failures|Errors|Failed): [1-9]|\bstopping after \d+ fail"
    r"|\b[1-9]\d{0,3} (?:failures?|errors?)(?:, \d|\.?$| (?:generated|found|in \d|prohibited|occurred))"
)
"""Number of failed tests or errors: "3 failed, 12 passed", "Failures: 2, Errors: 0"."""
PRINTED_ERROR = mark_table(
    ("http|status|bad request|not found|unauthorized|forbidden|too many|internal server|unavailable|gateway", _STATUS),
    (
        "econn|enoent|eacces|eperm|etimed|enotfound|eaddr|epipe|eexist|eisdir|enotdir|emfile|enospc|eresolve"
        "|elifecycle|sigseg"
        "|sigabrt|sigkill|oomkilled|backoff|errimage",
        _SIGNALLED,
    ),
    (
        "invalid|illegal|unknown|unrecogni|unsupported|malformed|missing|bad |unable to|could not|couldn|can't"
        "|cannot|not allowed"
        "|unauthori|forbidden|no rule|no matching|too many|wrong ",
        _REFUSING,
    ),
    (
        "not exist|n't exist|not match any|not compile|not parse|not resolve|not have permission|is not |isn't "
        "|isn’t |not been ",
        _ABSENT,
    ),
    (
        "segmentation|core dumped|killed|aborted|broken pipe|no space left|read-only file|file exists|not a directory"
        "|is a directory|operation not permitted|already in use|address family|stack overflow|out of memory|deadlock"
        "|bus error|too long|resource busy",
        # "Segmentation fault", "no space left on device"
        r"\b(?:segmentation fault|core dumped|broken pipe|no space left on device|read-only file system|file exists$"
        r"|not a directory$|is a directory$|operation not permitted|address already in use|already in use by"
        r"|stack overflow|out of memory|deadlock (?:detected|found)|bus error|file name too long|resource busy)"
        r"|^\s*(?:Killed|Aborted)\b",
    ),
    (
        "rejected|merge failed|pathspec|overwritten by|unmerged|diverged",
        # "! [rejected] main", "error: pathspec 'dev' did not match"
        r"!\s\[(?:remote )?rejected\]|\bmerge failed;|\bpathspec '|\bwould be overwritten by\b|\bunmerged (?:files"
        r"|paths)\b",
    ),
    (
        "violates|constraint failed|no such table|no such column|does not exist|is locked|sqlstate|ora-|syntax to use",
        # "violates unique constraint", "database is locked"
        r"\bviolates (?:\S+ )?(?:unique|foreign|check|not-null|row-level)\b|\bconstraint failed\b|\bno such (?:table"
        r"|column)\b"
        r"|\bdatabase is locked\b|\bSQLSTATE\b|\bORA-\d{5}\b|\berror in your SQL syntax\b",
    ),
    ("caused by:|exception in thread", r"^\s*Caused by: \S|\bException in thread \""),
    ("build fail", r"\bBUILD FAIL(?:URE|ED)\b"),
    ("undefined reference|undefined symbol|symbol(s)", r"\bundefined (?:reference|symbol)|\bsymbol\(s\) not found\b"),
    ("panicked at", r"\bpanicked at\b"),
    ("***", r"\bmake(?:\[\d+\])?: \*\*\* "),
    (
        "was rejected|were rejected|been rejected|rejection message|no changes made|not applied"
        "|operation cancel|user denied",
        r"\b(?:was|were|has been|have been) rejected\b|^Rejection message: |^No changes made\b"
        r"|\boperation cancell?ed\b|\buser denied\b",
    ),
    ("error occurred", r"\berrors? (?:has |have )?occurred\b"),
    ("unexpected end|unexpected token|unexpected eof", r"\bunexpected (?:end of|token|EOF)\b"),
    (
        "error",
        # "error TS2304: Cannot find name", "npm ERR! missing script"
        rf"{_NAMED}|{_STARTED}|{_DOING}|\berror(?: ?\[\w+\]| \w{{1,8}}\d+)?: |\.{{3}} (?-i:ERROR)"
        r"|^\s*npm (?:ERR!|error) "
        r"|\b(?:I/O|disk|read|write|network|syntax|parse|build|server|runtime) error\b"
        r"|\berror(?: on | in | line | at line | while | opening | reading | response from )"
        r"|^(?:\w+ )?error (?:at|from) \S"
        rf"|\b(?-i:[A-Z]\w{{0,60}}(?:Error|Exception)) \(|\berrors?\.(?-i:[A-Z])\w{{2,60}}: |{_COUNTED}"
        r"|\bstatus(?:>|\W{1,4})(?:error|timeout)\b|^\s*(?:=> "
        r"|\[[\w:.-]{1,40}\] )?\[?(?-i:ERROR)\b",
    ),
    ("exception|fault", _NAMED),
    ("err_", r"^\s*(?-i:ERR_[A-Z_]{4,60})\b"),
    (
        "fail",
        # "FAILED tests/test_load.py", "3 failed, 12 passed"
        rf"{_STARTED}|^\s*(?-i:FAILED|FAIL)\b|\bfailed(?:: |$| to \w| with \w| while \w)|\.{{3}} (?-i:FAIL)"
        rf"|{_COUNTED}|\bfailed; |^\s*--- (?-i:FAIL):|\[build failed\]"
        r"|\bfailed (?:for|on|in|because|after|during|at|as) \w"
        r"|(?<!they )(?<!it )(?<!that )(?<!what )(?<!has )(?<!have )\bfailed[.!]$|(?-i: FAILED$)|\bprobe failed\b"
        r"|\bFAILED! =>|\bfail(?:ed|ure)/|\b(?:finished|result|status|conclusion|outcome)\W{1,3}(?:failed|failure)\b"
        r"|\bthere (?:are|were) (?:\w+ )?failures\b|\brestarting failed\b",
    ),
    ("fatal|panic", _STARTED),
    ("fatal|uncaught|unhandled", r"\b(?:PHP )?(?-i:Fatal|Uncaught|Unhandled) (?:error|exception|promise|rejection)\b"),
    ("traceback", r"\bTraceback \(most recent"),
    ("denied", r"\b(?:permission|access) denied\b|\bpermission [^.;:]{1,60} (?:was|were|is|has been) denied\b"),
    ("replace_all is false", r"\bbut replace_all is false\b"),
    ("not found", _NOT_FOUND),
    ("not found|does not exist", _NO_FILE),
    ("failing with", r"\b(?:is|are|was|were) failing with\b"),
    ("could not be|cannot be", _NOT_DONE),
    ("not recogni", r"^'[\w.-]{1,40}' is not recogni[sz]ed\b"),
    (
        "missing in|missing from|missing the following|not present|n't present|no matches|nodes are available",
        # "Property 'id' is missing in type 'Row'", "0/3 nodes are available"
        r"\b(?:is|are) missing (?:in|from|the following)\b[^{};]{0,160}$|\b(?:is not|isn[’']t) present\b"
        r"|\bno matches found:|\b0/\d{1,4} nodes are available\b",
    ),
    ("timeout", r"\bstatus(?:>|\W{1,4})timeout\b|^\s*(?:\w+ )?timeout(?: \w+)? (?:of|after|exceeded|waiting)\b"),
    (
        "e   ",
        # "E       assert 1 == 2", as pytest prints it
        r"^E {3,12}[\w'\"]",
    ),
    (
        "can't find|couldn't find|cannot load such|undefined method|undefined local",
        r"\b(?:can|could)n?[’']t find \w|\bcannot load such file\b|\bundefined (?:local variable|method)\b",
    ),
    (
        "too ",
        r"^(?![^\n]{0,120}\b(?:[Ii]f|[Ww]hen)\b)[^{}=;]{3,120}\b(?:is|are) too (?:old|large|big|long|short"
        r"|small|deep)\b(?! (?:for|to) (?:the )?\w+ing)",
    ),
    (
        "no package|no module|no tests|no route",
        r"^\s*No (?:package|module|tests?|route)\b[^.\n]{0,80} (?:found|named|to host)\b",
    ),
    ("x509|certificate", r"\bx509: |\bcertificate (?:signed by unknown|has expired|verify failed|is not trusted)\b"),
    ("called `", r"^called `(?:Result|Option)::"),
    ("problem occurred", r"\b[Pp]roblem occurred\b"),
    ("closed by|verification failed|not permitted", r"\bconnection closed by\b|\bverification failed\b"),
    ("no such|not found", r"\bno such file\b|\b(?:command|module)(?: '[\w.-]{1,60}')? not found\b"),
    ("refused|timed out", r"\bconnection (?:refused|reset|timed out)\b|\btimed out\b"),
    (
        "exit",
        r"\bexit(?:ed with)? (?:code|status)(?: |: |=)(?!0\b)\d+|\bexit_?code\"?[:=] ?\"?[1-9]"
        r"|\bexited with [1-9]|\bnon-?zero exit\b|\breturned [1-9]\d{0,2} exit\b",
    ),
    ("returncode|return code", r"\breturn ?code(?:\"?[:=] ?| )\"?[1-9]\d{0,2}\b"),
    ("cannot ", r"\bcannot (?:find|open|read|import|resolve|access|assign) "),
    ("conflict (", r"\bCONFLICT \("),
    (
        "undefined|unexpected|redeclared|mismatch|unused|unresolved|undeclared",
        r"^\s*(?:\[[\w:.-]{1,40}\] )?\S{1,200}\.\w{1,6}:\d+: \S",
    ),
    ("is invalid", r"^[^{}=;]{3,160}\bis invalid\b"),
    (" failing", r"^\s*\d{1,4} failing\b"),
    ("× |✗ |✕ |✖ |✘ |⨯ |❌ ", r"^\s*[×✗✕✖✘⨯❌] \S"),
)
_QUOTED = r"\b[A-Z]\w{0,80}(?:Error|Exception): \S|^\s*(?:error|Error)(?:\[\w+\])?: \S"
# "it raised a KeyError", "crashed with an IndexError"
_MET = r"\b(?:raised|threw|got|hit|(?:crashed|failed|died|ended) with) (?:an? |the )?[A-Z]\w{0,80}(?:Error|Exception)\b"
_JOBS = (
    "build|tests?|merge|push|fetch|login|compilation|lint|check|validation|job|run|command|request|call|upload|download"
    "|import|migration|deployment|installation"
)
ERROR = mark_table(
    ("error|exception", rf"{_QUOTED}|{_MET}|{_DOING}"),
    (
        "does not exist|not found",
        _NO_FILE,
    ),
    ("broken|recogni", r"\b(?:seems?|looks?|is|are) (?:to be )?broken\b|\bisn[’']t (?:being )?recogni[sz]ed\b"),
    (
        "error|exception|traceback",
        # "The error suggests that the name is missing", "the server is returning an error"
        r"(?<!where )(?<!why )(?<!when )\b[Tt]he (?:\w+ )?(?:error|exception"
        r"|traceback)(?: message)? (?:suggests|says|shows|indicates|occurs|occurred"
        r"|is occurring|happens|happened|comes|came|means)\b"
        r"|\b(?:is|was|are|were|keeps?) (?:now |still )?(?:returning|throwing|getting|giving|raising|reporting|hitting)"
        r" (?:an? |the )?(?:\w+ )?(?:errors?|exceptions?)\b|\berror message(?: again)?: ?[\"“`'A-Z]",
    ),
    (
        "problem|issue|culprit|cause",
        # "The problem is that the loader closes the file"
        r"^\W{0,6}(?:[Tt]he |[Aa]nd )?(?:[a-z]+ )?(?:[Pp]roblem|[Ii]ssue|culprit|(?:root )?cause) (?:is|was"
        r"|seems to be)"
        r" (?:indeed )?(?:that|caused by|with how|in how|because)\b",
    ),
    ("effect", r"\b(?:isn[’']t|is not|not|aren[’']t|didn[’']t) tak(?:e|ing) effect\b|\bhas no effect\b"),
    ("fail", r"\b(?:shows?|with|had|has|have|are|were|is) [1-9]\d{0,3} (?:FAIL(?:ED)?|[Ff]ail(?:ed|ing|ures?))\b"),
    ("mismatch", r"^\W{0,8}[A-Z]\w+ mismatch\W{1,4}\S"),
    ("fatal|panic", r"^\s*(?:fatal|panic): \S"),
    ("traceback", r"\bTraceback \(most recent"),
    ("crashed", r"\bcrashed\b"),
    (
        "bug|problem|issue|root cause|symptom|failure|regression",
        # "Root cause: the cache is stale"
        r"^\W*(?:(?:The )?[Bb]ug|[Rr]oot [Cc]ause|[Ss]ymptom|[Rr]egression|[Ff]ailure)(?: ?#?\d+)?\W{0,3}:\W{0,4}[\w`]",
    ),
    (
        "fails|failing",
        # "the build fails", "two tests are failing"
        r"(?<![Ii]f )\b(?:always|still|now|also|consistently|currently|it|this|that|(?:build|test|command|job|step"
        r"|run)(?: now"
        r"| still)?) fails?\b(?! if\b)|(?:\b|`)fails? with\b|\b(?:is|are|was|were|still|keeps?) failing\b",
    ),
    (
        "difficult|issue|problem|trouble|error",
        # "we ran into several issues"
        r"\b(?:experiencing|having|facing|encountering|encountered|ran into|running into|hit) (?!any\b)(?:an? |some "
        r"|the "
        r"|several )?"
        r"(?:\w+ )?(?:difficult(?:y|ies)|issues?|problems?|errors?|trouble)\b",
    ),
    (
        "fatal|error",
        # "it printed `fatal", "returned 'Error"
        r"\b(?:got|gives?|gave|returned|printed|says?|shows?|failed with)(?: \w+){0,2}:? [`'\"](?:fatal|error"
        r"|Error|ERROR"
        r"|panic)\b",
    ),
    (
        "did not|didn't|didn’t",
        # "the hook did not trigger"
        r"(?<!\bI )(?<!\bwe )\bdid(?:n[’']t| not) (?:yield|work|return|produce|match|exist|trigger|compile"
        r"|build|run|start|load"
        r"|succeed)\b",
    ),
    ("failure", r"\b(?:one|an?|\d{1,4}) (?:\w+ ){0,3}failures?: \S"),
    ("loop", r"\b(?:stuck|seem to be|caught) in a(?:n infinite)? loop\b"),
    (
        "there was|there is|there's|there’s|there were|there are",
        # "There was an error in the import"
        r"\b[Tt]here(?:[’']s| is| was| are| were) (?:an? |some |several |\d+ )?(?:\w+ )?(?:mistakes?|errors?"
        r"|problems?|issues?"
        r"|bugs?|failures?|mismatch(?:es)?|conflicts?|regressions?) (?!if\b|when\b|open\b)(?:in|with|on|where|that"
        r"|because|at|when)",
    ),
    (
        "can't |can’t |cannot ",
        # "your server can't connect to the database"
        r"\b(?:can[’']t|cannot) (?:connect|authenticate|reach) (?:to |the |it\b|its )",
    ),
    ("silently", r"\bsilently (?:skip|fail|drop|ignor|swallow|discard|los)\w*\b"),
    (
        "failed to ",
        # "the block failed to match"
        r"\b(?:block|build|command|file|hook|import|job|page|patch|plugin|server|test|tool) failed to (?:\w+ly )?\w",
    ),
    (
        "failures",
        r"^(?:[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]everal|[1-9]\d{0,2}) (?:\w+ )?failures\b|\b(?:are|were|see"
        r"|got|have|\d+)(?: \w+)? failures? (?:in|with|on|of)\b",
    ),
    (
        "incorrectly|wrongly|mistakenly",
        r"\b(?:is|are|was|were) (?:being )?(?:incorrectly|wrongly|mistakenly) \w+",
    ),
    ("not been applied|not applied", r"\bnot (?:been )?applied\b|\bNOT (?:been )?applied\b"),
    (
        "failed",
        rf"\bfailed (?:with|while|because|due to|again|repeatedly) ?\w|\b(?:also|repeatedly) failed\b"
        rf"|\b(?:{_JOBS}) (?:has |have )?failed\b",
    ),
    ("denied", r"\b[Pp]ermission denied\b|\b[Aa]ccess (?:is|was) denied\b"),
    ("no such|not found", r"\b[Nn]o such file\b|\b(?:[Cc]ommand|[Mm]odule) not found\b"),
    ("refused|timed out", r"\b[Cc]onnection (?:was |is )?(?:refused|reset)\b|(?i:\btimed out\b)"),
    (
        "exit",
        # "exit code 2", "the container exited with an error"
        r"\bexit(?:ed with)? (?:code|status)(?: |: |=)(?!0\b)\d+"
        r"|\b(?:exited|quit|ended) with an? (?:\w+ )?(?:error|exception|failure)\b",
    ),
    ("conflict (", r"\bCONFLICT \("),
    flags=0,
)
"""Cue phrases for failures that happened. Most sentences about errors in general report none."""
_BY_HAND = (
    "adjust|align|cover|do (?:it|that|this)|fit|scale|scroll|yield|return|produce|pick|match|trigger|appear|detect"
    "|parse|start|run|open|load"
    "|build|compile|work|boot|connect|install|render|save|show|update|stop|respond"
)
TYPED_ERROR = joined(
    ERROR,
    mark_table(
        (
            "error",
            # "main.c:12: error: expected ';'", "I get this error: "
            r"^\s*(?:=> |\[[\w:.-]{1,40}\] )?(?:ERROR|npm (?:ERR!|error))\s|: error(?: \w\w++(?<=\d))?: |\b(?:an?"
            r"|this|the same|following) error\b(?= ?[:.!]| when| on| in)",
        ),
        (
            "broken|failing",
            # "the build is still broken", "CI keeps failing"
            r"\b(?:is|are|still|seems?|keeps?) failing\b|\bstill broken\b"
            r"|\b(?:build|tests?|page|links?|feature|command|script|app|layout|pipeline|code|api"
            r"|endpoint) (?:is|are) broken\b",
        ),
        (
            "n't |n’t |not |doesnt |didnt |isnt |wont ",
            # "the page doesn't load", "it is not working"
            rf"\b(?:does|do(?<=[a-z] do)(?<![Pp]lease do)(?<!just do)(?<!and do)(?<!so do)(?<!but do)|did|is|are"
            rf"|was|were|wo)(?:n[’']?t| not) (?:\w+ )?(?:{_BY_HAND}|working)(?:ing)?\b"
            r"|\bnot working\b",
        ),
        ("crash", r"\bcrash(?:es|ed|ing)\b"),
        ("fail:|fail ", r"^\s*--- FAIL: |^FAIL: |^\s*(?-i:FAIL) +\S{3,120}\.\w{1,4}\b"),
        ("fails", r"\bfails? (?:to|with|on|when|because)\b"),
        (
            "wrong",
            # "it returns the wrong total"
            r"^Wrong \w+!|\b(?:gives?|gets?|got|returns?|shows?|prints?|is|are|produces?|seems?|goes|went|looks)"
            r" (?:\w+ )?wrong\b",
        ),
        (
            "should be|is correct|expected",
            r"\bbut (?:it )?(?:should be|expected|seems that)\b|\binstead of the expected\b",
        ),
        (
            "stopped|anymore|any more|no longer|never ",
            # "it stopped working", "it no longer builds"
            r"\bstopped (?:working|responding|updating|running|showing)\b|n[’']t (?:\w+ ){1,3}(?:anymore|any more)\b"
            r"|\b(?:it|this|that|which) no longer (?:works?|shows?|runs?|builds?|compiles?|starts?|loads?)\b"
            r"|\b[Nn]ever (?:[Dd]isplayed|[Ss]hown|[Cc]alled|[Tt]riggered|[Uu]pdated|[Ss]aved|[Rr]eached|[Uu]sed"
            r"|[Cc]losed"
            r"|[Rr]eleased|[Cc]leared)\b",
        ),
        ("invalid|missing", r"^(?:Invalid|Missing|Unknown) \w"),
        (
            "stuck|hangs|freezes|times out",
            # "the page freezes"
            r"\b(?:it|this|that|page|app|build|test|script|job|server|is|gets?) (?:stuck|hangs|freezes|times out)\b",
        ),
        (
            "takes |took |can still |undone|instead",
            # "it takes forever to load", "I can still see them", "it showed loans instead"
            r"\b(?:it|this|that|page|app|build|loading) (?:takes|took) (?:a lot of time|too long|very long"
            r"|forever|ages)\b"
            r"|\bi can still see\b|\b(?:got|were|was|been) undone\b|\bit (?:showed|shows|opens|opened|gives"
            r"|gave|prints)"
            r" [^.;!?]{2,60}\binstead\b",
        ),
        # "I still don't see the entry"
        (
            "see ",
            r"^(?:\w+ )?(?:[Ii]|we) (?:still )?(?:do not|don[’']?t|can[’']?t|cannot) see (?:the|any|my|it|them)\b",
        ),
        ("lost ", r"\b[Ii](?: just|[’']ve| have)? lost (?:my|all|the)\b"),
        flags=0,
    ),
)
"""Cue phrases for failures reported by users, in their own words or as a program printed them."""
