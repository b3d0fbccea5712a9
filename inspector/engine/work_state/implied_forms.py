"""Forms of sentences that imply a rule, with the order that each implies."""

from __future__ import annotations

import re
from collections.abc import Callable

from inspector.core.text import cued_pattern
from inspector.engine.work_state.rule_verbs import FORM, FORM_WORDS, FORMS

GERUNDS = "|".join(sorted((form for form in FORMS if form.endswith("ing")), key=len, reverse=True))
_GERUND_WORDS = frozenset(word for word in FORM_WORDS if word.endswith("ing"))
_LEAD = (
    r"^(?:(?:and|but|so|because|since|as|also|note that|remember(?: that)?|please|careful|mind you|fyi|btw|again"
    r"|here)[,:]? )*"
)
WHAT = r"(?P<what>(?: (?!is\b|are\b)[\w./@`'*-]{1,40}){0,7}?)"
PEOPLE = (
    r"(?:us|me|everyone|everybody|people|customers|users|colleagues|the (?:team|others|on-call|customers|users"
    r"|cashiers)|my \w+|our \w+|half the \w+|\d+ \w+)"
)
OTHERS = (
    r"(?:\w+ ){0,2}(?:clones?|checkouts?|setups?|env\w*|lock\w*|checksums?|colleagues|customers|clients|partners"
    r"|consumers|history|cache|links|signatures?|tooling|builds|plugins?)\b"
)
HARMS = (
    r"(?:(?:just|only|always|simply|also|usually|will|would|could|might|really|silently|again|all"
    r"|then) ){0,3}(?:mess(?:es)? (?:up|with)|makes? a mess|ruins?|destroys?|screws?|wrecks?|corrupts?|hammers?"
    r"|confuses?|wipes?|empties|loses?|defeats? the|hides? (?:\w+ )?(?:bugs?|problems?|regressions?|errors?|failures?"
    r"|breakage)|hides? what"
    rf"|throws? (?:away|out|{PEOPLE})|(?:kicks?|cuts?|locks?|logs?) (?:out|off|{PEOPLE})|drops? {PEOPLE}|pages"
    r"|takes? (?:down|the (?:\w+ ){1,3}(?:down|offline)|my|our|all day|hours)|costs? (?:us|me|money|real|a (?:lot"
    r"|fortune)|half|too much|[$€£]?\d|\w+ (?:dollars|euros|bucks))|burns? (?:through|our|a|the|up)|eats? (?:our|the"
    r"|up|half|through)|(?:gets?|got) (?:lost|overwritten|reverted"
    rf"|clobbered|us (?:into|in|blocked|banned|sued|fined|fired))|breaks? (?:every\w*|all|half|other|{OTHERS})|(?:has"
    r"|have) (?:bitten|burned|burnt|hurt|cost|broken|caused|ruined)|always (?:ends?|ended|breaks?|goes|has)"
    r"|ends? in (?:tears|a mess)|means (?:another|we|a|months?|more|no(?:body| one)|that we)|scares? me|went wrong"
    r"|opens? a can|moves? the problem|makes? [\w ]{1,30} (?:nightmare|painful|impossible|worthless|unusable|worse"
    r"|fail)|hides? (?:the|it)|defeats?|violates?|(?:is|are|was|feels like|be) (?:overwritten|reverted|lost|clobbered"
    r"|dangerous|(?:far |way |much )?too (?:risky|dangerous|expensive|slow|much)|a (?:nightmare|pain|mess"
    r"|privacy incident|red line|no-go|no-no|lie|mistake|project of its own)|untraceable|how we (?:broke|lost|got"
    r"|ended)|what (?:caused|broke|killed|ruined)|cheating|pointless|off[- ]limits|out of bounds)|(?:(?:is|are"
    r"|would be) not|isn't|aren't|wouldn't be) (?:fixing|a (?:fix|solution|real fix)|what (?:i|we)\b|the (?:answer"
    r"|solution|point|way|idea)|an option|acceptable|ok(?:ay)?|fine|happening|how we))"
)
"""Words that say of an action that it does harm or is unwanted."""
_HARM_WORDS = (
    "mess messes ruin ruins destroy destroys screw screws wreck wrecks corrupt corrupts hammer hammers confuse"
    " confuses wipe wipes empties lose loses defeat defeats hide hides throw throws kick kicks cut cuts lock locks"
    " log logs drop drops pages take takes cost costs burn burns eat eats get gets got break breaks has have always"
    " end ends means scare scares went open opens move moves make makes violate violates overwritten reverted lost"
    " clobbered dangerous too a untraceable how what cheating pointless off out not isn aren wouldn"
)
NAME = r"`?(?P<what>(?!it\b|that\b|this\b|them\b|those\b)@?[A-Za-z][\w./-]{1,30})`?"
NOUN_OF = (
    r"(?P<verb>tag|release|deploy|publish|merge|commit|rebase|rollout|push|upgrade|migration|deletion|deployment"
    r"|rename|install|restart)(?:s|es)?\b"
)
Said = str | Callable[[re.Match[str]], str]


def not_done(match: re.Match[str]) -> str:
    """Return the order not to do what the noun of an action names."""
    verb = {"rollout": "deploy", "migration": "migrate", "deletion": "delete", "deployment": "deploy"}
    return f"do not {verb.get(match['verb'].lower(), match['verb'])}"


OF_CLAUSES: tuple[tuple[re.Pattern[str], Said], ...] = tuple(
    (cued_pattern(rf"(?i){pattern}", *cues), said)
    for cues, pattern, said in (
        (
            (_GERUND_WORDS, _HARM_WORDS),
            rf"{_LEAD}(?:blindly |just |simply |manually |blanket |directly )?(?P<verb>{GERUNDS})\b{WHAT} {HARMS}",
            r"do not \g<verb>\g<what>",
        ),
        (
            ("edit edits change changes", _HARM_WORDS),
            rf"{_LEAD}(?:any |all )?(?:manual|hand|local|direct)[- ](?:edits?|changes?){WHAT} {HARMS}",
            r"do not edit\g<what>",
        ),
        (
            ("install clean prune upgrade distclean update sync reset up add", _HARM_WORDS),
            rf"{_LEAD}(?:an? |plain |running )*`?(?P<what>(?:npm|pip3?|yarn|pnpm|brew|apt|cargo|git|docker(?: system)?"
            rf"|make|conda|poetry|terraform|bundle|composer) [a-z]{{2,12}}(?: -[\w-]{{1,12}})?)`?(?: here| in this"
            rf" \w+)? (?!breaks?\b){HARMS}",
            r"never use `\g<what>`",
        ),
        (
            ("npm pip pip3 yarn pnpm brew conda sed sudo make docker", _HARM_WORDS),
            rf"{_LEAD}(?P<what>npm|pip3?|yarn|pnpm|brew|conda|sed|sudo|make|docker)(?: here| in this \w+)?"
            rf" (?!breaks?\b){HARMS}",
            r"never use \g<what>",
        ),
        (
            ("run call start use execution", _HARM_WORDS),
            rf"{_LEAD}(?:every|each|any|another|a)(?: single)? (?:run|call|start|use|execution) of"
            rf" `?(?P<what>[\w./:-]{{3,40}})`? {HARMS}",
            r"do not run \g<what>",
        ),
        (
            ("job script command target task one run", _HARM_WORDS),
            rf"{_LEAD}(?:the )?(?:[\w-]{{2,20}} ){{0,2}}(?:job|script|command|target|task|one|run) \(`?"
            rf"(?P<what>[\w./:-]{{3,40}})`?\) {HARMS}",
            r"do not run \g<what>",
        ),
        (
            ("burned burnt bitten hurt trouble experience experiences accidents",),
            r"\b(?:(?:been|got|gotten) (?:burned|burnt|bitten|hurt) by|(?:bad experiences?|nothing but trouble"
            r"|too many accidents|enough trouble) with) (?:an? |the )?(?P<what>[\w`-]{2,20}(?: -[a-z-]{1,12})?)",
            r"no \g<what>, never use `\g<what>`",
        ),
        (
            ("mistake history dead retired chance gone goner",),
            rf"{_LEAD}{NAME} (?:(?:was|is) (?:a mistake|history|dead|retired|gone for good|a goner)|had its chance)\b",
            r"never use \g<what>",
        ),
        (
            ("against vetoed ruled rejected banned retired sworn up",),
            r"\b(?:i|we|the team|the board|the architect|security|legal)(?:'ve| have|'d| had)? (?:decided against"
            r"|voted against|vetoed|ruled out|rejected|banned|retired|sworn off|said no to|g(?:a"
            r"|i)ven? up on) (?:using |any )?(?:an? |the )?(?P<what>[\w`@./-]{2,30}(?: [\w`-]{2,20})?)(?=[.,;!]|$"
            r"| (?:for|in|last|this|years?|ages|a (?:year|month|while)|until|from|here)\b)",
            r"no \g<what>, never use \g<what>",
        ),
        (
            ("agreed decided settled resolved promised",),
            r"\b(?:i|we|you|everyone|the \w+)(?:'ve| have|'d| had)? (?:all )?(?:agreed|decided|settled|resolved"
            r"|promised) (?:with [\w ]{2,20} )?(?:on|to have) (?P<what>no [\w`-]+(?: [\w`-]+){0,2}?)(?=[.,;!]|$"
            r"| (?:this|in|for|until|anymore|any|with|here|at|on)\b)",
            r"\g<what>",
        ),
        (
            ("agreed decided settled resolved promised",),
            rf"\b(?:agreed|decided|settled|resolved|promised)(?: with [\w ]{{2,20}})? (?:to stop (?P<verb>{GERUNDS})"
            rf"|not to (?P<other>{FORM})|that (?:we|no(?:body| one)) (?:won't|will not|doesn't|do not|don't"
            rf"|no longer) (?P<third>{FORM}))\b(?P<what>[^,;:!?]{{0,60}})",
            lambda match: f"do not {match['verb'] or match['other'] or match['third']}{match['what']}",
        ),
        (
            ("middle uncommitted unfinished finished local open pending",),
            r"\b(?:is (?:right )?in the middle of|has (?:some |still )?(?:uncommitted|unfinished|half-finished|local"
            r"|open|pending) (?:work|changes|edits|stuff))\b[^,;!?]{0,30}? (?:in|on|of|to|inside"
            r"|at) `?(?P<what>[\w-]{0,80}[./][\w./-]{1,80})`?",
            r"do not touch \g<what>",
        ),
        (
            ("myself ourselves privilege personally something thing",),
            rf"{_LEAD}(?:pressing |hitting |doing |the (?:final |actual )?)*(?P<verb>{FORM})\b{WHAT} (?:is|are|stays?"
            r" )(?: still)? ?(?:something|a thing|one thing)?(?: that)? ?(?:(?:i|we)(?:'d| would)?(?:'ll| like to|"
            r" want to"
            r"| rather| prefer to)? (?:keep|do|handle|start|take care of)[\w ]{0,12} (?:myself|ourselves|personally)"
            r"|my privilege|(?<=thing )(?:that )?(?:i|we) (?:do|handle|run|take care of)"
            r" (?:from|on|by|in|after|with|once|when|alone|tonight|tomorrow))\b",
            r"do not \g<verb>\g<what>",
        ),
        (
            ("would d kill kills head fine sue fires",),
            r"\b(?:would|'d|will) (?:have (?:my|our) heads?|kill (?:me|us)|sue us|fine us|fire me|be furious"
            r"|go mad) if (?:an? |the |any )?(?P<what>[\w-]{2,30}s?)(?: \w+)? (?:showed|shows|turned|turns|ended|ends"
            r"|appeared|appears|landed|lands|got|gets|was|is)(?: up)? (?:in|into|on)(?: an?| the| our"
            r"| some)? (?:log\w*|console|output)\b",
            r"the \g<what> must never end up in the logs",
        ),
        (
            ("accident mistake committed",),
            r"(?<![\w./-])(?P<what>[\w./-]{0,80}[./][\w./-]{0,80}) (?:(?:is|are|was) only (?:here|there"
            r"|in here) by (?:accident|mistake)|should (?:never|not) (?:have been|be) (?:committed|in git))\b",
            r"do not commit \g<what>",
        ),
        (
            ("eyes",),
            r"(?<![\w./-])(?P<what>[\w./-]{0,80}[./][\w./-]{0,80}) (?:is|are) (?:only |meant )?for [\w ']{2,30} eyes\b",
            r"do not read \g<what>",
        ),
        (
            ("with",),
            r"(?:^|\b(?:and|but|so|please) )(?:strictly |always )?(?:only|never without"
            r"|nothing but)(?: ever)?(?: with)? (?:the )?`?(?P<what>--[a-z][\w-]{1,30})`?",
            r"always pass \g<what>",
        ),
        (
            ("past by through",),
            rf"{_LEAD}(?:anything|everything|any change|changes?|edits?|all changes) (?:in|to|under|inside|on)"
            r" (?:the )?(?P<what>[^,;!?]{2,50}?) (?:(?:has|have|needs?) to |must |should )?(?:goes|go|comes?|runs?"
            r"|be run) (?:past|by|through) (?:me|us)\b",
            r"ask me before you change anything in \g<what>",
        ),
        (
            ("need needs require requires",),
            rf"{_LEAD}(?:any |all |every )?{NOUN_OF}(?P<what>) (?:needs?|requires?) (?:my|an? explicit|an?|our"
            r"|explicit) (?:ok(?:ay)?|approval|permission|go|go-ahead|sign-?off|consent|blessing|yes)\b",
            lambda match: f"ask me before you {not_done(match).removeprefix('do not ')}",
        ),
        (
            ("leave leaving", "to for"),
            rf"\b(?:leave|leaving) (?:the |all |any )*(?P<verb>{GERUNDS}|{FORM})\b{WHAT}"
            r" (?:to|for) (?:me|us|ci|(?:my|our|the) [\w-]{2,20}|(?-i:[A-Z][a-z]{1,20}))(?=[.,;:!)]|$)",
            r"do not \g<verb>\g<what>",
        ),
        (
            ("gone lost overwritten undone wiped reverted",),
            r"\b(?:whatever|anything|everything|what) (?:you|we|i) (?:change|edit|write|put|fix)(?P<what> (?:(?:in|to"
            r"|into) )?(?:there|it|that file|[\w-]{0,80}[./][\w./-]{1,80})) (?:is|are|will be|gets?) (?:gone|lost"
            r"|overwritten|undone|wiped|reverted)\b",
            r"do not edit\g<what>",
        ),
        (
            ("urge temptation",),
            rf"\bresist the (?:urge|temptation) to (?P<verb>{FORM})\b(?P<what>[^.,;!?]{{0,60}})",
            r"do not \g<verb>\g<what>",
        ),
    )
)
"""Clauses that imply a rule, with the order that they imply. "there" in it is a path that was named before."""
