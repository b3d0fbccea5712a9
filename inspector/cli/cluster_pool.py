"""The option `--cluster`: the workers that a command sends its work to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from inspector.cli.command_errors import UsageError
from inspector.cli.output import warn
from inspector.core.cluster import ADDRESS_FORM, is_cluster_address, open_cluster
from inspector.core.text import plural
from inspector.core.work_pool import ThisProcess, WorkPool


def _checked_address(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not is_cluster_address(value):  # not repeated: it may be meant to have a password
        raise UsageError(f"--cluster takes the address of a scheduler: {ADDRESS_FORM}.")
    return value


cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    callback=_checked_address,
    help="Send the work to the workers of this scheduler of Dask, tcp://HOST:PORT or tls://HOST:PORT.",
)


@contextmanager
def pool_at(address: str | None, sent: str) -> Iterator[WorkPool]:
    """Connect to a cluster and say what it gets, or work in this process.

    Args:
        address: Address of the scheduler; None for this process.
        sent: What will be sent, for example "3 sessions".

    Raises:
        WorkError: If the cluster cannot be used.
    """
    if address is None:
        yield ThisProcess()
        return
    with open_cluster(address) as cluster:
        count, security = len(cluster.threads), "" if address.startswith("tls:") else ", not encrypted"
        warn(f"Sending {sent} to {address} and its {plural(count, 'worker')}{security}.")
        yield cluster
