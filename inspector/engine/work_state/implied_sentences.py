"""Forms of whole sentences that imply a rule, with the order that each implies."""

from __future__ import annotations

import re

from inspector.core.text import cued_pattern, word_set
from inspector.engine.work_state.implied_forms import GERUNDS, HARMS, NAME, NOUN_OF, WHAT, Said, not_done
from inspector.engine.work_state.rule_verbs import FORM

_LASTS = (
    r"(?:(?:(?:is|are|was|were)(?:n't| not| never)|'s (?:not|never)) coming back|(?:don't|do not|never) want (?:it"
    r"|them|that|to see (?:it|that)) (?:back|again)|stays? that way|keep it that way|no(?:body| one) misses|for good"
    r"|never again|no way back|good riddance|not? (?:ever )?going back|gone for)"
)
_LASTING_WORDS = "back again way misses good never riddance gone"
_VERDICT = r"(?:lost|needed|were|was|had|spent|broke|paid|got|almost|nearly|never)"
_BRANCH = r"(?P<what>main|master|trunk|develop)"
_OTHER_WAY = r"(?:only|no(?:where|body| one) else|never|not|no other|manual|bot|robot|train)"
_DONE_BY = (
    r"(?:come|comes|happen|happens|go|goes|(?:are|is|get|gets) (?:done|made|created|started|set|cut"
    r"|published)) (?:out )?(?:only )?(?:from|through|via|by|with|in|on)\b"
)
_LIVE = {"live": "live", "real": "live", "production": "production", "prod": "production", "primary": "primary"}
_SMALL = "sandbox test staging mini small local incremental fake cheap dev demo trial free replica quick"
_BIG = r"(?P<what>live|real|full|big|nightly|production|prod|hosted|paid|primary|complete|large)"


def _without_live(match: re.Match[str]) -> str:
    """Return the order not to run anything that is live, or the big one of several things."""
    return f"do not run anything {_LIVE.get(match['what'].lower()) or ' '.join(match.group('what', 'noun'))}"


_SACRED = (
    r"(?:gospel|sacred|sacrosanct|holy|untouchable|off[- ]limits|(?:set|carved|written) in stone"
    r"|not to be (?:touched|changed|edited))(?=[.,;:!)]|$| (?:for|to|until|here)\b)"
)
_OWNER = r"(?:my|our|his|her|their|(?-i:[A-Z][a-z]{1,20})'s|the [\w-]{2,20}(?: team)?'s)"
_DUTY = r"(?:job|business|task|responsibility|call|turf|department|territory)\b"

OF_TEXTS: tuple[tuple[re.Pattern[str], Said], ...] = tuple(
    (cued_pattern(rf"(?i){pattern}", *cues), said)
    for cues, pattern, said in (
        (
            ("rid dropped kicked threw ditched retired removed banned moved left abandoned got", _LASTING_WORDS),
            r"\b(?:i|we|the team)(?:'ve| have|'d| had)? (?:finally |just |all )?(?:got(?:ten)? rid of|dropped"
            r"|kicked(?: out)?|threw out|ditched|retired|removed|banned|moved (?:off|away from)|left behind"
            rf"|abandoned) {NAME}\b[^.!?\n]{{0,80}}?\b{_LASTS}",
            r"never use \g<what>",
        ),
        (
            ("mistake", _LASTING_WORDS),
            rf"\b{NAME} (?:was|is)\b[^.!?\n]{{0,60}}?\b{_LASTS}",
            r"never use \g<what>",
        ),
        (
            ("moved switched migrated went",),
            r"\b(?:we|the team|this (?:repo|project)|everything|i)(?:'ve| have)? (?:all )?(?:moved|switched|migrated"
            r"|went)(?: over)? from `?(?P<what>npm|pnpm|yarn|bun|pip|poetry|conda|pipenv|jest|vitest|mocha|make"
            r"|webpack|moment|axios)`? to (?P<new>[\w-]{2,20}) (?:in \w+|last \w+|(?:\w+ ){1,2}ago"
            r"|long ago)[.!;]?(?: (?!update|so\b|fix|can\b|please|now\b|adapt|change|which|why).{0,120})?$",
            r"never use \g<what>",
        ),
        (
            ("if",),
            rf"\bif (?:you|we|someone|somebody|anyone|i) (?:just |simply |now )?(?P<verb>{FORM})\b{WHAT},? (?:then"
            r" )?(?:we|i|you|they|it|everyone|no(?:body| one)|customers|people)(?:'d| would|'ll| will|'re"
            r"| are) (?:all )?(?:never (?:notice|know|see|find)|(?:not |n't )(?:notice|know|see)|lose|break|miss"
            r"|scream|revert|be (?:down|furious|in trouble|unhappy|locked out|fired)|have to (?:restore|rebuild|redo"
            r"|pay|start over|apologi[sz]e)|get (?:sued|banned|blocked|fined))\b",
            r"do not \g<verb>\g<what>",
        ),
        (
            (word_set("said asked warned supposed meant allowed ask want shouldn should") | {"told"},),
            r"\b(?:(?:i|we)(?:'ve|'d| have| had)? (?:\w+ )?(?:told|asked|said|warned)(?: to)?(?: you)? (?:not to"
            r"|to not|never to)|you (?:weren't|were not|aren't|are not) (?:supposed|meant|allowed) to|(?:(?:i"
            r"|we) (?:didn't|did not|never)|no(?:body| one)) (?:ask(?:ed)?|told|want(?:ed)?) you to|you (?:shouldn't"
            rf"|should not|should never) have) (?P<verb>{FORM})\b(?P<what>(?:[^.,;!?\n]|\.(?=\w)){{0,60}})",
            r"do not \g<verb>\g<what>",
        ),
        (
            ("last",),
            rf"\b(?:the )?last time (?:\w+ ){{1,3}}?(?P<verb>{FORM})\b{WHAT},? (?:and )?(?:we|i|it|they|everyone"
            rf"|everybody|that|the \w+) {_VERDICT}\b",
            r"do not \g<verb>\g<what>",
        ),
        (
            ("last",),
            rf"\bthe last (?:manual )?{NOUN_OF}(?: \w+){{0,2}} (?:confused|broke|cost|took|ruined|wrecked|lost|messed"
            r"|ended|killed)\b",
            not_done,
        ),
        (
            ("only nowhere never not no manual bot robot train",),
            rf"(?:^|[.;:,!] |\b(?:and|but|so) )(?:all |the )?{NOUN_OF} {_DONE_BY}[^.!?\n]{{0,60}}\b{_OTHER_WAY}\b",
            not_done,
        ),
        (
            ("releasable green deployable clean stable shippable pristine", "branch pr pull worktree"),
            rf"\b{_BRANCH} (?:has to|must|should|needs to|is to|ought to|is supposed to) (?:always )?(?:stay|remain|be"
            r"|be kept|keep) (?:\w+ )?(?:releasable|green|deployable|clean|stable|shippable|pristine)\b",
            r"do not commit to \g<what>",
        ),
        (
            ("live straight production deployed deploy deploys visible shipped", "branch pr pull worktree"),
            rf"\b(?:on|to|into) {_BRANCH} (?:(?:go(?:es)?|is|are|gets?) (?:live|deployed|straight|to production"
            r"|visible|shipped)|deploys?)\b",
            r"do not commit to \g<what>",
        ),
        (
            ("pull merge pr prs mr review",),
            r"\b(?:everything|all (?:changes|work|code)|changes|every change) (?:only )?(?:reach(?:es)?|lands? (?:on"
            rf"|in)|(?:goes|go|gets?|comes?) (?:to|into|in)|enters?) {_BRANCH} (?:only )?(?:through|via|by|with"
            r"|as) (?:an? )?(?:(?:pull|merge) requests?|prs?|mrs?|(?:code )?review)\b",
            r"do not push to \g<what>",
        ),
        (
            (_SMALL, "live real full big nightly production prod hosted paid primary complete large"),
            rf"\b(?:{_SMALL.replace(' ', '|')})\w* (?P<noun>(?!is\b|has\b"
            rf"|one\b)[a-z]{{2,20}})\b[^!?\n]{{0,80}}?[,;.(–—-] ?(?:with |on |against |as |because )?the {_BIG} (?:one"
            rf"|(?P=noun)) (?:it's|it is|that's|there's|there is|is|has|{HARMS}|charges?|bills?|runs?|sends?|pages?)\b",
            _without_live,
        ),
        (
            ("isn not", "for there fine enough ok do"),
            r"\b(?:is (?:for|there|fine|enough|ok|okay)|exists for|has to do|will do)\b[^.!?\n]{0,40}, (?:the"
            r" )?(?P<what>production|prod|live|the live \w+|primary)(?: \w+)? (?:isn't|is not|not)(?=[.,;!]|$)",
            r"do not run anything on \g<what>",
        ),
        (
            ("gospel sacred sacrosanct holy untouchable stone off not",),
            r"(?:^|[.;:!] |\b(?:and|but|because|since) )(?:the |our |those |all )(?P<what>[\w./-]{2,60}(?:"
            r" [\w-]{2,20})?) (?:is|are|was|were|has|have|came?|comes?)\b[^.;!?\n]{2,80}[,;] (?:so |and )?(?:they|it)"
            rf"(?:'re|'s| are| is) (?:absolutely |pure )?{_SACRED}",
            r"do not touch \g<what>",
        ),
        (
            ("business",),
            r"\b(?:no(?:body| one)|none of us|you|we|agents?) (?:ha(?:s|ve)|got) (?:any |no )?business"
            r" (?:in|with|inside|near|(?:touching|changing|editing)) (?:the |our )?(?P<what>[\w./-]{2,60})",
            r"do not touch \g<what>",
        ),
        (
            ("verloren suchen",),
            r"(?:^|[.;:!] |\b(?:die datei|der ordner|das verzeichnis|in|an) )`?(?P<what>[\w.-]{0,60}[./][\w./-]{1,60})"
            r"`?(?: [^.;!?\n]{2,60},(?: da| dort)?)? (?:hast du |haben wir |hat (?:\w+ ){1,3}?)(?:hier )?"
            r"(?:\w+ ){0,3}?(?:(?:et)?was|nichts)(?: da| drin| dort| darin)? (?:verloren|zu suchen)\b",
            r"do not touch \g<what>",
        ),
        (
            ("job business task responsibility call turf department territory",),
            rf"\b(?:the|an?) (?P<what>[\w-]{{3,30}}(?: [\w-]{{3,20}})?),? (?:but|and|though) (?:actually )?"
            rf"(?P<verb>{GERUNDS}) (?:it|them|that) (?:is|stays|remains) (?:strictly |still )?{_OWNER} {_DUTY}",
            r"do not \g<verb> the \g<what>",
        ),
        (
            ("job business task responsibility call turf department territory",),
            rf"(?:^|[.;:!] |\b(?:and|but|because|since) )(?P<verb>{GERUNDS})\b{WHAT} (?:is|stays|remains)"
            rf" (?:strictly |still )?{_OWNER} {_DUTY}",
            r"do not \g<verb>\g<what>",
        ),
    )
)
"""Sentences that imply a rule as a whole, with the order that they imply."""
