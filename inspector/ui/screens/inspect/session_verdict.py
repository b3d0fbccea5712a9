"""The line under the title of Inspect: the verdict on the session, or on the turn that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from inspector.ui.screens.inspect.verdict_watch import VerdictSoFar, VerdictWatch
from inspector.ui.widgets.verdict_line import VerdictLine
from inspector.ui.workers.jobs import ScreenJobs

if TYPE_CHECKING:
    from inspector.library.diagnosis import LateNeed
    from inspector.ui.screens.inspect.inspect_state import InspectState


class SessionVerdict(VerdictLine):
    """Shows the verdict on the open session, and finds the replies that needed lost facts."""

    class Changed(Message):
        """New results are available, or another session is being analysed."""

    turn = 0
    """Turn that is shown; 0 before there is one."""
    known: VerdictWatch
    wanted: tuple[int, int] | None = None
    """Direction of a jump requested before any such reply was known, and the turn that was shown then."""

    def on_mount(self) -> None:
        self.known = VerdictWatch(ScreenJobs(self.screen), self, self.show_result)

    def on_unmount(self) -> None:
        self.known.close()

    def show(self, before: InspectState, state: InspectState) -> None:
        """Show the verdict on Inspect's current window, unless it is the same as before."""
        if state.preview is before.preview and state.opened is before.opened and state.agent == before.agent:
            return
        self.turn = state.preview.recorded.turn if state.preview else 0
        if state.opened is not None:
            self.call_after_refresh(self.known.look, state.opened, state.agent)  # the frame does not wait for it
        self.speak()

    def show_result(self, _: VerdictSoFar | None) -> None:
        self.speak()
        self.post_message(self.Changed())

    def speak(self) -> None:
        self.verdict = self.known.vote.at(self.turn) if self.known.vote else None

    @property
    def needs(self) -> tuple[int, ...]:
        """Turns whose newest reply needed a lost fact, ascending."""
        return self.known.vote.turns if self.known.vote else ()

    @property
    def misses(self) -> tuple[int, ...]:
        """Turns whose call the prompt cache did not serve, ascending."""
        return tuple(loss.turn for loss in self.known.vote.overview.cache_losses) if self.known.vote else ()

    @property
    def need_here(self) -> LateNeed | None:
        """Reply in the current window that the verdict is about; None if it needed no lost fact."""
        vote = self.known.vote
        if vote is None or vote.findings is None or self.turn in vote.overview.timeline.compactions:
            return None
        return vote.findings.at(self.turn)

    def next_need(self, turn: int, step: int) -> LateNeed | None:
        """Return the next or previous reply that needed a lost fact, or None after showing a notice."""
        need = self.known.vote.next_need(turn, step) if self.known.vote else None
        if need is None:
            self.known.seek()
            self.wanted = (step, turn) if self.known.is_looking else None
            self.notify(self.known.absence)
        return need

    def pop_wanted(self) -> LateNeed | None:
        """Return the reply requested before it was known; None if there is no such reply or the user has moved on."""
        vote, wanted = self.known.vote, self.wanted
        if wanted is None or vote is None or self.known.is_looking:
            return None
        self.wanted = None
        return vote.next_need(wanted[1], wanted[0]) if self.turn == wanted[1] else None
