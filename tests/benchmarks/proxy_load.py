"""What `inspector record` adds to streams of replies, next to a direct connection: latency of events, and throughput.

python -m tests.benchmarks.proxy_load [--streams N] [--events N] [--gap SECONDS] [--rounds N]

The API, the proxy and the client are processes of their own on this machine. Rounds alternate between both ways.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import mean, median, quantiles, stdev
from tempfile import TemporaryDirectory

import aiohttp
from aiohttp import web

_MESSAGE = {"role": "assistant", "content": [], "model": "m", "usage": {"input_tokens": 9}}
_PHASES = Random(7)
_ASK = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Light the lamps. " * 50}]}


def _event(fields: dict[str, object]) -> bytes:
    return f"event: {fields['type']}\ndata: {json.dumps(fields)}\n\n".encode()


async def _stream(request: web.Request) -> web.StreamResponse:
    await request.read()
    events, gap = int(request.headers["x-events"]), float(request.headers["x-gap"])
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(_event({"type": "message_start", "message": _MESSAGE}))
    await asyncio.sleep(_PHASES.random() * gap)  # models do not send in step
    for _ in range(events):
        await asyncio.sleep(gap)
        delta = {"type": "text_delta", "text": f"{time.monotonic():.6f} "}
        await response.write(_event({"type": "content_block_delta", "index": 0, "delta": delta}))
    await response.write_eof()
    return response


async def _serve() -> None:
    app = web.Application()
    app.router.add_post("/v1/messages", _stream)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=512).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


async def _ask(client: aiohttp.ClientSession, address: str, events: int, gap: float) -> list[float]:
    """Return the seconds from the sending of each event to its arrival."""
    headers = {"x-events": str(events), "x-gap": str(gap)}
    async with client.post(f"{address}/v1/messages", json=_ASK, headers=headers) as reply:
        return [
            time.monotonic() - float(sent[1])
            async for line in reply.content
            if (sent := re.search(rb'"text": "([\d.]+) "', line))
        ]


async def _round(address: str, streams: int, events: int, gap: float) -> tuple[list[float], float]:
    began = time.monotonic()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
        delays = await asyncio.gather(*(_ask(client, address, events, gap) for _ in range(streams)))
    flat = [delay for one in delays for delay in one]
    return flat, len(flat) / (time.monotonic() - began)


@contextmanager
def _running(words: list[str], **environment: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", *words], stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that a process has taken; 0 where the system does not state them."""
    path = Path(f"/proc/{pid}/stat")
    times = path.read_text().rpartition(")")[2].split()[11:13] if path.exists() else []
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def _first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--gap", type=float, default=0.05)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(_serve())
        return
    cpu, delays = 0.0, dict[str, list[list[float]]](direct=[], recorded=[])
    rates: dict[str, list[float]] = {"direct": [], "recorded": []}
    with TemporaryDirectory() as folder, _running(["tests.benchmarks.proxy_load", "--serve"]) as api:
        direct = f"http://127.0.0.1:{_first_line(api)}"
        log = Path(folder, "log.jsonl")
        with _running(["inspector", "record", "--attach", "--out", str(log)], ANTHROPIC_BASE_URL=direct) as recorder:
            ways = {"direct": direct, "recorded": _first_line(recorder).partition("=")[2]}
            cpu -= cpu_seconds(recorder.pid)
            for number in range(options.rounds):
                for way, address in list(ways.items())[:: 1 if number % 2 else -1]:
                    own, rate = asyncio.run(_round(address, options.streams, options.events, options.gap))
                    delays[way].append(own)
                    rates[way].append(rate)
            cpu += cpu_seconds(recorder.pid)
    print(f"{1_000 * cpu / options.rounds / options.streams:.2f} ms CPU of the proxy per stream")
    _print(options, delays, rates)


def _print(options: argparse.Namespace, delays: dict[str, list[list[float]]], rates: dict[str, list[float]]) -> None:
    """Print the figures of all rounds, and the differences between both ways by round, with 95% intervals."""
    print(f"{options.streams} streams of {options.events} events, one every {options.gap} s, {options.rounds} rounds")
    for way, rounds in delays.items():
        flat = [delay for one in rounds for delay in one]
        print(
            f"{way:>10}: {median(flat) * 1_000:6.2f} ms median, {_p95(flat):6.2f} ms at the 95th percentile, "
            f"{median(rates[way]):8.1f} events/s"
        )
    pairs = list(zip(delays["direct"], delays["recorded"], strict=True))
    added = [_p95(recorded) - _p95(direct) for direct, recorded in pairs]
    shares = [recorded / direct for direct, recorded in zip(rates["direct"], rates["recorded"], strict=True)]
    print(f"added at the 95th percentile {_interval(added, 2)} ms (limit 5)")
    print(f"throughput {_interval(shares, 4)} of direct (limit 0.99)")


def _p95(delays: list[float]) -> float:
    """Return the 95th percentile in ms."""
    return quantiles(delays, n=20)[-1] * 1_000


def _interval(values: list[float], digits: int) -> str:
    """Return the mean with a 95% interval by the normal distribution, and the number of values."""
    half = 1.96 * stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    low, middle, high = (f"{mean(values) + part:.{digits}f}" for part in (-half, 0, half))
    return f"{middle} ({low} to {high}, n {len(values)})"


if __name__ == "__main__":
    main()
