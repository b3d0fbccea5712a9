"""The app in a browser: on this machine alone, and nothing that its page needs lies elsewhere."""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.cli.calling import chat, inspect, written
from tests.places import ROOT
from tests.terminal import ESCAPES, environment_in, running
from tests.warm import Program

aiohttp = pytest.importorskip("aiohttp")
pytest.importorskip("textual_serve")

from inspector.core.limits import limit  # noqa: E402  it needs both


@dataclass
class Served:
    """A server that runs."""

    port: int
    process: subprocess.Popen[str]
    token: str

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def cookie(self) -> str:
        return f"inspector_{self.port}={self.token}"

    def get(self, path: str = "/", **headers: str) -> tuple[int, str, str]:
        """The status, the text and the policy of an answer to a browser that has the cookie."""
        headers = {"cookie": self.cookie} | headers
        request = Request(self.address + path, headers={name.capitalize(): value for name, value in headers.items()})
        try:
            with urlopen(request, timeout=20) as answer:
                return answer.status, answer.read().decode(errors="replace"), answer.headers["Content-Security-Policy"]
        except HTTPError as error:
            return error.code, error.read().decode(), ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    path = tmp_path / "it's; a $(dir)" / "my log.json"
    path.parent.mkdir()
    written(path, chat())
    port = free_port()
    process = Program(
        ["-m", "inspector", "serve", path, "--port", port],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment_in(tmp_path) | {"TERM": "dumb", "INSPECTOR_DB": str(tmp_path / "store.db")},
    )
    assert process.stdout
    line = process.stdout.readline()
    told = re.fullmatch(
        rf"Inspector is at http://127\.0\.0\.1:{port}/\?token=([\w-]{{32}}) \(this machine only, until ctrl\+c\)\.\n",
        line,
    )
    assert told, line
    yield Served(port, process, told[1])
    process.kill()
    process.communicate()


def test_its_page_asks_nothing_of_anywhere_else(served: Served) -> None:
    status, page, policy = served.get()
    assert status == 200 and "default-src 'none'" in policy
    links = re.findall(r'(?:\b(?:href|src)=|url\()"([^"]+)', page)
    assert {"/static/js/textual.js", "/page.js"} <= set(links)
    assert [link for link in links if not link.startswith(("/", "data:"))] == []
    assert all(served.get(link)[0] == 200 for link in links if link.startswith("/"))
    assert re.findall(r"(?:https?|wss?)://[^\"\s]+", page) == [f"ws://127.0.0.1:{served.port}/ws"]


def test_only_pages_of_its_own_are_answered(served: Served) -> None:
    assert served.get(host="elsewhere.example")[0] == 403
    assert served.get(origin="https://elsewhere.example")[0] == 403
    assert served.get("/ws")[0] == 403
    assert served.get("/ws", origin="http://127.0.0.1:1")[0] == 403
    assert served.get(host=f"localhost:{served.port}")[0] == 200
    assert served.get(host=f"LocalHost:{served.port}")[0] == 200


def test_without_the_token_nothing_is_answered(served: Served) -> None:
    for path in ("/", "/page.js", "/static/js/textual.js", "/ws", "/download/x"):
        for cookie in (
            "",
            f"inspector_{served.port}=",
            f"inspector_{served.port}={served.token[:-1]}{'y' if served.token.endswith('x') else 'x'}",
            "inspector_1=x",
        ):
            assert served.get(path, cookie=cookie, origin=served.address)[0] == 403
    assert served.get("/?token=guess", cookie="")[0] == 403


def test_the_printed_address_sets_a_cookie_that_no_other_site_can_send(served: Served) -> None:
    with urlopen(f"{served.address}/?token={served.token}", timeout=20) as answer:
        cookie = answer.headers["Set-Cookie"]
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert cookie.startswith(f"{served.cookie};")
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie


async def test_any_size_that_a_page_asks_for_is_bounded(served: Served) -> None:
    address = f"{served.address}/ws?width=10000000&height=99999999"
    async with (
        aiohttp.ClientSession() as client,
        client.ws_connect(address, **own_page(served)) as page,
    ):
        await page.receive(timeout=60)
        await page.send_json(["resize", {"width": 5_000_000, "height": 5_000_000}])
        await page.send_json(["resize", {"width": "wide", "height": None}])
        await page.receive(timeout=60)
        (app,) = children(served.process.pid)
        status = Path(f"/proc/{app}/status").read_text(encoding="utf-8")
        memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        assert memory < 400_000, "kB"


@pytest.mark.parametrize("sent", ["[]", "nothing", '["stdin"]', '["resize", 3]', "7", '{"a": 1}'])
async def test_what_no_page_sends_ends_that_page_alone(served: Served, sent: str) -> None:
    async with aiohttp.ClientSession() as client:
        async with client.ws_connect(f"{served.address}/ws", **own_page(served)) as page:
            await page.receive(timeout=60)
            await page.send_str(sent)
        assert until(lambda: not children(served.process.pid))
    assert served.get()[0] == 200 and served.process.poll() is None


async def test_only_so_many_pages_are_open_at_once(served: Served) -> None:
    async with aiohttp.ClientSession(headers={"Cookie": served.cookie}) as client:
        address = f"{served.address}/ws"
        pages = [await client.ws_connect(address, origin=served.address) for _ in range(limit("pages"))]
        with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
            await client.ws_connect(address, origin=served.address)
        for page in pages:
            await page.close()
        assert until(lambda: not children(served.process.pid), limit=60)


def test_a_server_that_is_killed_takes_its_apps_with_it(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port)) as page:
        page.sendall(handshake(served))
        assert page.recv(12) == b"HTTP/1.1 101"
        assert until(lambda: bool(children(served.process.pid)))
        apps = children(served.process.pid)
        served.process.kill()
        served.process.wait()
        assert until(lambda: not any(b"inspector" in command(app) for app in apps))


def test_a_client_that_vanishes_leaves_no_app(served: Served) -> None:
    for pause in (0.0, 0.3, 1.0):
        with socket.create_connection(("127.0.0.1", served.port)) as page:
            page.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closed with a reset
            page.sendall(handshake(served))
            page.recv(12)
            time.sleep(pause)
    assert until(lambda: not children(served.process.pid))


def own_page(served: Served) -> dict[str, Any]:
    """How the page of the server connects."""
    return {"origin": served.address, "headers": {"Cookie": served.cookie}}


def handshake(served: Served) -> bytes:
    lines = [
        "GET /ws?width=80&height=24 HTTP/1.1",
        f"Host: 127.0.0.1:{served.port}",
        f"Origin: {served.address}",
        f"Cookie: {served.cookie}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


async def test_a_page_gets_an_app_that_ends_with_it(served: Served) -> None:
    screen = ""
    async with (
        aiohttp.ClientSession() as client,
        client.ws_connect(
            f"{served.address}/ws?width=100&height=30", origin=served.address, headers={"Cookie": served.cookie}
        ) as page,
    ):
        while "Reading month" not in screen:
            message = await page.receive(timeout=60)
            screen += message.data.decode() if isinstance(message.data, bytes) else ""
        assert children(served.process.pid)
        await page.send_json(["stdin", "\x11"])
        while (await page.receive(timeout=60)).type is not aiohttp.WSMsgType.CLOSED:
            pass
    assert until(lambda: not children(served.process.pid))


async def test_ctrl_c_ends_it_with_the_apps_of_its_pages(served: Served) -> None:
    async with (
        aiohttp.ClientSession() as client,
        client.ws_connect(f"{served.address}/ws", **own_page(served)) as page,
    ):
        await page.receive(timeout=60)
        apps = children(served.process.pid)
        served.process.send_signal(signal.SIGINT)
        while (await page.receive(timeout=60)).type not in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR):
            pass
    out, errors = served.process.communicate(timeout=30)
    assert (served.process.returncode, out, errors) == (130, "", "")
    assert apps and until(lambda: not any(b"inspector" in command(app) for app in apps))


def command(number: str) -> bytes:
    """The words of a process; empty where there is none."""
    path = Path(f"/proc/{number}/cmdline")
    return path.read_bytes() if path.exists() else b""


def children(number: int) -> list[str]:
    return Path(f"/proc/{number}/task/{number}/children").read_text(encoding="utf-8").split()


def until(holds: Callable[[], bool], limit: float = 20) -> bool:
    """Whether something comes to hold."""
    end = time.monotonic() + limit
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "my-machine"])
def test_no_other_machine_is_served(host: str) -> None:
    ended = inspect("serve", "--host", host)
    assert ended.code == 2 and f"not on {host}" in ended.err and "ssh -L 8000:127.0.0.1:8000" in ended.err


def test_a_port_that_is_taken_is_told(served: Served) -> None:
    ended = inspect("serve", "--port", str(served.port))
    assert ended.code == 1 and f"Cannot listen on port {served.port} (" in ended.err and "--port" in ended.err


def test_what_is_not_installed_is_told_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "inspector.ui.web.server", raising=False)
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    ended = inspect("serve")
    assert (ended.code, ended.err) == (1, "textual-serve is not installed: pip install 'textual-serve>=1.1.2,<2'.\n")


def test_what_cannot_be_opened_is_not_served(tmp_path: Path) -> None:
    assert inspect("serve", tmp_path / "nothing.json").code == 1


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_without_a_cursor_to_place_gets_text(tmp_path: Path, term: str) -> None:
    path = written(tmp_path / "log.json", chat())
    environment = environment_in(tmp_path) | {"TERM": term, "INSPECTOR_DB": str(tmp_path / "store.db")}
    with running([sys.executable, "-m", "inspector", str(path)], environment=environment) as terminal:
        assert terminal.wait(60) == 0
    assert (
        "cannot position its cursor, so the output is text instead of the app."
    ) in terminal.text and "\x1b[" not in terminal.text
    assert "History" in ESCAPES.sub("", terminal.text)
