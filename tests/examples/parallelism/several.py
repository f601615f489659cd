"""What a test of several processes needs."""

import socket
from importlib.util import find_spec

import pytest

from jaxvstorch._frameworks import TITLES


def need(framework: str) -> None:
    """Skip a test whose framework is not installed, without importing it here."""
    if not find_spec(framework):
        pytest.skip(f"{TITLES[framework]} is not installed")
    if framework == "jax" and not resolves(socket.gethostname()):
        pytest.skip("JAX's Gloo needs a host name that stands for an address")


def resolves(name: str) -> bool:
    try:
        socket.getaddrinfo(name, None)
    except socket.gaierror:
        return False
    return True
