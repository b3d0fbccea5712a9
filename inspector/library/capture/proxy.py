"""A reverse proxy on this machine that passes requests to the API of a model on unchanged, and keeps a copy.

Bytes are passed on as they come, in both directions. The address of each upstream begins with a token that only the
recorded program knows, and its host is fixed, so the proxy cannot be used to reach another. Redirects are passed on
like any other response.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.request import getproxies, proxy_bypass

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, web
from multidict import CIMultiDict
from yarl import URL

from inspector.core.limits import limit
from inspector.core.local_server import answering, listening
from inspector.core.text import word_set
from inspector.library.capture.captured_call import API, CapturedCall, api_of
from inspector.library.capture.request_preset import PRESET_APIS, RequestPreset

_HOP_BY_HOP = word_set(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade"
)
_OWN = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
"""Headers that the client library would add."""
_CONNECT_SECONDS = 15.0
_MAX_HEADER = 64 << 10
_MAX_LINE = 16 << 10
_CLOSE_SECONDS = 2.0
_Cut = Literal["", "client", "upstream", "size"]


@dataclass(frozen=True, slots=True)
class Upstream:
    """An API that requests are passed on to."""

    prefix: str
    """Begins the paths of its requests, without slashes at the ends: `openai/v1`."""
    url: str
    """Base address, without a slash at the end."""


@dataclass(slots=True)
class _Copy:
    """The bytes of a body, up to a limit."""

    most: int
    data: bytearray = field(default_factory=bytearray)
    is_cut: bool = False

    def add(self, piece: bytes) -> None:
        self.is_cut = self.is_cut or len(self.data) + len(piece) > self.most
        if not self.is_cut:
            self.data += piece


class RecordingProxy:
    """A proxy that listens while its context is entered."""

    def __init__(
        self,
        upstreams: Mapping[str, Upstream],
        token: str,
        on_call: Callable[[CapturedCall], object],
        port: int = 0,
        preset: RequestPreset | None = None,
    ) -> None:
        """Prepare the proxy.

        Args:
            upstreams: The APIs by the name of the environment variable with their base address.
            token: Begins the path of each request.
            on_call: Called in the event loop with each call of a model. It must return at once.
            port: Port on the loopback address; 0 for any that is free.
            preset: Replaces the messages of requests; None to pass all requests on unchanged.
        """
        self.upstreams = upstreams
        self.other_requests = 0
        """Number of requests that call no model: lists of models, counts of tokens."""
        self._token = token
        self._on_call = on_call
        self._port = port
        self._preset = preset
        self._active = 0
        self._most_active, self._most_bytes = limit("capture_connections"), limit("capture_body")
        self._ways = {upstream.url: _way_to(upstream.url) for upstream in upstreams.values()}
        self._client: ClientSession | None = None
        self._open = AsyncExitStack()

    @property
    def addresses(self) -> dict[str, str]:
        """Base address of each upstream on this machine, by the name of its environment variable."""
        base = f"http://127.0.0.1:{self._port}/{self._token}"
        return {name: f"{base}/{upstream.prefix}" for name, upstream in self.upstreams.items()}

    async def __aenter__(self) -> RecordingProxy:
        """Listen.

        Raises:
            OSError: The port cannot be used.
        """
        async with AsyncExitStack() as stack:
            client = ClientSession(
                connector=TCPConnector(limit=0),
                timeout=ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
                cookie_jar=DummyCookieJar(),  # another one adds the cookies of earlier replies to requests
                auto_decompress=False,
                max_line_size=_MAX_LINE,
                max_field_size=_MAX_HEADER,
            )
            self._client = await stack.enter_async_context(client)
            server = listening(
                answering(self._answer, 0),
                self._port,
                limit("capture_sockets"),
                auto_decompress=False,
                handler_cancellation=True,
                max_line_size=_MAX_LINE,
                max_field_size=_MAX_HEADER,
                shutdown_timeout=_CLOSE_SECONDS,
            )
            self._port = await stack.enter_async_context(server)
            self._open = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening, after the requests in progress had two seconds to end."""
        await self._open.aclose()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        target = self._target_of(request)
        if target is None:
            return _error_response(404, "Inspector passes on only requests of the program that it records.")
        if "upgrade" in request.headers.get("Connection", "").lower() or "Upgrade" in request.headers:
            return _error_response(501, "Inspector does not pass on WebSockets: use HTTP.")
        if self._active >= self._most_active:
            return _error_response(503, f"Inspector passes on {self._most_active:,} requests at a time.")
        self._active += 1
        try:
            return await self._pass_on(request, *target)
        finally:
            self._active -= 1

    def _target_of(self, request: web.Request) -> tuple[URL, str, str] | None:
        """Return the address at an upstream, its path, and the upstream; None if the program did not send it."""
        raw = request.raw_path
        path, _, query = raw.partition("?")
        token, _, rest = path.removeprefix("/").partition("/")
        if not raw.startswith("/") or not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        for upstream in self.upstreams.values():
            inner = rest.removeprefix(upstream.prefix)
            if inner != rest and inner[:1] in ("", "/"):
                address = URL(upstream.url + inner + (f"?{query}" if query else ""), encoded=True)
                return (address, inner, upstream.url) if address.host == URL(upstream.url).host else None
        return None

    async def _pass_on(self, request: web.Request, url: URL, path: str, upstream: str) -> web.StreamResponse:
        api = api_of(request.method, path)
        self.other_requests += api is None
        most = self._most_bytes if api else 0
        asked, answered = _Copy(most), _Copy(most)
        began, time_of_day = time.monotonic(), datetime.now(UTC).isoformat(timespec="milliseconds")
        reply: ClientResponse | None = None
        facts: Mapping[str, Any] = {}
        cut: _Cut = "client"
        try:
            assert self._client is not None
            headers = _passed_headers(request.headers, without="host")
            data, facts = await _sent_body(request, api, asked, headers, self._preset)
            async with self._client.request(
                request.method,
                url,
                headers=headers,
                data=data,
                allow_redirects=False,
                skip_auto_headers=_OWN,
                **self._ways[upstream],
            ) as reply:
                response = await _pass_back(request, reply, answered)
            cut = ""
            return response
        except (ClientError, TimeoutError, OSError) as error:
            if isinstance(error, ConnectionResetError) and reply is not None:
                raise
            cut = "upstream"
            if reply is None:
                return _error_response(502, f"{url.host} cannot be reached ({type(error).__name__}).")
            if request.transport is not None:
                request.transport.abort()
            raise
        finally:
            if api:
                seconds = time.monotonic() - began
                self._on_call(_captured(api, path, time_of_day, seconds, request, reply, asked, answered, cut, facts))


def _way_to(upstream: str) -> dict[str, Any]:
    """Return the arguments of requests for the proxy that the environment names for an address.

    aiohttp finds that itself (`trust_env`), but then also adds passwords of `~/.netrc` to requests, and searches both
    in a thread for each request.
    """
    url = URL(upstream)
    named = getproxies().get(url.scheme)
    if not named or (url.host and proxy_bypass(url.host)):
        return {}
    return {"proxy": URL(named if "://" in named else f"http://{named}")}


def _captured(
    api: API,
    path: str,
    time_of_day: str,
    seconds: float,
    request: web.Request,
    reply: ClientResponse | None,
    asked: _Copy,
    answered: _Copy,
    cut: _Cut,
    facts: Mapping[str, Any],
) -> CapturedCall:
    headers = reply.headers if reply is not None else CIMultiDict[str]()
    return CapturedCall(
        api,
        path,
        time_of_day,
        seconds,
        reply.status if reply is not None else 0,
        bytes(asked.data),
        request.headers.get("Content-Encoding", ""),
        bytes(answered.data),
        headers.get("Content-Encoding", ""),
        headers.get("Content-Type", "").startswith("text/event-stream"),
        "size" if asked.is_cut or answered.is_cut else cut,
        facts,
    )


async def _sent_body(
    request: web.Request, api: API | None, copy: _Copy, headers: CIMultiDict[str], preset: RequestPreset | None
) -> tuple[Any, Mapping[str, Any]]:
    """Return what to send as the body, and facts about the preset for the log.

    With a preset, the request is read first. If another body is sent, its headers are changed.
    """
    if not request.body_exists:
        return None, {}
    pieces = _body_of(request, copy)
    if preset is None or api not in PRESET_APIS:
        return pieces, {}
    parts = []
    async for piece in pieces:
        parts.append(piece)
        if copy.is_cut:
            return _resumed(parts, pieces), preset.not_read().facts
    passed = await preset.passed(api, bytes(copy.data), request.headers.get("Content-Encoding", ""))
    if passed.body is None:
        return _resumed(parts, pieces), passed.facts
    headers.popall("Content-Length", None)
    headers.popall("Content-Encoding", None)
    return passed.body, passed.facts


async def _resumed(parts: Sequence[bytes], pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the pieces of a body that were read, and the rest of it."""
    for part in parts:
        yield part
    async for piece in pieces:
        yield piece


async def _body_of(request: web.Request, copy: _Copy) -> AsyncIterator[bytes]:
    async for piece in request.content.iter_any():
        copy.add(piece)
        yield piece


async def _pass_back(request: web.Request, reply: ClientResponse, copy: _Copy) -> web.StreamResponse:
    response = web.StreamResponse(status=reply.status, reason=reply.reason, headers=_passed_headers(reply.headers))
    if "Content-Length" not in reply.headers and request.version >= (1, 1):
        response.enable_chunked_encoding()
    await response.prepare(request)
    async for piece in reply.content.iter_any():
        copy.add(piece)
        await response.write(piece)
    with suppress(ConnectionResetError):
        await response.write_eof()
    return response


def _passed_headers(headers: Mapping[str, str], without: str = "") -> CIMultiDict[str]:
    """Return the headers except those of one connection, and a further one."""
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    left = _HOP_BY_HOP | named | {without}
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in left)


def _error_response(status: int, sentence: str) -> web.Response:
    """Return an error in a form that the clients of all APIs show."""
    error = {"type": "inspector_record", "message": sentence}
    return web.json_response({"type": "error", "error": error}, status=status)
