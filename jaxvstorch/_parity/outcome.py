"""What a function returns for some inputs, as NumPy arrays: its outputs and their gradients."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from jaxvstorch import _frameworks
from jaxvstorch._frameworks.containers import arrays_in, leaves, with_arrays_mapped
from jaxvstorch._parity.comparison import TOLERANCE
from jaxvstorch._parity.outputs import Arrays, as_arrays, kind_of, places, require_differentiable

Function = Callable[..., Any]
Arguments = tuple[Any, ...]

_WIDE = tuple(np.dtype(name) for name in ("float64", "int64", "uint64", "complex128"))


@dataclass(frozen=True)
class Outcome:
    """What one function returned.

    Attributes:
        outputs: the arrays it returned.
        gradients: of the sum of the outputs times ``weights(outputs)``; empty where not asked for.
        places: where each output stood in the containers that it returned.
    """

    outputs: Arrays
    gradients: Arrays = ()
    places: tuple[str, ...] = ()

    @property
    def arrays(self) -> Arrays:
        """The outputs, then the gradients."""
        return self.outputs + self.gradients


def convert_arrays(framework: str, inputs: Arguments) -> Arguments:
    """Turn NumPy arrays among the inputs into the framework's; leave everything else."""
    convert = _frameworks.adapter(framework).from_numpy
    return tuple(with_arrays_mapped(convert, value) for value in inputs)


def widen(inputs: Arguments) -> Arguments:
    """Widen floating-point arrays to float64; leave everything else."""
    return tuple(with_arrays_mapped(_wide, value) for value in inputs)


def _wide(value: Any) -> Any:
    return value.astype(np.float64) if getattr(value, "dtype", None) in TOLERANCE else value


def run(
    framework: str,
    function: Function,
    inputs: Arguments,
    gradient: Sequence[int] = (),
    convert: Callable[[str, Arguments], Arguments] = convert_arrays,
) -> Outcome:
    """Outputs and gradients of one half. Each call gets its own arguments, which it may change.

    Raises:
        TypeError: ``function`` returns something other than arrays, or nothing differentiable
            where a gradient is asked for; or the inputs cannot be copied.
    """
    adapter = _frameworks.adapter(framework)
    arguments = partial(_own_arguments, framework, inputs, convert)
    title = _frameworks.TITLES[framework]
    why = f" for its gradient, which only {title}'s own operations carry" if gradient else ""

    def outputs_of(value: Any) -> Arrays:
        return as_arrays(f"{framework}_function", value, adapter.to_numpy)

    def factors(value: Any) -> Arrays:
        outputs = outputs_of(value)
        require_differentiable(framework, outputs)
        return weights(outputs)

    with _precision(framework, inputs):
        if not gradient:
            own = arguments()
            with _explained(framework, inputs):
                value = function(*own)
            return Outcome(outputs_of(value), places=places(value))
        with _explained(framework, inputs, why):
            value, found = adapter.value_and_gradients(function, arguments, gradient, factors)
        gradients = tuple(leaves(adapter.to_numpy(list(found))))
        return Outcome(outputs_of(value), gradients, places(value))


def observe(
    framework: str,
    function: Function,
    inputs: Arguments,
    convert: Callable[[str, Arguments], Arguments],
) -> set[str]:
    """What the framework's ``observed`` says of one call."""
    with _precision(framework, inputs):
        arguments = _own_arguments(framework, inputs, convert)
        observed: set[str] = _frameworks.adapter(framework).observed(function, arguments)
        return observed


def _own_arguments(
    framework: str, inputs: Arguments, convert: Callable[[str, Arguments], Arguments]
) -> Arguments:
    """One call's arguments, which it may change."""
    arguments = convert(framework, _copied(inputs))
    if not isinstance(arguments, tuple | list):
        raise TypeError(f"convert must return a tuple of arguments, not {kind_of(arguments)}")
    return tuple(arguments)


def _copied(inputs: Arguments) -> Arguments:
    try:
        return copy.deepcopy(inputs)
    except RecursionError as error:
        raise TypeError(
            "an input is nested too deeply to be copied, and each call gets a copy, which it may "
            "change: let the functions create it"
        ) from error
    except Exception as error:
        raise TypeError(
            f"inputs cannot be copied, and each call gets a copy, which it may change: {error}. "
            "Let the functions create or read what cannot be copied"
        ) from error


@contextmanager
def _explained(framework: str, inputs: Arguments, why: str = "") -> Iterator[None]:
    """Add to a function's error the arguments that it was called with: it may work with others."""
    try:
        yield
    except Exception as error:
        dtypes = [str(array.dtype) for value in inputs for array in arrays_in(value)]
        held = f" with arrays of {', '.join(dtypes)}" if dtypes else ""
        error.add_note(f"check_parity called {framework}_function{held}{why}.")
        if "float64" in dtypes:
            error.add_note(
                "check_parity computes a float64 answer from the same inputs in float64: a "
                "function must follow the dtype of its inputs. Pass an nn.Module itself, not a "
                "function that calls it, so that its weights can be widened too. With "
                "reference=... and no gradient there is no such call."
            )
        raise


def _precision(framework: str, inputs: Arguments) -> AbstractContextManager[None]:
    """Turn 64-bit types on only if the inputs have them: they change the arrays that JAX makes."""
    wide = _frameworks.adapter(framework).double_precision
    return wide() if is_wide(inputs) else nullcontext()


def is_wide(inputs: Arguments) -> bool:
    """Whether an input has a 64-bit type, which JAX has only if it is turned on."""
    return any(array.dtype in _WIDE for value in inputs for array in arrays_in(value))


def call_reference(reference: Function, inputs: Arguments) -> Outcome:
    """What the NumPy function returns. It gets copies, so that it may change them."""
    value = reference(*_copied(inputs))
    return Outcome(as_arrays("reference", value, lambda value: value), places=places(value))


def weights(outputs: Arrays) -> Arrays:
    """Fixed weights that bfloat16 holds exactly, so that every dtype has the same gradient."""
    rng = np.random.default_rng(0)
    return tuple(np.asarray(rng.integers(1, 8, output.shape) / 4) for output in outputs)
