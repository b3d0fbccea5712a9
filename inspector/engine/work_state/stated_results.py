"""Results that a summary states and nothing before it: "All tests pass" where none were run.

A result is supported by a command that can have brought it about and did not fail, and by any sentence of a user, a
reply or a tool that says something as good about its subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from inspector.core.caches import MessageCache
from inspector.core.conversation import Message
from inspector.core.text import cued_pattern, lazy_pattern, one_line
from inspector.engine.commands import CheckKind, check_kind
from inspector.engine.facts import content_words, is_negated, sentences_of
from inspector.engine.work_state.claims import Claim, claims_in
from inspector.engine.work_state.done_actions import done_by
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.summary_points import Section, SummaryPoint, points_in

_DID = cued_pattern(
    r"(?i)^[-*•✅✓\s]{0,6}(?:(?:i|we|successfully|also|then|everything|all of it|it) |(?:is|was|were|has been) ){0,3}"
    r"(deployed|published|released|shipped|pushed|uploaded|merged|rolled out|restarted|backfilled|rebooted)\b"
    r"(?! (?:by|when|if|in the (?:code|plan|same))\b)",
    "deployed published released shipped pushed uploaded merged rolled restarted backfilled rebooted",
)
"""A point that says what was done, without its subject: "Deployed to staging"."""
_NOTHING_FOUND = cued_pattern(
    r"(?i)\b((?:[\w-]{2,20} ){0,2}[\w-]{2,20}) (?:reports?|reported|finds?|found|shows?|showed|gave|produced|raised)"
    r" (?:no|zero|0) (?:\w+ )?(?:findings?|errors?|warnings?|regressions?|problems?|vulnerabilit\w+|issues?"
    r"|differences?)\b",
    "no zero 0",
    "finding findings error errors warning warnings regression regressions problem problems issue issues difference"
    " differences vulnerability vulnerabilities",
)
_WENT = cued_pattern(
    r"(?i)\b((?:[\w-]{2,30} ){0,2}[\w-]{2,30}) (?:(?:has|have|had|now|was|were|is|all|also) ){0,2}"
    r"(?:(?:ran|finished|completed?|applied|executed|went|came|rolled out) (?:through|successfully|cleanly|fine|well"
    r"|back clean|without (?:any )?(?:errors?|problems?|issues?|incidents?))|succeeded)(?=[\s.,;!]|$)"
    r"|\b((?:[\w-]{2,30} ){0,2}[\w-]{2,30}) (?:is|are|was|were|has been|have been|got) (?:now |also |successfully )?"
    r"(?:restarted|renewed|rotated|revoked|rebooted|reindexed|rebuilt|upgraded|provisioned|purged|flushed|notified"
    r"|backfilled|live(?! (?:in|at) [\w/]*[./]))\b"
    r"|\b(backups?|dumps?|snapshots?) (?:was|were|has been|have been) restored\b",
    "through successfully cleanly fine well clean without succeeded restarted renewed rotated revoked rebooted"
    " reindexed rebuilt upgraded provisioned purged flushed notified backfilled live restored",
)
"""A statement that something went well, or that a thing in operation was changed."""
_LOOKED = cued_pattern(
    r"(?i)\b(?:verified|tested|checked|confirmed|tried)\b[^.;\n]{0,40}?\b(manually|by hand|browser|device|phone"
    r"|emulator|simulator|production|staging|real data)\b",
    "verified tested checked confirmed tried",
    "manually hand browser device phone emulator simulator production staging data",
)
"""A point that says that a thing was tried: "Verified manually in the browser"."""
_AS_EXPECTED = cued_pattern(
    r"(?i)\b((?:[\w-]{2,30} ){0,2}[\w-]{2,30}) (?:now |all |also )?(?:works?|worked|looks?|looked|behaves?|renders?"
    r"|arrives?|loads?|responds?)\b[^.;,\n]{0,40}? (?:as (?:expected|intended|planned)|correctly|properly"
    r"|flawlessly)(?=[.,;!]|$)",
    "expected intended planned correctly properly flawlessly",
)
"""A statement that a thing was seen to work: "Mails arrive in the inbox as expected"."""
_BY_OTHERS = cued_pattern(
    r"(?i)\b((?:[\w-]{2,30} )?(?!(?:users?|you|they|we|it|he|she|who|which|that|and|was|were|is|are|been|be|being|not"
    r"|get|gets|got|already|has|have|had|also|then|plan)\b)[a-z][\w-]{1,29}) (?:(?:has|have|had|already|also) ){0,2}"
    r"(?:approved|signed off(?: on)?|okayed)(?= (?:the|it|this|that|our|my|all|both|them)\b|[.,;]|$)",
    "approved signed okayed",
)
"""The consent of somebody who is not the user: "QA signed off on the release"."""
_SPECIAL: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        lazy_pattern(r"(?i)\b(?:ci|pipelines?|github actions)\b"),
        lazy_pattern(r"\b(?:gh|glab|circleci|buildkite|act|ci|checks?)\b|jenkins"),
    ),
    (
        lazy_pattern(r"(?i)\be2e\b|\bend[- ]to[- ]end\b"),
        lazy_pattern(r"e2e|end.to.end|playwright|cypress|selenium|puppeteer|detox|wdio"),
    ),
    (
        lazy_pattern(r"(?i)\b(?:load|stress)[- ]tests?\b"),
        lazy_pattern(r"k6|locust|artillery|wrk|vegeta|jmeter|gatling|bench|stress|\bload"),
    ),
)
"""Checks that a run of the unit tests says nothing of, each with the commands that run them."""
_FINE = lazy_pattern(
    r"(?i)\b(?:pass(?:es|ed|ing)?|green|success\w*|succe\w+|ok(?:ay)?|fine|clean(?:ly)?|works?|worked|working|done"
    r"|complete[ds]?|finished|went (?:through|well)|live|up|ran|applied|deployed|published|released|shipped|pushed"
    r"|uploaded|merged|migrated|rolled out|installed|imported|restored|restarted|confirmed|verified|good|healthy|ready"
    r"|through|looks? good)\b|[✓✔✅👍]|: 0\b"
)
"""Words of a sentence that say that something went well."""
_NO_TROUBLE = lazy_pattern(
    r"(?i)\b(?:no|zero|0|without|not a single) (?:\w+ )?(?:errors?|failures?|failed|findings?|regressions?|problems?"
    r"|issues?|incidents?|warnings?|changes?|differences?)\b"
)
"""Negated words of a sentence that say the same."""
_EVERYTHING = content_words("everything all it that both work")
_FILLING = content_words("run the all whole and whole entire nightly new")
_WORDS: dict[CheckKind, frozenset[str]] = {
    "tests": content_words("test tests suite spec specs check checks ci pipeline green unit coverage passed"),
    "build": content_words("build builds compile compiles compilation bundle release image binary ci pipeline"),
    "lint": content_words("lint linter linting clippy eslint ruff biome prettier style format check checks ci"),
    "types": content_words("types typecheck type-check typescript tsc mypy pyright compile compiles compiler build ci"),
    "": frozenset(),
}
"""Stems of the words by which sentences name a check."""
_FAMILIES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        lazy_pattern(r"(?i)deploy|roll|ship|releas|publish|upload|push|product|stag"),
        lazy_pattern(
            r"(?i)\b(?:deploy\w*|apply|rollout|helm|kubectl|fly|vercel|netlify|serverless|push|terraform|ansible\S*|rsync"
            r"|scp|ssh|heroku|gcloud|aws|az|firebase|wrangler|publish|upload|release|twine|up|argocd|cdk|pulumi|eas)\b"
        ),
    ),
    (
        lazy_pattern(r"(?i)migr|schema"),
        lazy_pattern(
            r"(?i)migrat|alembic|flyway|dbmate|goose|liquibase|\bdb (?:push|upgrade)|sqlx|prisma|psql|sqlite3"
        ),
    ),
    (lazy_pattern(r"(?i)merg"), lazy_pattern(r"(?i)\b(?:merge|pull|rebase|cherry-pick)\b")),
    (
        lazy_pattern(r"(?i)import|seed|backfill|load|restor"),
        lazy_pattern(r"(?i)import|seed|load|backfill|restore|copy|insert|dump"),
    ),
    (
        lazy_pattern(r"(?i)scan|audit|secur|vulnerab"),
        lazy_pattern(r"(?i)\b(?:trivy|snyk|audit|bandit|semgrep|gitleaks|grype|zap|nmap|codeql|scan)\b"),
    ),
    (
        lazy_pattern(r"(?i)bench|regress|load test|perform"),
        lazy_pattern(r"(?i)bench|k6|locust|wrk|hyperfine|vegeta|artillery|perf|time "),
    ),
    (
        lazy_pattern(r"(?i)\be2e\b|end.to.end|smoke|\btests?\b|\bsuite\b"),
        lazy_pattern(r"playwright|cypress|e2e|\btests?\b|specs?\b|curl"),
    ),
    (
        lazy_pattern(r"(?i)restart|service|reboot"),
        lazy_pattern(r"(?i)restart|systemctl|service|reboot|compose|kubectl|pm2"),
    ),
    (
        lazy_pattern(r"(?i)browser|manual|hand|device|phone|emulat|simulat"),
        lazy_pattern(
            r"(?i)browser|chrome|playwright|puppeteer|screenshot|navigate|curl|http|localhost|open |adb |simctl|\brun\b"
            r"|start"
        ),
    ),
)
"""Words of results, each with the commands that can bring them about, whatever words they have."""
_PIPELINE = lazy_pattern(r"\b(?:gh (?:run|pr (?:checks|view))|glab ci|circleci|buildkite|act)\b")
"""A command that asks for the results of checks elsewhere."""
_LOOKS = frozenset(("use",))
"""The only action of a command that looks at something."""
_LEAST_STEM = 4
_MAX_LINE = 400
_MAX_RESULT = 6_000


def unstated_results(messages: Sequence[Message], summary: str) -> Iterator[str]:
    """Yield the sentences of a summary with a result that nothing in some messages supports.

    Args:
        messages: The messages that the summary replaces.
        summary: Its text.

    Raises:
        OSError: If the recording can no longer be read.
    """
    stated = (_results_of(point.text, point.section) for point in points_in(summary))
    results = list(dict.fromkeys(chain.from_iterable(stated)))
    calls: dict[str, CallEffects] = {}
    for message in messages if results else ():
        done, said = _support_of(message, calls)
        results = [one for one in results if not (any(_brings(call, one) for call in done) or _is_said(said, one))]
        if not results:
            return
    yield from dict.fromkeys(one_line(one.text)[:400] for one in results)


@lru_cache(maxsize=1 << 13)
def _results_of(text: str, section: Section) -> tuple[Claim, ...]:
    """Return the results that a point states, unless it is about open work. Cached: the next summary repeats most."""
    if section in ("open", "request") or "`" in text or "?" in text or SummaryPoint(text, section, frozenset()).is_open:
        return ()
    return tuple(_results_in(text))


def _results_in(text: str) -> Iterator[Claim]:
    """Yield the results that a sentence states: those of checks, or else any other."""
    claims = list(claims_in(text))
    yield from (one._replace(text=text) for one in claims if one.kind or one.subject)
    if any(one.kind for one in claims):
        return
    for pattern in (_DID, _NOTHING_FOUND, _WENT, _LOOKED, _AS_EXPECTED, _BY_OTHERS):
        match = pattern.search(text)
        if match and not is_negated(text[: match.end(match.lastindex or 0)]):
            named = match[0] if pattern is _NOTHING_FOUND else match[match.lastindex or 0]
            yield Claim(text, "", content_words(named) - _FILLING)


def _special_to(result: Claim) -> Sequence[tuple[re.Pattern[str], re.Pattern[str]]]:
    """Return the names and commands of the special checks that a result is about."""
    return [row for row in _SPECIAL if result.kind and row[0].search(result.text)]


def _support_of(message: Message, calls: dict[str, CallEffects]) -> tuple[list[CallEffects], Sequence[str]]:
    """Return the calls whose results a message brings without a failure, and the sentences that it says.

    Args:
        message: The message.
        calls: The calls that wait for their results, which are updated.
    """
    steps = steps_of(message)
    calls.update((call.call, call) for call in steps.calls)
    answered = [(calls.pop(news.call, None), news) for news in steps.news]
    done = [call for call, news in answered if call and not (news.failed or news.refused or news.has_failing_tests)]
    return done, _GOOD_LINES.get(message, _good_lines)


def _good_lines(message: Message) -> list[str]:
    text = message.text if message.answers is None and not message.calls else message.text[:_MAX_RESULT]
    return [line for line in sentences_of(text) if len(line) <= _MAX_LINE and _is_good(line)]


_GOOD_LINES = MessageCache[list[str]]("sentences that something went well", limit=8_192)


def _is_good(line: str) -> bool:
    """Return True if a sentence says that something went well."""
    return _NO_TROUBLE.search(line) is not None or (_FINE.search(line) is not None and not is_negated(line))


def _brings(call: CallEffects, result: Claim) -> bool:
    """Return True if a call can have brought about a result."""
    line = f"{call.command} {call.deed}".lower()
    if call.agent:
        return True
    if result.kind:
        return _checks(call, line, result)
    acts = [one for one in done_by(call) if one.actions != _LOOKS]
    if call.command and not acts:
        return False
    is_named = any(_have_common(result.subject, one.words) for one in acts)
    return is_named or any(
        names.search(result.text) and commands.search(f"{line} {call.tool}") for names, commands in _FAMILIES
    )


def _checks(call: CallEffects, line: str, result: Claim) -> bool:
    """Return True if the command line of a call, in lower case, makes the check whose result is stated."""
    if special := _special_to(result):
        return any(commands.search(line) for _, commands in special)
    return check_kind(call.command) == result.kind or _PIPELINE.search(line) is not None


def _is_said(lines: Sequence[str], result: Claim) -> bool:
    """Return True if a sentence says something as good about the subject of a result."""
    if special := _special_to(result):
        return any(names.search(line) for names, _ in special for line in lines)
    about = (_WORDS[result.kind] | result.subject | _EVERYTHING) if result.kind else result.subject
    families = [names for names, _ in _FAMILIES if not result.kind and names.search(result.text)]
    return any(
        _have_common(about, content_words(line)) or any(names.search(line) for names in families) for line in lines
    )


def _have_common(about: frozenset[str], words: frozenset[str]) -> bool:
    """Return True if two sets of stems have one in common, or the other one that contains it: "index", "reindex"."""
    long = [word for word in about if len(word) >= _LEAST_STEM]
    return bool(about & words) or any(word in one for one in words for word in long)
