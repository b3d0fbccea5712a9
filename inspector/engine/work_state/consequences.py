"""Consequences after a compaction: actions and words of later replies that go against the state before it.

A consequence says what followed, not what caused it. An action that the user asked for, or that the state allows after
later messages, is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from inspector.core.caches import text_of
from inspector.core.conversation import Message
from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import shared_words
from inspector.engine.work_state.background_work import (
    agents_started,
    ends_by_itself,
    is_same_agent,
    is_same_server,
    start_key,
    starts_of,
)
from inspector.engine.work_state.ban_checks import is_banned
from inspector.engine.work_state.ban_terms import Ban
from inspector.engine.work_state.claims import claims_in, is_contradicted, may_contradict
from inspector.engine.work_state.closed_work import ClosedWork, states_in
from inspector.engine.work_state.complaints import told_of
from inspector.engine.work_state.consequence_kinds import Consequence, ConsequenceKind
from inspector.engine.work_state.declined_traces import runs_named
from inspector.engine.work_state.done_actions import done_by
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.forbidden_reads import read_in, unreadable_in
from inspector.engine.work_state.instruction_rules import OF_INSTRUCTION
from inspector.engine.work_state.language_breaks import language_break
from inspector.engine.work_state.measured_values import contradicted, measured_in, results_in
from inspector.engine.work_state.message_steps import NOTHING, MessageSteps, said_by, steps_of
from inspector.engine.work_state.open_questions import offers_run
from inspector.engine.work_state.other_breaks import other_break, states_other_rule
from inspector.engine.work_state.pauses import Unit, answered_request, does_work, has_floor, pause_of, units_of
from inspector.engine.work_state.promised_rules import order_of
from inspector.engine.work_state.repeated_commands import CarriedOut, keys_of
from inspector.engine.work_state.rule_bans import bans_in
from inspector.engine.work_state.state_fold import advance
from inspector.engine.work_state.state_items import StateItem, WorkState
from inspector.engine.work_state.summary_points import SummaryPoint, points_in
from inspector.engine.work_state.task_fold import DROPPED_BY_USER
from inspector.engine.work_state.tool_shapes import known_tool
from inspector.engine.work_state.user_words import UserWords
from inspector.engine.work_state.work_folders import landed_elsewhere, outside_of, user_moved, wrong_branch
from inspector.engine.work_state.work_history import Transition

_MAX_EVIDENCE = 300
_NO_STOP = "no stop between"
_Row = tuple[ConsequenceKind, StateItem, str]
"""Kind, item and evidence of a consequence."""
_REPEATS = lazy_pattern(
    r"(?i)(?:re-?)?(?:run(?! [^\n]{0,60}\b(?:migrat|seed|import|backfill|deploy))"
    r"|test|verify|check|build|compile|lint|format|commit|push|review|submit|confirm)\b"
)
"""Start of a task that is usually done more than once."""
_HOME = lazy_pattern(r"^/(?:home|Users)/[^/]+(?=/)")


@dataclass
class _Watch:
    """Follows the messages after one compaction."""

    transition: Transition
    state: WorkState
    points: tuple[SummaryPoint, ...]
    heard: list[MessageSteps] = field(default_factory=list)
    """Words of the user after the compaction."""
    woken: bool = False
    """True if the program gave the agent the floor, for example because a background task ended."""
    agents: int = 0
    """Number of sub-agents that were started."""
    units: dict[Unit, dict[str, None]] = field(default_factory=dict)
    """Files, tasks and commits since the user last had the floor, by kind."""
    language_is_settled: bool = False
    reported: set[tuple[str, str]] = field(default_factory=set)
    message: Message | None = None
    """The message that is followed now."""
    earlier: list[CallEffects] = field(default_factory=list)
    """Calls after the compaction."""
    followed: list[Message] = field(default_factory=list)
    """Messages after the compaction."""

    def feed(self, message: Message) -> Iterator[Consequence]:
        """Take the next message, and yield what in it goes against the state before the compaction."""
        steps = steps_of(message)
        self.message = message
        self.followed.append(message)
        state_before = self.state
        self.state = advance(self.state, message)
        if steps.words is not None:
            self.heard += [] if steps.words.command or steps.words.interrupted else [steps]
            self.units.clear()
        self.woken = self.woken or bool(steps.ended[0])
        if message.is_reply:
            yield from self.fresh(message.id, (*self.of_calls(steps, state_before), *self.of_words(message)))
        if steps.news:
            yield from self.fresh(message.id, self.of_results(steps, state_before, message.preview))
        for source, rule, target in told_of(message, self.followed, self.transition.replaced):
            yield from self.fresh(source, [("rule_broken", rule, target)])

    def of_results(self, steps: MessageSteps, before: WorkState, preview: str) -> Iterator[_Row]:
        """Yield what results tell: calls of a wrong shape, servers that were running, commits on another branch."""
        moved = any(words.moves for words in self.words) or self.had_moved
        for news in steps.news:
            call = before.open_calls.get(news.call)
            if call is None:
                continue
            if news.wrong_shape and (item := known_tool(call, news.answer, self.transition, self.followed)):
                yield "tool_shape_wrong", item, f"{call.tool}: {preview}"
            if news.clash and (server := self.only_server()) and call.command:
                yield "started_twice", server, call.command
            if not moved and (branch := landed_elsewhere(call, news, self.transition.before, before)):
                yield "outside_folder", branch, f"{call.command} {news.answer[:100]}"

    @cached_property
    def had_moved(self) -> bool:
        """True if the latest request before the compaction may have moved the work."""
        return user_moved(self.transition.before)

    def only_server(self) -> StateItem | None:
        """Return the process from before the compaction that runs, if it is the only one and not to be restarted."""
        running = [item for item in self.transition.before.of("running") if self.still(item)]
        servers = [item for item in running if item.state != "sub-agent" and not ends_by_itself(item)]
        return servers[0] if len(servers) == 1 and not any(words.restarts for words in self.words) else None

    def fresh(self, message: str, rows: Iterable[_Row]) -> Iterator[Consequence]:
        """Yield the consequences that were not yielded before for the same item."""
        for kind, item, evidence in rows:
            key = (kind, evidence.split(" ", 1)[0] if kind == "outside_folder" else item.name)
            if key not in self.reported:
                self.reported.add(key)
                words = one_line(evidence)[:_MAX_EVIDENCE]
                text = item.text[:_MAX_EVIDENCE]
                yield Consequence(kind, message, self.state.turn, self.transition.turn, text, words, item.message)

    def still(self, item: StateItem) -> StateItem | None:
        """Return an item of the state before the compaction if it still holds."""
        now = self.state.items.get(item.part, {}).get(item.name)
        return now if now is not None and now.holds else None

    def of_calls(self, steps: MessageSteps, before: WorkState) -> Iterator[_Row]:
        for call in steps.calls:
            self.agents += bool(call.agent)
            for unit, name in units_of(call, before):
                self.units.setdefault(unit, {})[name] = None
            if call.asks:
                self.units.clear()
            yield from self.rules(call)
            yield from self.places(call)
            yield from self.waiting(call)
            yield from self.plans(call)
            yield from (again := list(self.tasks(call, before)))
            yield from self.processes(call)
            yield from () if again else self.repeats(call)
            self.earlier.append(call)

    def repeats(self, call: CallEffects) -> Iterator[_Row]:
        """Yield that a call runs a command again whose effect was wanted once."""
        done = self.carried_out.repeated_by(call, self.earlier, self.said) if any(keys_of(call.command)) else None
        if done and not self.has_failed():
            yield "finished_task_repeated", done, call.command

    def has_failed(self) -> bool:
        """Return True if a command has failed since the compaction, which may be a reason to repeat another one."""
        known = {item.message for item in self.transition.before.of("failure")}
        return any(item.message not in known for item in self.state.of("failure"))

    @cached_property
    def carried_out(self) -> CarriedOut:
        """The commands before the compaction that have a lasting effect."""
        return CarriedOut(self.transition.replaced)

    @cached_property
    def results(self) -> list[tuple[str, str]]:
        """The commands before the compaction with the texts of their results."""
        return list(results_in(self.transition.replaced))

    def rules(self, call: CallEffects) -> Iterator[_Row]:
        branch = self.state.text("where", "branch")
        actions = tuple(done_by(call))
        for item in filter(self.is_in_force, self.transition.before.of("rule")):
            bans = bans_in(rule := order_of(item))
            yield from self.stops(item, pause_of(rule))
            yield from self.limits(item, bans, call)
            done = (one for one in actions if any(is_banned(one, ban, branch) for ban in bans))
            yield from (("rule_broken", item, _evidence(call, one.target)) for one in done)
            if states_other_rule(rule) and (target := self.breaks_otherwise(rule, call)):
                yield "rule_broken", item, _evidence(call, target)

    def breaks_otherwise(self, rule: str, call: CallEffects) -> str:
        """Return the command or path of a call that breaks a rule about commits, an order of work or reading."""
        path = read_in(self.message, call.call) if self.message and unreadable_in(rule) else ""
        return other_break(rule, call, path, self.earlier, self.closed.commands, self.state.text("where", "branch"))

    def is_in_force(self, rule: StateItem) -> bool:
        """Return True if a rule still holds and its text is not back in the context."""
        return self.still(rule) is not None and not self.is_loaded(rule)

    def limits(self, rule: StateItem, bans: Iterable[Ban], call: CallEffects) -> Iterator[_Row]:
        """Yield that a call starts more sub-agents than a rule allows."""
        for ban in bans if call.agent else ():
            agents = self.running_agents() + 1 if ban.together else self.agents
            if ban.most and agents > ban.most:
                yield "rule_broken", rule, agents_started(self.transition.after or self.followed)

    def running_agents(self) -> int:
        """Return the number of sub-agents that are known to run."""
        return sum(item.state == "sub-agent" for item in self.state.of("running"))

    def stops(self, rule: StateItem, unit: Unit) -> Iterator[_Row]:
        """Yield that the agent went on although a rule wants a stop after each unit of work."""
        if len(done := list(self.units.get(unit, ()))) > 1:
            yield "rule_broken", rule, f"{_NO_STOP} {done[0]} and {done[1]}"

    def is_loaded(self, rule: StateItem) -> bool:
        """Return True if a rule belongs to an instruction whose text the new context contains, or that is back."""
        if rule.state != OF_INSTRUCTION:
            return False
        if rule.message in self.transition.kept_ids:
            return True
        name = rule.detail.rpartition(":")[2]
        known = {one.message for one in self.transition.before.of("instruction")}
        items = (one for one in self.state.of("instruction") if one.message not in known)
        return any(one.name.rpartition(":")[2] == name for one in items)

    def places(self, call: CallEffects) -> Iterator[_Row]:
        before = self.transition.before
        if any(words.moves for words in self.words) or self.had_moved:
            return
        if (branch := wrong_branch(call, before, self.state)) is not None:
            yield "outside_folder", branch, f"{call.command} on {self.state.text('where', 'branch')}"
        elif (place := outside_of(call, before, self.state)) is not None and not self.is_named(place[1]):
            yield "outside_folder", place[0], f"{call.tool} {place[1]}"

    def is_named(self, path: str) -> bool:
        """Return True if the user named a file, or the folder that it is in, after the compaction."""
        names = {path.rsplit("/", 1)[-1], path}
        for one in (path, _HOME.sub("~", path)):
            slashes = [at for at, letter in enumerate(one) if letter == "/"]
            names.update(one[:at] for at in slashes[1 + one.startswith("/") :])
        return any(name in text for text in self.said for name in names)

    def waiting(self, call: CallEffects) -> Iterator[_Row]:
        before = self.transition.before
        if not has_floor(before) or self.heard or self.woken or call.asks:
            return
        asked = before.get("question", "open") or answered_request(before, self.last_reply) or self.refused_request
        if asked is not None and (does_work(call) or self.starts_offered(call, asked.text)):
            target = call.files[0].path if call.files else call.command or call.agent
            yield "acted_while_waiting", asked, _evidence(call, target)

    @cached_property
    def last_reply(self) -> str:
        """Text of the last reply before the compaction."""
        return next((text_of(message) for message in reversed(self.transition.replaced) if message.is_reply), "")

    @cached_property
    def refused_request(self) -> StateItem | None:
        """The latest request, if the user stopped the work on it."""
        steps = map(steps_of, reversed(self.transition.replaced))
        last = next((one for one in steps if one.words or one.news or one.calls or one.sample), NOTHING)
        is_stopped = last.words.interrupted if last.words else any(news.refused for news in last.news)
        return self.transition.before.get("request", "latest") if is_stopped else None

    def starts_offered(self, call: CallEffects, question: str) -> bool:
        """Return True if a call starts what the agent has only offered to start."""
        about = f"{question}\n{self.transition.before.text('request', 'latest')}"
        return offers_run(question) and runs_named(call, about)

    def plans(self, call: CallEffects) -> Iterator[_Row]:
        approved = [plan.detail for plan in self.state.of("plan") if plan.state in ("approved", "proposed")]
        for item in self.transition.before.of("plan"):
            now = self.still(item)
            if now is None or now.state not in ("refused", "shelved"):
                continue
            if target := self.closed.does_plan(call, item, self.words, approved):
                yield "refused_plan_carried_out", item, _evidence(call, target)

    def tasks(self, call: CallEffects, before: WorkState) -> Iterator[_Row]:
        is_once = any(keys_of(call.command)) and self.carried_out.has_reason(call, self.earlier, self.said)
        for item in self.transition.before.of("task"):
            now = before.get("task", item.name)
            if now is None or now.state != item.state or item.state not in ("done", DROPPED_BY_USER):
                continue
            is_done = item.state == "done"
            kind: ConsequenceKind = "finished_task_repeated" if is_done else "dropped_task_carried_out"
            if is_done and (is_once or _REPEATS.match(item.text)):
                continue
            if evidence := self.takes_up(call, item, before):
                yield kind, item, evidence

    def takes_up(self, call: CallEffects, task: StateItem, before: WorkState) -> str:
        """Return the evidence that a call states a closed task as open, or does it; "" for any other call."""
        states = states_in(call, task, before) if not self.asked_about(task, 1) else frozenset()
        if states & ({"pending", "in progress"} if task.state == "done" else {"in progress"}):
            return f"{call.tool}: {task.text} is {', '.join(sorted(states))}"
        target = "" if self.asked_about(task) else self.closed.does_again(call, task, before, self.words)
        return target and _evidence(call, target)

    @cached_property
    def closed(self) -> ClosedWork:
        """Knowledge about the work that was finished or declined before the compaction."""
        return ClosedWork(self.transition, self.points)

    def asked_about(self, item: StateItem, least: int = 2) -> bool:
        """Return True if the user spoke about a task after the compaction, with some of its words or of repeating."""
        return any(words.restarts or len(shared_words(words.text, item.text)) >= least for words in self.words)

    def processes(self, call: CallEffects) -> Iterator[_Row]:
        if any(words.restarts for words in self.words):
            return
        starts = frozenset[str]() if call.agent else starts_of(call, self.state, self.transition.before)
        for item in self.transition.before.of("running"):
            started = item.text.removesuffix(" &")
            if bool(call.agent) != (item.state == "sub-agent"):
                continue
            is_same = (
                is_same_agent(call.agent, started)
                if call.agent
                else start_key(started) in starts or is_same_server(call.command, started)
            )
            if is_same and self.still(item) and not ends_by_itself(item):
                yield "started_twice", item, started

    @property
    def words(self) -> list[UserWords]:
        """Words of the user after the compaction."""
        return [steps.words for steps in self.heard if steps.words]

    @property
    def said(self) -> list[str]:
        """Texts of the user after the compaction."""
        return [words.text for words in self.words]

    def of_words(self, message: Message) -> Iterator[_Row]:
        said = said_by(message)
        for claim in claims_in(said) if may_contradict(self.transition.before) else ():
            against = is_contradicted(claim, self.state)
            if against is not None and self.transition.before.get(against.part, against.name) == against:
                yield "result_contradicted", against, claim.text
        for measured in measured_in(said):
            words = (message.text for message in self.transition.replaced if message.role == "user")
            after = results_in(self.followed)
            said_before = [*words, *self.said]
            if line := contradicted(measured, [*self.results, *after], said_before):
                yield "result_contradicted", StateItem("failure", line, line, "measured"), measured.text
        yield from self.claimed(said)
        before = self.transition.before
        if not self.language_is_settled and (item := language_break(said, self.heard, self.state, before)):
            self.language_is_settled = True
            yield "language_changed", item, said.partition("\n")[0]

    def claimed(self, said: str) -> Iterator[_Row]:
        has_changes = any(call.files for call in self.earlier)
        for task in filter(self.still, self.transition.before.of("task")) if has_changes else ():
            claim = (
                "" if task.state != DROPPED_BY_USER or self.asked_about(task) else self.closed.claims_done(said, task)
            )
            if claim:
                yield "dropped_task_carried_out", task, claim


def _evidence(call: CallEffects, target: str) -> str:
    return call.command or f"{call.tool} {target}"


def consequences_of(transition: Transition) -> Iterator[Consequence]:
    """Yield what followed a compaction, in the order of the log.

    Raises:
        OSError: If the recording can no longer be read.
    """
    state = advance(transition.before, transition.summary)
    watch = _Watch(transition, state, points_in(transition.summary.text))
    for message in transition.after:
        yield from watch.feed(message)


def rule_breaks(messages: Sequence[Message], rules: Iterable[StateItem]) -> Iterator[Consequence]:
    """Yield every action that breaks one of some rules, which hold from the first message until the user lifts them.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if not messages:
        return
    before = WorkState({"rule": {rule.name: rule for rule in rules}})
    watch = _Watch(Transition(messages[0], 0, 1, before, (), (), ()), advance(before, messages[0]), ())
    for message in messages[1:]:
        rows = [row for row in watch.feed(message) if row.kind == "rule_broken"]
        yield from rows
        if not any(row.evidence.startswith(_NO_STOP) for row in rows):
            watch.reported.clear()
