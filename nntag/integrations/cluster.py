"""Ray itself: a cluster's address in, the module `ray` connected to it out; without an address, one on this machine."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from typing import Any

from nntag.errors import UsageError

MISSING = "--engine ray needs the package ray, which is not installed; install it with: pip install 'nntag[ray]'"
OBJECT_STORE_BYTES = 100 << 20  # parts go from disk to disk: Ray itself carries their numbers alone


@contextlib.contextmanager
def start_ray(workers: int, address: str = "") -> Iterator[Any]:
    """The module `ray`, connected to the cluster at `address`, or to one on this machine that ends with the block.

    A program that has called `ray.init` itself keeps its own cluster. Nothing is reported to anybody, and there is no
    dashboard. Raises `UsageError`.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray announces that this will change
    try:
        import ray
        import ray.data
    except ImportError:
        raise UsageError(MISSING) from None
    if ray.is_initialized():
        yield ray
        return
    local: dict[str, Any] = {
        "num_cpus": workers + 1,
        "object_store_memory": OBJECT_STORE_BYTES,
        "include_dashboard": False,
    }
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        ray.init(**({"address": address} if address else local), logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        where = f"the cluster at --address {address} is not reached" if address else "it does not start here"
        raise UsageError(f"Ray: {where}: {str(error).splitlines()[0]}") from None
    try:
        yield ray
    finally:
        ray.shutdown()
