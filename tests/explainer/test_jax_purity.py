"""What a function touches outside while JAX traces it, and what it calls back."""

import datetime
import math
import os
import random
import time

import numpy as np
import pytest
from cases import X, cases, check_touched

from jaxvstorch import explain

jax = pytest.importorskip("jax", reason="JAX is not installed")

pytestmark = pytest.mark.usefixtures("random_numbers_as_before")

generator = np.random.default_rng(0)

case, test_marks = cases("jax")


@case(X)
def draws_from_python(x):
    return x + random.random()  # -> A1 ! impure


@case(X)
def draws_from_a_generator(x):
    noise = generator.random(4)  # -> traced ! impure
    return x + noise.astype(np.float32)  # -> A1


@case(X)
def reads_the_clock(x):
    now = time.perf_counter()  # -> traced ! impure
    day = datetime.datetime.now().day  # -> traced ! impure
    return x + now + day  # -> A2


@case(X, os.devnull, static="path")
def reads_a_file(x, path):
    with open(path) as file:  # -> traced ! impure
        text = file.read()  # -> traced
    return x + len(text)  # -> A1


@case(X)
def prints(x):
    print("now", x.shape)  # -> traced ! impure
    return x + math.pi  # -> A1


@case(X)
def calls_back(x):
    jax.debug.print("x is {}", x)  # -> A1 ! callback
    kind = jax.ShapeDtypeStruct(x.shape, x.dtype)  # -> traced
    return jax.pure_callback(np.sin, kind, x)  # -> A1 ! callback


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (draws_from_python, "`random.random`"),
        (draws_from_a_generator, "`generator`"),
        (prints, "`print` prints while tracing only"),
    ],
)
def test_a_finding_names_what_was_touched(function, words) -> None:
    check_touched(explain(function, X), words)
