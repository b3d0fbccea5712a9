"""`inspector record` around real programs, with a real API on the loopback address."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.request import Request, urlopen

import pytest

from inspector.formats import load

_PROGRAM = """
import json, os, sys, urllib.request
body = {"model": "gpt-5", "messages": [{"role": "user", "content": "Light the lamp."}]}
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
request = urllib.request.Request(url, json.dumps(body).encode(), {"Authorization": "Bearer k-7-secret"})
print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"])
sys.exit(7)
"""


class _Api(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        if self.path not in ("/v1/chat/completions", "/v1/messages"):
            self.send_error(404)
            return
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": "The lamp is lit."}
        body = json.dumps({"model": "gpt-5", "choices": [{"message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _api() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Api)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _record(*words: str, upstream: str = "http://127.0.0.1:9/v1") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OPENAI_BASE_URL": upstream}
    command = [sys.executable, "-m", "inspector", "record", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)


def test_a_program_runs_as_without_it_and_its_calls_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with _api() as address:
        ended = _record("--out", str(log), "--", sys.executable, "-c", _PROGRAM, upstream=address)
    assert (ended.returncode, ended.stdout) == (7, "The lamp is lit.\n")
    assert ended.stderr == f"Recorded 1 call. Open: inspector {log}\n"
    (session,) = load(log)
    assert [message.text for message in session.messages] == ["Light the lamp.", "The lamp is lit."]
    assert "k-7-secret" not in log.read_text()


def test_json_is_the_only_output_on_standard_output(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with _api() as address:
        ended = _record("--out", str(log), "--json", "--", sys.executable, "-c", _PROGRAM, upstream=address)
    value = json.loads(ended.stdout)
    assert (value["calls"], value["exit_code"], value["failure"], value["path"]) == (1, 7, "", str(log))
    assert "The lamp is lit." in ended.stderr


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "Name either a command after --, or --attach."),
        (("--attach", "--", "true"), 2, "Name either a command after --, or --attach."),
        (("--", "/nowhere/agent"), 1, "/nowhere/agent cannot be started (No such file or directory)."),
        (("--upstream", "ftp://host", "--", "true"), 1, "--upstream has to be an address of http:"),
    ],
)
def test_wrong_usage_is_one_sentence(tmp_path: Path, words: tuple[str, ...], code: int, sentence: str) -> None:
    ended = _record("--out", str(tmp_path / "log.jsonl"), *words)
    assert ended.returncode == code and sentence in ended.stderr and "Traceback" not in ended.stderr


def test_a_file_that_cannot_be_written_is_named_before_the_program_starts(tmp_path: Path) -> None:
    ended = _record("--out", str(tmp_path), "--", sys.executable, "-c", "print('started')")
    assert ended.returncode == 2 and "started" not in ended.stdout
    (tmp_path / "file").write_text("")
    ended = _record("--out", str(tmp_path / "file" / "log.jsonl"), "--", sys.executable, "-c", "print('started')")
    assert ended.returncode == 1 and "cannot be written" in ended.stderr and "started" not in ended.stdout


def test_a_program_that_calls_no_model_is_told(tmp_path: Path) -> None:
    ended = _record("--out", str(tmp_path / "log.jsonl"), "--", sys.executable, "-c", "pass")
    assert ended.returncode == 0 and ended.stderr.startswith("The command called no model at the address in")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("end", ["/v1", "", "/"])
def test_attached_programs_are_recorded_until_an_interrupt(tmp_path: Path, end: str) -> None:
    log = tmp_path / "log.jsonl"
    with _api() as api:
        address = api.removesuffix("/v1") + end
        command = [sys.executable, "-m", "inspector", "record", "--attach", "--out", str(log), "--upstream", address]
        recorder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert recorder.stdout is not None
        lines = [recorder.stdout.readline().strip() for _ in range(2)]
        addresses = dict(line.removeprefix("export ").split("=", 1) for line in lines)
        assert set(addresses) == {"ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"}
        environment = {**os.environ, **addresses}
        ended = subprocess.run(
            [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, check=False
        )
        assert (ended.returncode, ended.stdout) == (7, "The lamp is lit.\n")
        with urlopen(Request(f"{addresses['ANTHROPIC_BASE_URL']}/v1/messages", b"{}")) as reply:
            assert reply.status == 200
        recorder.send_signal(signal.SIGINT)
        _, errors = recorder.communicate(timeout=180)
    assert recorder.returncode == 0 and "Recorded 1 call." in errors and "Traceback" not in errors
    assert len(load(log)) == 1
