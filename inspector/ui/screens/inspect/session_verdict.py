"""The line under the title of Inspect: the verdict on the session, or on what happened at the turn that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from inspector.ui.screens.inspect.verdict_watch import VerdictVote, VerdictWatch
from inspector.ui.widgets.verdict_line import VerdictLine
from inspector.ui.workers.jobs import ScreenJobs

if TYPE_CHECKING:
    from inspector.library.diagnosis import LateNeed
    from inspector.ui.screens.inspect.inspect_state import InspectState


class SessionVerdict(VerdictLine):
    """Looks at what Inspect shows, says what is known of it, and knows the replies that needed something lost."""

    class Changed(Message):
        """More is known of the session than before, or another one is looked at."""

    turn = 0
    """The one that is shown; 0 before any is."""
    known: VerdictWatch
    wanted: tuple[int, int] | None = None
    """The direction in which a reply was asked for before any was known, and the turn that was shown then."""

    def on_mount(self) -> None:
        self.known = VerdictWatch(ScreenJobs(self.screen), self, self.show_result)

    def on_unmount(self) -> None:
        self.known.close()

    def show(self, state: InspectState) -> None:
        """Speak of the window that Inspect shows."""
        self.turn = state.preview.recorded.turn if state.preview else 0
        if state.opened is not None:
            self.call_after_refresh(self.known.look, state.opened, state.agent)  # the frame waits for nothing of it
        self.speak()

    def show_result(self, _: VerdictVote | None) -> None:
        self.speak()
        self.post_message(self.Changed())

    def speak(self) -> None:
        self.verdict = self.known.vote.at(self.turn) if self.known.vote else None

    @property
    def needs(self) -> tuple[int, ...]:
        """The turns whose newest reply needed something that was lost, ascending."""
        return self.known.vote.turns if self.known.vote else ()

    @property
    def need_here(self) -> LateNeed | None:
        """The reply that the verdict is about: it comes into the window that is shown; None where it needed nothing."""
        vote = self.known.vote
        if vote is None or vote.findings is None or self.turn in vote.overview.timeline.compactions:
            return None
        return vote.findings.at(self.turn)

    def next_need(self, turn: int, step: int) -> LateNeed | None:
        """The nearest reply that needed something lost, after a turn or before it; that there is none is said."""
        need = self.known.vote.next_need(turn, step) if self.known.vote else None
        if need is None:
            self.known.seek()
            self.wanted = (step, turn) if self.known.is_looking else None
            self.notify(self.known.absence)
        return need

    def pop_wanted(self) -> LateNeed | None:
        """The reply that was asked for too early, once it is known; None where there is none, or the person went on."""
        vote, wanted = self.known.vote, self.wanted
        if wanted is None or vote is None or self.known.is_looking:
            return None
        self.wanted = None
        return vote.next_need(wanted[1], wanted[0]) if self.turn == wanted[1] else None
