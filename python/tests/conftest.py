# SPDX-License-Identifier: Apache-2.0
from os import environ
from pathlib import Path

import eagle
import pytest
from eagle.plan import plan

SOURCE = Path(environ.get("EAGLE_SOURCE", Path(__file__).parents[2]))
BUILD = Path(environ.get("EAGLE_BUILD", SOURCE / "build"))
BUNDLES = Path(environ.get("EAGLE_BUNDLES", SOURCE / "build" / "bundles"))


@pytest.fixture(scope="session")
def bundles() -> Path:
    """The worked bundles."""
    return BUNDLES


@pytest.fixture(scope="session")
def build() -> Path:
    return BUILD


@pytest.fixture(scope="session")
def data() -> Path:
    return Path(environ.get("EAGLE_DATA", SOURCE / "tests" / "data"))


@pytest.fixture(scope="session")
def slow() -> Path:
    """A bundle whose body takes so many microseconds a sample."""
    return BUILD / "tests" / "host_team" / "bundles" / "slow"


@pytest.fixture(scope="session")
def source() -> Path:
    return SOURCE


@pytest.fixture
def host(bundles):
    """host("axpy", threads=2): a HostTeam plan of a worked bundle."""

    def make(name: str, **options):
        return plan(eagle.load(bundles / name), structure=eagle.exec.HostTeam, **options)

    return make


@pytest.fixture
def axpy(host):
    """axpy(x=...): the worked axpy, with a = 2 and b = 1 where they are not given."""
    made = host("axpy")
    return lambda **given: made.run(**{"a": 2.0, "b": 1.0} | given)
