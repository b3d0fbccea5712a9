"""Words by which a sentence restricts what is done to a thing that it names, and words by which it does not."""

from __future__ import annotations

import re

from inspector.core.text import lazy_pattern, word_set

SPARED, REFUSED, HARM, OWNED, DENIED = range(5)
"""Places of the groups that say the most, in `GROUPS`."""
GROUPS: tuple[tuple[float, re.Pattern[str]], ...] = tuple(
    (weight, lazy_pattern(rf"(?i)\b(?:{words})\b"))
    for weight, words in (
        (
            2.2,
            r"untouched|unchanged|intact|alone|spar(?:e[sd]?|ing)|sacred|sacrosanct|holy|gospel|frozen|freez\w*|froze"
            r"|protected|surviv\w+|preserv\w+|off[- ]limits|bounds|taboo|no-?go|hands|fingers|paws|steer clear"
            r"|(?:stay|keep) (?:out|off|away|clear)|read[- ]only|immutable|locked|reserved|as[- ]is|nailed|pinned|fixed"
            r"|(?:as|the way|like) (?:it|they) (?:is|are)|hold(?:ing)? (?:off|back)|embargo\w*|moratorium|in peace"
            r"|\w+-controlled|set in stone|sealed|archived|quarantined?|legal hold|evidence|final|certified"
            r"|notari[sz]ed"
            r"|audited|in print|source of truth|contractual\w*|promised|under (?:embargo|nda|review|audit|contract)"
            r"|(?:code|feature|change) freeze|change window|tel quel\w*|finger weg|tabu|in ruhe|unangetastet|intacto",
        ),
        (
            2.2,
            r"out of the question|off the table|not an option|no option|allergic|resist|refrain|dare|veto\w*|blocked"
            r"|(?:not|never) (?:going to |gonna )?(?:fly|happen\w*|acceptable|ok(?:ay)?|allowed)|forbid\w*|prohibit\w*"
            r"|banned|reject\w*|against|hate[sd]?|scream\w*|retired|dead|gone|mistake|history|unacceptable|illegal"
            r"|cheating|no (?:reason|need|point|sense|business|use|place|way|chance|go|room)|verboten",
        ),
        (
            1.6,
            r"ruin\w*|destroy\w*|cry|die|hurts?|loses?|losing|lost|loss|kill(?:s|ed) (?:us|me)|furious|angry|mad|upset"
            r"|freaks?|yell\w*|trouble|nightmare|disaster|catastroph\w*|mess(?:es)?|wrecks?|wipes?|corrupt\w*|hammers?"
            r"|wak(?:e|es|ing)|pages?|alarms?|panic|surprises?|danger\w*|risk\w*|irreversibl\w*|irreplaceable|expensive"
            r""
            r"|breaks? (?:every\w*|all|half|our|their|it for)|stands? still|falls? over|goes dark"
            r"|costs?|dollars|euros|fine[ds]?|fired|sued|incident\w*|outage|reverted|regret\w*|hid(?:e|es|ing)|burn\w*"
            r"|bitten|leak\w*|overwrit\w+|overwrote|painful|worthless|zero points|everybody|chaos|hell|explode[sd]?"
            r"|(?:log|kick|lock)(?:s|ged|ed)? (?:\w+ )?out|bl(?:ow|ew)(?:s|n)? up|court|lawsuit|jail|bills?|billed"
            r"|charge[sd]?|on[- ]call|night|no (?:undo|way back|backup|copy|second)|gone (?:forever|for good)"
            r"|can't be (?:undone|restored|replaced|repeated)|never get (?:it|them|that) back|days? of work",
        ),
        (
            1.6,
            r"i(?:'ll| will|'d rather| want to| do)\b.{1,40}\bmyself|(?:is|are|stays?|remains?|up to) (?:still "
            r"|strictly )?"
            r"(?:mine|theirs|hers|yours|me|his)|call|decision|business|turf|territory|baby|privilege"
            r"|responsibility|domain"
            r"|kingdom|playground|by hand|belongs?|owns?|owned|looks? after|looked after|taken care of|managed by"
            r"|run by"
            r"|handled by|assigned to|property of|borrowed|rented|(?:working|sitting|busy) (?:on|in|with)|last word"
            r"|in (?:good|other|their|his|her) hands|(?:still |currently )(?:editing|writing|testing|using)"
            r"|maintain(?:s|ed)|in the middle of|half[- ]?(?:finished|done|way)|on loan|construction site"
            r"|someone else|else's"
            r"|behind (?:my|his|her|our|their) backs?|gehört|gère\w*|pertenece",
        ),
        (1.3, r"no|none|nothing|no ?body|no one|nowhere|zero|kein\w*|niemand\w*|personne|nadie|nessun\w*|geen"),
        (
            1.2,
            r"not|never|don't|do not|doesn't|won't|can't|cannot|mustn't|shouldn't|isn't|aren't|wouldn't|without"
            r"|avoid\w*|neither|nor|nicht|nie|niemals|pas|jamais|sans|nunca|niet|nooit|non",
        ),
        (
            1.0,
            r"colleagues?|teams?|people|folks|boss|manager|supervisor|ops|dbas?|devops|sre|legal|finance|accountants?"
            r"|lawyers?|security|marketing|designers?|auditors?|customers?|clients?|users|partners?|students?|professor"
            r"|reviewers?|everyone|regulator\w*|support|qa|board|architect|insurer|teammate|compliance|ta|cab|sales|accounting|bank"
            r"|vendors?|suppliers?|printers?|patients|doctors?|nurses?|tenants|teachers?|judges?|authorit(?:y|ies)|ministry"
            r"|council|editors?|publishers?|journal|interns?|inspectors?|warehouse",
        ),
        (
            1.0,
            r"sign(?:s|ed)?[- ]?off|approv\w+|permission|blessing|clearance|audit\w*|review(?:s|ed)?|go-ahead|consent"
            r"|asked|ask|check with|needs?|agree\w*|decide[sd]?|contract\w*|nda|meets|comes after|had their say"
            r"|four eyes"
            r"|a nod|(?:wants?|likes?|insists?) (?:on|to (?:see|review|be|approve|decide|know|read|check))"
            r"|change request"
            r"|ticket|committee|vote",
        ),
        (
            1.0,
            r"only (?:copy|backup|one)|last (?:copy|backup)|precious|sensitive|secret\w*|real|live|production"
            r"|prod|paying"
            r"|personal|published|shipped|signed|generated|hand-?\w+|handed in|(?:a|\w+) (?:days|weeks|months"
            r"|hours|years)"
            r"|work",
        ),
        (1.0, r"only|solely|exclusively|strictly|at most|limited|that's (?:all|it)|ends? there"),
        (
            0.6,
            r"until|till|before|once|after|yet|waits?|waiting|first|later|week|weekend|month|quarter|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tonight|tomorrow|window|holidays?|vacation|o'clock|still"
            r"|q[1-4]"
            r"|all (?:day|week|night)|bis|erst|avant|hasta",
        ),
        (0.6, r"must|has to|have to|should|supposed|stays?|remains?|keeps?|kept|bleib\w*|reste\w*|queda\w*|soll\w*"),
        (0.8, r"(?-i:(?<=[a-zé,;:] )[A-Z][a-zäöüé]{2,12})(?:'s)?(?! ?[A-Z(./])"),
    )
)
"""Words that restrict, from those that say the most to those that say little alone, with their weights."""
PERMITS = lazy_pattern(
    r"(?i)\b(?:can go|may go|feel free|free|go ahead|thumbs[- ]up|said (?:yes|ok|fine)|green light|okayed"
    r"|gave (?:me|us|it)"
    r"|(?:is|are|be|it's|that's|would be) (?:totally |perfectly |also )?(?:fine|ok|okay|good|great|nice|welcome|public)"
    r"|you (?:can|may)|as you like|no problem|any ?more|no longer|anyway|expired|nobody else|no one else|throwaway"
    r"|disposable|obsolete|unused|ended|(?:a|the) (?:dump|backup) (?:in|of|since)|works? (?:from|here) too"
    r"|(?:she|he|they) said|(?:has|have|had|already|was|were|been) (?:already )?(?:approved|signed off|okayed|cleared"
    r"|agreed|finished|moved|left)|waits? for (?:the new|it|us)|waiting for (?:it|us|you|the (?:new|launch"
    r"|release|fix))"
    r"|wants? it|asked (?:us|me|you|for)|stale|ancient|outdated|old (?:ones?|stuff)|do whatever|your call|up to you"
    r"|(?:test|fake|dummy|sample|generated|seed) (?:data|rows?|accounts?|users?|entries)|backed up|reproducible"
    r"|can be (?:rebuilt|recreated|restored|regenerated)|(?:is|are|was|were) (?:done|over|finished|closed|empty|yours"
    r"|idle|just|only (?:me|a|an|my|some|for me)|recommended|practical)|closed today|no(?:body| one) uses|overdue"
    r"|(?:hurts?|bothers?|harms?|affects?|disturbs?) (?:nobody|no one|nothing))\b"
)
"""Words that allow what is done to a thing, or say that it does no harm."""
HOLDS_UNTIL = lazy_pattern(r"(?i)\b(?:once|after|until|before|till|unless)\b")
REPORTS = lazy_pattern(
    r"(?i)\b(?:wrong|broken|fail\w*|errors?|bugs?|buggy|slow\w*|lag\w*|crash\w*|red|missing|empty|noisy|strange"
    r"|weird|odd"
    r"|flaky|complain\w*|suspect|suspicious|isn't it|(?:isn't|not) the (?:problem|cause|issue|reason|culprit)|believe"
    r"|think|guess|maybe|perhaps|probably|apparently|why|how|exception|undefined|doesn't work|outdated|helped|seems?"
    r"|looks?|appears?|noticed|issue|problem|expected|actual|unable|couldn't|seltsam|komisch|falsch|kaputt|fehler\w*"
    r"|hangs?|hung|stuck|time[sd]? out|returns? [45]\d\d|junk|full of"
    r"|faux|fausse|cassé\w*|raro|rota?|sbagliat\w*)\b"
)
WISH = lazy_pattern(
    r"(?i)\b(?:i (?:want|would like|need)|i'd (?:like|want)|we (?:want|need|could|can)|let'?s|maybe|nice to|make sure"
    r"|ensure|should (?:be|have|use|also|show|list|provide|not use)|can you|could you)\b"
)
OTHERWISE = lazy_pattern(
    r"(?i)\b(?:something else|another way|elsewhere|instead|work[- ]around|other side|plain|the (?:small|cheap|other"
    r"|local|test|fake) one|rather|ask|ping|let me know)\b"
)
"""Words of a clause that states another way."""
ELSE = lazy_pattern(r"(?i)\b(?:(?:nothing|anything|everything|nowhere) else|no other|the rest)\b")
"""Words after a thing that say that the rest is restricted."""
CODE = lazy_pattern(r"[{}|<>$\\]|\w=|==|https?://|\(\)|=>|::|--\w|\w\(|^\W*\d+[.)]|^\S+$|:\d+|^\W*//|^\W*#")
"""Marks of a sentence that is code, a log or an item of a list."""
BLAMES = lazy_pattern(
    r"(?i)\b(?:why|how come) (?:did|have|were|are|would) you (?:just |even |still |again )?(?P<verb>\w+)"
    r"|\bwho (?:told|asked|allowed) you to (?P<other>\w+)|\bwhat (?:are|were) you doing (?:in|to|with)\b"
)
"""A question that blames the agent: "why did you edit CHANGELOG.md?"."""
ASKS_WHEN = lazy_pattern(r"(?i)^\W*(?:why|how|when|where|if)\b")
NEGATIVE = lazy_pattern(r"(?i)^(?:no|not|never|without|don'?t|kein\w*|nicht|another|avoid|nor|zero)$")
POSSESSIVE = lazy_pattern(
    r"(?!It|That|There|Here|What|Who|Where|How|He|She|Let|This|Today|Every)[A-Z][a-zäöüé]{1,14}'s [a-z]"
)
"""Start of a clause about what a person has: "Priya's sweep is on gpu-2"."""
LEAD = lazy_pattern(
    r"(?i)^\W*(?:(?:and|but|so|also|then|now|ok(?:ay)?|please|pls|plz|just|first|next|btw|hi|hey|could you|can you"
    r"|would you|will you|let'?s|we (?:need|should|want) to|i(?:'d| would)? (?:like|want|need) (?:you )?to|i want"
    r"|you (?:can|should|could|may)|go ahead and|bitte|mach)[, ]+)*"
)
"""Words before the verb of a request."""
WORK = word_set(
    "fix make rewrite port add edit implement refactor clean tidy bump split rename look check write use move remove"
    " improve extend put get set wire build create run rework replace convert bring do finish complete investigate find"
    " try debug see read upgrade squash draw start apply generate regenerate record adapt adjust correct explain show"
    " give help redo continue clear take go sort cut tune plot repair profile rerun extract speed deploy push commit"
    " publish merge migrate install restart release ship send drop flush delete wipe reset update change bau schreib"
    " corrige ajoute fais arregla añade haz"
)
"""Verbs of requests."""
LOOKS = word_set("look read see check show explain")
"""Verbs of requests that change nothing."""
