"""Whether `inspector receive` keeps every span of a long load, and how much memory it takes.

python -m tests.benchmarks.receive_load [--rate SPANS] [--seconds SECONDS] [--batch SPANS] [--senders N]

The receiver is a process on this machine. Programs send batches in protobuf, together at a steady rate; one that is
refused is sent again, as exporters do. The spans in the file are counted by their ids.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.benchmarks.proxy_load import cpu_seconds

LIMIT = 300
"""MB that the receiver may take."""
_TYPE = {"Content-Type": "application/x-protobuf"}
_ID = re.compile(rb'"spanId": ?"([0-9a-zA-Z+/=]+)"')


def _batch(first: int, size: int) -> bytes:
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for number in range(first, first + size):
        span = scope.spans.add()
        span.trace_id, span.span_id = (number // 20).to_bytes(16, "big"), (number + 1).to_bytes(8, "big")
        span.name, span.start_time_unix_nano = "chat gpt-5", 1_780_000_000_000_000_000 + number
        for key, value in (("gen_ai.operation.name", "chat"), ("gen_ai.input.messages", f"Light the lamp {number}.")):
            attribute = span.attributes.add()
            attribute.key, attribute.value.string_value = key, value
    body: bytes = request.SerializeToString()
    return body


async def _send(address: str, options: argparse.Namespace, pid: int) -> tuple[int, int, int]:
    """Send spans, and return how many, how often a batch was refused, and the largest memory of the receiver in KB."""
    began, sent, refused, largest = time.monotonic(), 0, 0, 0

    async def send() -> None:
        nonlocal sent, refused, largest
        while (now := time.monotonic() - began) < options.seconds:
            first, sent = sent, sent + options.batch
            if first > now * options.rate:
                await asyncio.sleep(first / options.rate - now)
            body = _batch(first, options.batch)
            while True:
                async with client.post(f"{address}/v1/traces", data=body) as reply:
                    if reply.status == 200:
                        break
                refused += 1
                await asyncio.sleep(0.1)
            largest = max(largest, _memory(pid))

    async with aiohttp.ClientSession(headers=_TYPE) as client:
        await asyncio.gather(*(send() for _ in range(options.senders)))
    return sent, refused, largest


def _memory(pid: int) -> int:
    """Return the resident memory of a process in KB; 0 where the system does not state it."""
    status = Path(f"/proc/{pid}/status")
    match = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(match[1]) if match else 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=2_000)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--senders", type=int, default=4)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "inspector", "receive", "--port", "0", "--out", folder]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as receiver:
            try:
                assert receiver.stdout is not None
                address = receiver.stdout.readline().strip().partition("=")[2]
                began, before = time.monotonic(), cpu_seconds(receiver.pid)
                sent, refused, largest = asyncio.run(_send(address, options, receiver.pid))
                seconds, cpu = time.monotonic() - began, cpu_seconds(receiver.pid) - before
            finally:
                receiver.send_signal(signal.SIGINT)
        with Path(folder, "traces.jsonl").open("rb") as file:
            kept = {name for line in file for name in _ID.findall(line)}
    print(
        f"{sent:,} spans in {seconds:.0f} s ({sent / seconds:,.0f}/s), {sent - len(kept):,} lost, "
        f"{refused:,} batches refused at first, {largest / 1_000:.0f} MB at most (limit {LIMIT}), "
        f"{1_000 * cpu / max(1, sent):.3f} CPU seconds per 1,000 spans"
    )


if __name__ == "__main__":
    main()
