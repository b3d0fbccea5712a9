"""Identifiers and times that look like a recorder's own, and are the same on every run."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


@dataclass
class Names:
    """A stream of identifiers, told apart by `seed`; each call takes the next one."""

    seed: str
    taken: int = 0

    def digest(self) -> bytes:
        self.taken += 1
        return hashlib.sha512(f"{self.seed}:{self.taken}".encode()).digest()

    def uuid(self) -> str:
        """A random UUID (version 4), as text."""
        text = self.digest().hex()
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{'89ab'[int(text[16], 16) % 4]}{text[17:20]}-{text[20:32]}"

    def short(self, prefix: str, length: int = 22) -> str:
        """`prefix` and `length` letters and digits."""
        return prefix + "".join(ALPHABET[byte % len(ALPHABET)] for byte in self.digest()[:length])

    def hex(self, length: int) -> str:
        return self.digest().hex()[:length]

    def signature(self, size: int) -> str:
        """`size` bytes in base64, as the seal on a thinking block."""
        seal = b""
        while len(seal) < size:
            seal += self.digest()
        return base64.b64encode(seal[:size]).decode()

    def between(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return low + int.from_bytes(self.digest()[:4]) % (high - low + 1)


@dataclass
class Clock:
    """The time of a session: it only moves when told."""

    now: datetime
    names: Names = field(default_factory=lambda: Names("clock"))

    @classmethod
    def at(cls, text: str, seed: str = "clock") -> Clock:
        """A clock that stands at `text`, a UTC time such as `2026-03-30T07:12:04`."""
        return cls(datetime.fromisoformat(text).replace(tzinfo=UTC), Names(f"{seed} clock"))

    def wait(self, seconds: float) -> None:
        """Let `seconds` pass, and some milliseconds."""
        self.now += timedelta(seconds=seconds, milliseconds=self.names.between(3, 997))

    def blink(self) -> None:
        self.now += timedelta(milliseconds=self.names.between(2, 90))

    @property
    def stamp(self) -> str:
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"
