"""Cue phrases of failures that agents state in plain words: a thing that did not work, a broken one, the cause."""

from __future__ import annotations

from inspector.engine.facts.cue_tables import any_case

_CASE = (
    r"\b(?:if|when|whenever|whether|unless|until|where|once|so that|in case|any|would|could|might|may|should|must"
    r"|checks?(?! (?:is|are|was|were|has)\b)|handles?|detects?|reports? (?:that|if)|ensures?|verif\w+|no longer"
    r"|nothing|not)\b"
)
_START = r"^(?:[^.;:!?—–\n]{1,80}[;:—–] )?"
"""The start of a sentence or of what follows its first colon or dash."""
_CLAUSE = rf"{_START}(?:(?!{_CASE})[^.;:!?—–]){{2,90}}?"
"""The beginning of a statement about a thing, up to its verb. Conditions and checks do not match."""
_OF_CODE = r"(?:the|its|your|our|my|`[^`\n]{1,60}`|[\w.]{3,40}\(\))"
_DID = (
    "add|append|appear|apply|arrive|attach|compile|complete|connect|contain|create|emit|execute|exit|exist|expand"
    "|export|fetch|fill|finish|fire|flush|generate|install|land|match|open|parse|pass|persist|pick|populate|print"
    "|propagate|reach|receive|recogni[sz]e|register|reload|render|resolve|respond|save|send|set|show|survive|sync"
    "|take effect|update|write"
)
_HANDLES = (
    "account for|add up|agree|apply|carry|compile|detect|fire|forward|handle|honou?r|line up|load|match|pass|persist"
    "|propagate|reach|recogni[sz]e|reload|render|resolve|respect|trigger|update|validate|work"
)
_LEFT_OUT = (
    "restored|called|reset|cleared|awaited|invoked|registered|reached|triggered|initiali[sz]ed|loaded|executed|fired"
    "|flushed|propagated|applied|populated|closed|released|updated|refreshed|passed"
)
_BROKEN = (
    "broken|stale|outdated|out of (?:date|sync)|inconsistent|corrupt(?:ed)?|unreachable|misconfigured|malformed"
    "|truncated|stuck|hanging|crashing|circular (?:import|dependenc)|red|failing|undefined|already in use|blocked by"
    "|missing (?:from|in|the|an?)|unresponsive|overwritten"
    "|not (?:found|clickable|triggered|reachable|accessible|running|defined|recogni[sz]ed|applied|called|installed"
    "|registered|initiali[sz]ed|authori[sz]ed|propagated)"
)
_BROKEN_CUES = (
    " broken| stale| outdated| out of | inconsistent| corrupt| unreachable| misconfigured| malformed| truncated| stuck"
    "| hanging| crashing| circular | red| failing| undefined| already in use| blocked by| missing | unresponsive"
    "| overwritten| not found| not clickable| not triggered| not reachable| not accessible| not running| not defined"
    "| not recogni| not applied| not called| not installed| not registered| not initiali| not authori| not propagated"
)
_BREAKS = (
    "chokes on|crashe[sd]|died with|swallows|breaks (?!down|out|up|into|ties|even)|broke (?!down|up|out|even)|clobbers"
    "|leaks|deadlocks|times out|blows up|never came up|stopped with|renders (?:blank|empty|nothing)|closes immediately"
    "|fail(?:s|ed)? (?:in|on|because|since|with|for|at|due"
    "|to (?:start|build|load|compile|parse|install|connect|apply|run))|exits? (?:too early|with (?:code )?[1-9])"
    "|(?:reports?|shows?|found|flags?) (?:[1-9]\\d*|one|two|three|four|five|several|an?) (?:\\w+ ){0,2}(?:errors?"
    "|failures?|violations?|problems?)|is complaining about|complains (?:about|that)|flags? (?:the|an?) "
)
_DEFECT = (
    "race condition|(?:memory |file |resource )?leak|typo|off-by-one|deadlock|discrepancy|inconsistency|contradiction"
    "|mismatch|regression|circular (?:import|dependency)|bug|conflict|infinite loop"
)
STATED_FAILURES = any_case(
    # "the script did not add a file", "The hook wasn't triggered"
    (
        "did not |didn't |didn’t ",
        rf"{_CLAUSE}[\w`)](?<!\bi)(?<!\bwe)(?<!\byou)(?<!\bthat)(?<!\bit) did(?:n[’']t| not) (?:actually |even "
        rf"|fully )?(?:{_DID})\b(?! (?:any )?new\b)",
    ),
    (
        "n't |n’t ",
        rf"{_CLAUSE} (?:is|are|was|were)n[’']t (?:actually |even |yet |being )?(?:found|clickable|triggered|reachable"
        r"|accessible|running|defined|recogni[sz]ed|applied|called|installed|registered|initiali[sz]ed|loaded|passed"
        r"|updated|propagated)\b(?![^.]{0,80}\?)",
    ),
    # "the timers are never restored"
    ("never ", rf"{_CLAUSE} (?:is|are|was|were|gets?|got) never (?:actually |being )?(?:{_LEFT_OUT})\b"),
    # "the parser doesn't handle empty lines", "the totals don't add up"
    (
        "does not |doesn't |doesn’t |don't |do not |don’t ",
        rf"{_START}{_OF_CODE} ?(?:(?!{_CASE})[\w`'’./()-]+ ){{0,6}}(?:does|do)(?:n[’']t| not) (?:actually |even "
        rf"|correctly |yet |properly )?(?:{_HANDLES})\b|{_CLAUSE} (?:does|do)(?:n[’']t| not) exist\b(?! yet)",
    ),
    # "the lock file is stale", "CI is red", "`total` is missing from the response"
    (
        _BROKEN_CUES,
        rf"{_CLAUSE}(?<!\bi)(?<!\bhe)(?<!\bshe) (?:is|are|was|were) (?:still |currently |now |actually |already |also "
        rf"|all )?(?:{_BROKEN})\b(?! or\b)(?![^.]{{0,40}}\?)",
    ),
    (
        " rejected| refused| denied",
        r"\b(?:push|request|connection|upload|login|merge|token|call|patch|edit|deploy\w*) (?:was|were) (?:rejected"
        r"|refused|denied)\b",
    ),
    # "The parser chokes on tabs", "The type checker reports four errors"
    (
        "chokes|crash|died with|swallows|breaks |broke |clobbers|leaks|deadlock|times out|blows up|came up"
        "|stopped with|renders |closes imm|fail|exits |errors|error |failures|violations|problems|complain|flags ",
        rf"{_CLAUSE} (?:{_BREAKS})",
    ),
    (
        "first attempt|second attempt|last attempt|same failure|same error",
        r"\battempt (?:also |again )?failed\b|^(?:the )?same (?:failure|error)\b",
    ),
    # "It fails because the mock returns a string", "pass locally but fail in CI"
    (
        "fail",
        r"^(?:it|this|that|they|one|two|\d+)(?: of [^.;!?]{2,40})? (?:still |also |now )?fails? (?:because|since|on|in"
        r"|at|with|for|due)\b|\bbut (?:it )?fails? (?:in|on|with|for)\b",
    ),
    # "There is a race condition between the writers", "Merge conflict in a file"
    (
        "there is a|there's a|there’s a|there are |merge conflict",
        r"\bthere(?:[’']s| is| are) (?:also |still |now )?(?:an? |two |three |some "
        rf"|several )?(?:(?!no\b)[\w-]+ ){{0,2}}(?:{_DEFECT})(?:s|es)?\b(?! if\b| when\b)|^merge conflicts? in \S",
    ),
    # "The fixture has the wrong date"
    (
        "the wrong ",
        rf"{_CLAUSE} (?:has|have|had|shows?|returns?|returned|uses?|used|got|gets?|picks?|reads?|writes?|points? to"
        r"|is in|are in|went to|sends?|prints?) the wrong \w",
    ),
    # "I made a mistake in the last step", "My earlier edit broke the import", "I don't have permission to push"
    (
        "mistake|misread|my earlier|my last|my previous|my first|unable to|accidentally|mistakenly|i forgot"
        "|i don't have|i do not have|i don’t have",
        r"^(?:sorry,? |you[’']re right,? |oh,? )?i (?:made a mistake|misread|misunderstood|accidentally|mistakenly"
        r"|forgot to)\b|\bmy (?:earlier|last|previous|first) (?:\w+ )?(?:edit|change|command|attempt|fix|patch|answer"
        r"|query|commit|test) (?:was wrong|broke|failed|missed|removed|did(?:n[’']t| not))\b"
        r"|^i (?:was|am) unable to \w|^i (?:don[’']t|do not) have (?:permission|access)\b",
    ),
    # "Found the bug: the index is off by one", "This is a bug"
    (
        "found the |found a |found an |real bug|is a bug",
        r"^\W{0,4}(?:(?:ok|okay|yes|good|great)[,.!]? )?(?:i )?found (?:the|a|an|another|one|two) (?:\w+ )?(?:bug"
        r"|issue|problem|culprit|root cause|regression)(?:s)?(?::| in\b| that\b| where\b) ?\W{0,3}\w"
        r"|\b(?:this|that|it)(?:[’']s| is) (?:likely |probably |actually )?a (?:real |genuine |pre-?existing )?bug\b",
    ),
    # "Looking at the log, the issue is that the gauge restarts"
    ("issue is that|problem is that", r"^[^.;!?]{3,80}, the (?:issue|problem) is that\b"),
    # "You're still seeing the old image because the cache has it", "the sandbox blocks network access"
    (
        "seeing|getting|blocks network|blocks access",
        r"^(?:you|we)(?:[’']re| are) (?:still )?(?:seeing|getting) [^.;!?]{2,100}\bbecause\b"
        r"|\bblocks (?:network|access|outbound)\b",
    ),
)
"""Beside `ERROR`, for the sentences of replies."""
