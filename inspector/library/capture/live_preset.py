"""A preset on the requests that pass the proxy. Whatever happens, the program gets its reply."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspector.core.limits import limit
from inspector.core.text import dumps, loads
from inspector.engine.compression import Preset
from inspector.engine.window import Plan
from inspector.library.capture.captured_call import API, BodyError, decoded_body
from inspector.library.capture.preset_switch import PresetSwitch
from inspector.library.capture.request_preset import PassedRequest
from inspector.memory import FittedRequest, RequestArchive, RequestFitter

_THREADS = 4
_SMALLEST = {"messages": [{"role": "user", "content": "."}]}
_MODELS = ("claude-sonnet-4-5", "gpt-5")


class LivePreset:
    """Applies a preset to requests.

    Args:
        preset: The preset.
        log: File of the recording. A switch for other programs is next to it.
        is_trial: True to send the original requests, and only keep the plans.
        summary_model: A client that writes summaries, as for `MemoryManager`; None for extractive ones.
        archive: Keeps archived messages for later runs; None to keep them for this one.
    """

    def __init__(
        self,
        preset: Preset,
        log: Path,
        *,
        is_trial: bool = False,
        summary_model: Any = None,
        archive: RequestArchive | None = None,
    ) -> None:
        self.counts: dict[str, int] = {}
        self.newest_reason = ""
        self._preset, self._switch, self._is_trial = preset, PresetSwitch(log), is_trial
        self._seconds = float(limit("preset_seconds"))
        self._fitter = RequestFitter(preset, summary_model, self._seconds, archive)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="preset")

    @contextmanager
    def running(self) -> Iterator[None]:
        """Apply the preset while the context is entered. Raises OSError if the switch cannot be written."""
        self._switch.turn(True)
        for model in _MODELS:  # load the tokenizers before the first request
            self._threads.submit(self._fitter.fit, "openai-chat", {"model": model, **_SMALLEST})
        try:
            yield
        finally:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._switch.remove()

    async def passed(self, api: API, body: bytes, encoding: str) -> PassedRequest:
        """Return the request to send in place of another one, or none if it is not certain."""
        if self._switch.is_on is False:
            return self._result("off")
        work = asyncio.get_running_loop().run_in_executor(self._threads, self._fitted, api, body, encoding)
        try:
            fitted = await asyncio.wait_for(work, self._seconds)
        except TimeoutError:
            return self._result("original", f"it took longer than {self._seconds:g} seconds")
        state = "planned" if self._is_trial and fitted.state == "applied" else fitted.state
        facts: dict[str, Any] = {"before": fitted.before, "after": fitted.after, "budget": fitted.budget}
        if fitted.plans:
            facts["plans"] = list(map(_plan_row, fitted.plans))
        if fitted.state == "applied":
            facts["sent"] = list(fitted.messages)
        new = dumps(fitted.request).encode("utf-8", "surrogatepass") if state == "applied" else None
        return self._result(state, fitted.reason, new, facts)

    def not_read(self) -> PassedRequest:
        """Return the result for a request that is too large to be read."""
        return self._result("original", "the request is too large")

    def _fitted(self, api: API, body: bytes, encoding: str) -> FittedRequest:
        try:
            request = loads(decoded_body(body, encoding, limit("capture_body")).decode("utf-8"))
        except (BodyError, ValueError):
            request = None
        if not isinstance(request, dict):
            return FittedRequest("original", {}, "the request is no JSON object")
        return self._fitter.fit(api, request)

    def _result(
        self, state: str, reason: str = "", body: bytes | None = None, facts: Mapping[str, Any] | None = None
    ) -> PassedRequest:
        self.counts[state] = self.counts.get(state, 0) + 1
        if state == "original":
            self.newest_reason = reason
        why = {"reason": reason} if reason else {}
        return PassedRequest(body, {"name": self._preset.name, "state": state, **why, **(facts or {})})


def _plan_row(plan: Plan) -> dict[str, Any]:
    return {"strategy": plan.strategy, "messages": plan.counts, **({"note": plan.note} if plan.note else {})}
