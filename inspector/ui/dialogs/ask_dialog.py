"""A screen that puts contexts of a turn to a model, with the replies next to the recorded one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import set_cell_size
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from inspector.analysis.asking import editable_text
from inspector.core.text import clipped, dollars, first_lines, one_line
from inspector.ui.bindings import bindings
from inspector.ui.copying import edit_text
from inspector.ui.dialogs.ask_choices import AskChoice, AskSubject, choices_of
from inspector.ui.dialogs.ask_controller import AskAnswer, AskController, AskState
from inspector.ui.dialogs.consent_words import busy_words, consent_words
from inspector.ui.dialogs.overlay import Dialog, Overlay
from inspector.ui.dialogs.reply_texts import answer_rows, recorded_rows
from inspector.ui.widgets.key_bar import Key, KeyBar, available, key_line
from inspector.ui.widgets.lines import LineList, PlainList, Span
from inspector.ui.widgets.text_view import TextView
from inspector.ui.workers.jobs import ScreenJobs

if TYPE_CHECKING:
    from inspector.core.conversation import Message
    from inspector.library import Preview, Workbench
    from inspector.store import Store

_LABEL, _TOKENS = 24, 9
_CONSENT_LINES = 4
_VERDICTS = {True: ("✓ same step", "success"), False: ("≠ another step", "warning"), None: ("✓ replied", "success")}


@dataclass(frozen=True)
class AskLine:
    """A context, or a further reply to it."""

    choice: AskChoice
    sample: int = 1

    @property
    def key(self) -> tuple[str, int]:
        return self.choice.label, self.sample


class AskList(PlainList[AskLine]):
    """The contexts that can be asked, with their replies."""

    state: AskState | None = None

    def show(self, choices: Sequence[AskChoice], state: AskState) -> None:
        """Show the contexts and the replies of a state."""
        self.state = state
        rows = [
            AskLine(choice, sample)
            for choice in choices
            for sample in range(1, 1 + max([1, *(number for label, number in state.answers if label == choice.label)]))
        ]
        self.show_rows(rows, "")

    def spans(self, line: int, width: int) -> Sequence[Span]:
        row, palette, state = self.rows[line], self.palette, self.state
        is_chosen = state is not None and row.choice.label in state.question.labels
        label = one_line(row.choice.label) if row.sample == 1 else f"  sample {row.sample}"
        sign = ("[x] " if is_chosen else "[ ] ") if row.sample == 1 else "    "
        size = state.plan.sizes.get(row.choice.label) if state and state.plan and row.sample == 1 else None
        words, ink = self._words(row)
        room = max(0, width - 5 - _LABEL - _TOKENS - 2)
        return [
            (f" {sign}", palette.ink("primary", bold=True) if is_chosen else palette.dim),
            (set_cell_size(clipped(label, _LABEL), _LABEL), palette.strong if is_chosen else palette.ink()),
            (f"{f'{size:,}' if size is not None else '':>{_TOKENS}}  ", palette.dim),
            (clipped(words, room), ink),
        ]

    def _words(self, row: AskLine) -> tuple[str, Style]:
        """Return the state of a reply in words, or what the context is."""
        palette, state = self.palette, self.state
        answer = state.answers.get(row.key) if state else None
        if answer is not None:
            words, ink = answer_words(answer)
            return words, palette.ink(ink)
        note = state.plan.notes.get(row.choice.label, "") if state and state.plan else ""
        return one_line(note or row.choice.about), palette.dim


def _editable_message(subject: AskSubject, message: Message | None) -> Message | None:
    """Return the message under the cursor of Inspect if the context has it, else the current request; None without."""
    window = subject.preview.base
    if message is not None and message.id in window.ids:
        return message
    return window.messages[window.request] if window.request is not None else None


def answer_words(answer: AskAnswer) -> tuple[str, str]:
    """Return the state of a reply in words, and the name of their colour."""
    reply = answer.reply
    if reply is None:
        return ("writing …" if answer.text else "waiting …"), "primary"
    if reply.problem:
        return one_line(reply.problem), "warning" if reply.is_withheld else "error"
    words, ink = _VERDICTS[answer.same]
    paid = f"kept reply of {reply.origin}" if reply.kept else dollars(reply.cost)
    return f"{words}   {paid}", ink


class AskScreen(Overlay[str]):
    """Contexts of a turn, the consent before the first call, and the replies as they come."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("ask")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (64, "-wide")]  # noqa: RUF012  as declared in Textual
    AUTO_FOCUS = "#contexts"

    def __init__(self, subject: AskSubject, message: Message | None, store: Store | None) -> None:
        """Create the screen.

        Args:
            subject: Turn to ask about.
            message: Message under the cursor of Inspect; None for none.
            store: Keeps the replies; None to keep them until the screen closes.
        """
        super().__init__()
        self.message, self._edited_text = _editable_message(subject, message), ""
        choices = choices_of(subject, message)
        self.controller = AskController(ScreenJobs(self), self, subject, choices, store, self.show_state)

    def compose(self) -> ComposeResult:
        yield Static(self.heading, classes="bar", markup=False)
        yield Static(id="consent", markup=False)
        yield AskList(id="contexts")
        with Horizontal(id="replies"):
            with Vertical(classes="reply"):
                yield Static(id="recorded-head", markup=False)
                yield TextView(id="recorded-reply")
            with Vertical(classes="reply"):
                yield Static(id="answer-head", markup=False)
                yield TextView(id="answer")
        yield KeyBar(id="keys")

    @property
    def heading(self) -> str:
        subject = self.controller.subject
        turns = len(subject.bench.session.turns(subject.agent))
        when = f"at turn {subject.turn:,}" if subject.turn <= turns else "at the current context"
        return f"Ask a model {when}"

    def on_mount(self) -> None:
        self.controller.start()

    def on_unmount(self) -> None:
        self.controller.close()

    def on_resize(self) -> None:
        if self.is_mounted:
            self.call_after_refresh(lambda: self.show_state(self.controller.state))

    # drawing

    def show_state(self, state: AskState) -> None:
        """Draw a state."""
        if not self.is_mounted:
            return
        self.query_one(AskList).show(self.controller.choices, state)
        self.query_one("#consent", Static).update(self._consent(state))
        self.show_reply()

    def _consent(self, state: AskState) -> Text:
        palette, width = self.palette, max(20, self.size.width - 4)
        plan = state.plan
        sentence = consent_words(plan.sentence if plan else "", is_wanted=state.is_wanted)
        if state.is_asking:
            done, count = state.progress
            sentence = f"{done} of {count} replies. {sentence}"
        is_ready = plan is not None and plan.asker is not None and not state.is_wanted
        text = Text("\n".join(first_lines(sentence, width, _CONSENT_LINES)), "" if is_ready else palette.ink("warning"))
        if state.said:
            text.append(f"\n{state.said}", palette.dim)
        if state.question.question:
            text.append(f"\nQuestion: {clipped(one_line(state.question.question), width - 10)}", palette.strong)
        return text

    @on(AskList.Moved)
    def show_reply(self) -> None:
        """Show the recorded reply, and the one under the cursor."""
        state, row = self.controller.state, self.query_one(AskList).current
        answer = state.answers.get(row.key) if row else None
        recorded = self.controller.recorded
        views = [self.query_one(f"#{name}", TextView) for name in ("recorded-reply", "answer")]
        widths = [max(10, view.size.width - 2) for view in views]
        views[0].show(list(recorded_rows(recorded, answer, widths[0])), keep_place=True)
        views[1].show(list(answer_rows(recorded, answer, widths[1])), keep_place=True)
        palette = self.palette
        is_own = bool(state.question.question)
        head = "no recorded reply to this question" if is_own else "recorded reply" if recorded else "no recorded reply"
        self.query_one("#recorded-head", Static).update(Text(head, palette.dim))
        name = one_line(row.choice.label) + (f", sample {row.sample}" if row.sample > 1 else "") if row else ""
        words, ink = answer_words(answer) if answer and not (answer.reply and answer.reply.problem) else ("", "")
        head_line = Text.assemble((f"{name}   ", palette.strong), (words, palette.ink(ink or "foreground")))
        self.query_one("#answer-head", Static).update(head_line)
        self.show_keys(state)

    def show_keys(self, state: AskState) -> None:
        plan, asks = state.plan, state.is_asking
        self.query_one(KeyBar).keys = available(
            (asks, Key("back", "stop")),
            (not asks and plan and plan.can_send, Key("yes", "send")),
            (not asks, Key("toggle", "choose")),
            (not asks, Key("less more", f"{state.question.samples} each")),
            (not asks, Key("type", "question")),
            (not asks and self.message, Key("editor", "edit a message")),
            (not asks, Key("hide_secrets", "send secrets" if state.question.hides else "hide secrets")),
            (not asks, Key("much_less much_more", "limit")),
            (not asks, Key("back", "back")),
        )

    # keys

    @on(LineList.Opened)
    def action_choose(self) -> None:
        if (row := self.query_one(AskList).current) is not None:
            self.controller.toggle(row.choice.label)

    def action_send(self) -> None:
        self.controller.send()

    def action_samples(self, step: int) -> None:
        self.controller.add_samples(step)

    def action_limit(self, step: int) -> None:
        self.controller.raise_limit(step)

    def action_hide(self) -> None:
        self.controller.hide()

    def action_write(self) -> None:
        dialog = QuestionDialog(self.controller.state.question.question, QUESTION_PROMPT)
        self.app.push_screen(dialog, self.controller.set_question)

    def action_edit(self) -> None:
        """Let the user edit a message, and choose the context with the new text."""
        message = self.message
        if message is None:
            self.notify("This context has no message to edit.")
            return
        if self.controller.busy:
            self.notify(busy_words())
            return
        text = self._edited_text or editable_text(message)
        if text is None:
            self.notify("Only the text of a message can be edited. This one has other content, too.")
            return
        edited, problem = edit_text(self.app, text)
        if problem:
            self.notify(problem)
        elif not (edited or "").strip():
            self.notify("An empty text is not sent. Choose the context without the message instead.")
        elif edited is not None:
            self._edited_text = edited
            self.controller.edit(message, edited)

    def action_scroll(self, pages: int) -> None:
        for view in self.query(TextView):
            view.action_page(pages)

    def action_back(self) -> None:
        if not self.controller.back():
            self.dismiss(None)


@dataclass(frozen=True)
class TextPrompt:
    """The words of a dialog for a line of text."""

    heading: str
    about: str
    example: str


QUESTION_PROMPT = TextPrompt(
    "Your own question",
    "Asked at the end of each context. Empty: only the turn's own request.",
    "What may I not change?",
)
EXPECTED_PROMPT = TextPrompt(
    "Text to explain",
    "Why does the reply contain this text? After ! why does it not? Empty: the whole reply.",
    "rm -rf build",
)


class QuestionDialog(Dialog[str]):
    """Dismissed with a line of the user's own, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("value")
    AUTO_FOCUS = "#value"

    def __init__(self, text: str, prompt: TextPrompt) -> None:
        super().__init__()
        self.text, self.prompt = text, prompt

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(self.prompt.heading, classes="heading", markup=False)
            yield Static(self.prompt.about, id="about", markup=False)
            yield Input(self.text, placeholder=self.prompt.example, id="value")
            yield key_line("{open}: OK   {back}: cancel")

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)


def ask_screen(
    app: App[object], bench: Workbench, preview: Preview | None, message: Message | None
) -> AskScreen | None:
    """Return the screen for the turn of a preview, or for the last turn if the session ends with its reply.

    Args:
        app: The app, whose store keeps the replies.
        bench: Open session.
        preview: Its window; None before one is shown.
        message: Message under the cursor; None for none.
    """
    if preview is None or not preview.recorded.messages:
        return None
    agent, turn = preview.recorded.agent, preview.recorded.turn
    turns = bench.turns(agent)
    if turn > turns > 0 and preview.recorded.messages[-1].is_reply:
        preview = bench.preview(turns, agent)
    return AskScreen(AskSubject(bench, preview), message, getattr(app, "store", None))
