"""Words of rules and memories that mean the same."""

from __future__ import annotations

from inspector.engine.facts import stem

WORD_CLASSES = """
change: edit modify touch patch alter update improve rewrite modernize adjust tweak revise regenerate refresh
remove: delete deletion drop erase purge discard prune removal strip
check: verify validate validation verification inspect examine
fix: repair correct resolve
send: sent deliver transmit forward
ask: approval permission confirmation consent go-ahead approve ok
keep: retain preserve maintain
answer: reply respond response
explain: describe description explanation explaining
deploy: deployment deployments rollout
release: publish ship
buy: purchase
start: begin beginning
finish: completion end
test: tests testing spec specs
lint: linter
throw: thrown
draw: drawn
build: built
sign: signature signed
dead: unused obsolete
fly: flight flights
compose: composition composing
inherit: inheritance
mock: mocks mocked mocking fake stub
run: running execute invoke launch
call: request
review: reviewed
speak: talk
need: requirement require
measure: profile benchmark
escalate: hand-over handover
secret: credential credentials secrets password passwords
repository: repo repos codebase
folder: directory directories
documentation: docs document readme
configuration: config settings setting
dependency: package library crate gem
pull-request: pr prs mr merge-request
manually: hand manual
direct: directly straight
whole: complete entire full
function: method routine
field: key property attribute
interface: ui
argument: parameter
annotation: hint
image: picture photo
visible: facing
long: lengthy
apology: apologize apologise
changelog: changelog.md
error: exception
database: db
person: human people someone colleague
customer: consumer
child: kid kids children
parent: father mother
allergy: allergic allergies
car: automobile
bike: bicycle cycle
job: occupation profession
trip: travel journey
doctor: physician
large: big huge
small: little tiny
fast: quick rapid speedy
expensive: costly
cheap: inexpensive
holiday: vacation
movie: film
weekend: weekends
meeting: appointment meetings
teammate: coworker
employer: company firm
work: employed
euro: eur euros
dollar: usd dollars
refund: reimbursement
product: goods article articles
email: mail e-mail
staff: employee employees personnel
legacy: deprecated outdated
snippet: excerpt
mistake: bug defect
log: logging logger
class: classes
query: queries
crash: crashes
golden: goldens
timeout: deadline
retry: retries reattempt
schedule: timetable
warning: caveat
workstation: laptop machine notebook
button: buttons
color: colors colour colours
greet: greeting welcome
"""
"""Words by the most common one, written by hand."""

CONCEPTS = {
    stem(word): stem(name)
    for name, _, words in (line.partition(": ") for line in WORD_CLASSES.strip().split("\n"))
    for word in words.split()
}
"""The common stem of a stem."""
_WHOLE = frozenset({"format", "repeat", "combat", "threat"})
_MIN_ROOT = 6


def concept_of(word: str) -> str:
    """Return the stem for words of one meaning: that of "validate" and "validation"."""
    if word in CONCEPTS:
        return CONCEPTS[word]
    is_verb = len(word) >= _MIN_ROOT and word.endswith("at") and word not in _WHOLE
    return word[:-2] if is_verb else word
