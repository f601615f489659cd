"""What to do about what a row of a ledger says, in a sentence each."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

_MOST = 3  # differences that one row names


class Why(NamedTuple):
    """A reason, and what to do about it; empty if there is nothing to do."""

    text: str
    cure: str = ""


def shortened(whys: Sequence[Why]) -> list[Why]:
    """At most three differences, and how many more there are."""
    more = [Why(f"{len(whys) - _MOST} more")] if len(whys) > _MOST else []
    return [*whys[:_MOST], *more]


def unzip(whys: Iterable[Why]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The reasons and the cures, each once."""
    texts, cures = zip(*whys, strict=True) if (whys := list(whys)) else ((), ())
    return tuple(filter(None, dict.fromkeys(texts))), tuple(filter(None, dict.fromkeys(cures)))


BEFORE = "compiled before this ledger began"
AS_IT_IS = "without"  # begins what a plain function compiles when nothing is put around it

# jax.jit
DISABLED = "ran uncompiled: jax.disable_jit is on"
ENABLE = "Remove jax.disable_jit."
SHAPE = "Pad the arrays to one shape, or to a few: JAX compiles a program for each shape."
DTYPE = "Convert to one dtype before the call, with x.astype(...)."
WEAK_TYPE = (
    "Pass one type in every call: 2.0 rather than 2, or always jnp.asarray(value, 'float32')."
)
RANK = "Pass it with the same number of dimensions in every call: x[None] adds one."
STRUCTURE = "Pass the same containers, with the same keys and lengths, in every call."
NONE = "Pass an array, such as zeros, in place of None, or accept two programs."
GIVEN = "Pass the argument in every call, or in none."
NAMED = "Pass the argument the same way in every call: by position or by name."
STATIC = (
    "JAX compiles a program for each static value: leave the argument out of static_argnames "
    "if no shape and no Python branch depends on it."
)
DATA = "Static data are part of an argument's structure: keep them equal, or make them arrays."
LEAF = (
    "JAX compiles a program for each value that is not an array: pass jnp.asarray(value) to trace "
    "it."
)
NO_EQ = "Give the class __eq__ and __hash__, or make it a @dataclass(frozen=True)."
FRESH = "Make it once, outside the calls, and pass the same one each time."
NAN = "Pass the same object in every call, such as math.nan, or leave it out of static_argnames."
HASH = "Do not change an object after it is hashed: make a new one, or hash what stays the same."
HASHES = "Make __hash__ agree with __eq__: hash what __eq__ compares."
KEY = "Pass one kind of random key in every call, such as jax.random.key(seed)."
SETTING = "Call it under the same setting each time: set it once, before the first call."
PLACED = "Place the array the same way in every call: jax.device_put in all of them, or in none."

# torch.compile
SIZE = "Later sizes reuse this program; with dynamic=True, even the first one accepts any size."
SMALL = "PyTorch treats 0 and 1 as special cases: pad to two or more, or accept the program."
FIXED_SIZE = "Pad the tensors to one shape, or to a few; remove dynamic=False if you pass it."
TENSOR_DTYPE = "Convert to one dtype before the call, with x.to(...)."
GRADIENT = "Pass tensors with the same requires_grad: x.detach() requires no gradient."
ONE_TYPE = "Pass one type in every call: 2.0 rather than 2, or always a tensor."
RANGE = "Keep sizes and numbers within what the other program needs, or accept a new program."
TRAINING = "Call train() and eval() where the phase changes, not around single calls."
STRIDES = "Pass x.contiguous(), so that the strides follow from the shape."
DEVICE = "Move the tensors to one device before the call, with x.to(...)."
ALIAS = "Pass a copy, y.clone(), where two arguments were one tensor."
NUMBER = "Later numbers reuse this program; with dynamic=True, even the first one accepts any."
VALUE = (
    "PyTorch compiles a program for each value: pass only a few, or pass a tensor and choose with "
    "torch.where."
)
GLOBAL = "Pass the value as an argument, as a tensor if it varies, and leave the global alone."
MADE_ONCE = "Make it once, outside the calls, and pass the same one each time."
BREAK = "Remove the graph break: explain marks its line and says what to do."
LIMIT = (
    "Remove the cause that is named beside it, or raise the limit in torch._dynamo.config before "
    "the first call."
)
STANCE = "Remove torch.compiler.set_stance, or set the stance 'default'."
OPTIONS = "Compile the function once, with one backend and its options, and keep the result."
LEFT = "Call explain with these arguments: it says what PyTorch could not compile."
