"""What a test says of a function; ``compiles`` and ``same_function`` are fixtures of pytest too.

pytest loads the fixtures automatically where jaxvstorch is installed; in other tests, use the two
directly. Each raises ``AssertionError`` with what the instruments saw.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jaxvstorch import Arguments, Explanation, Ledger, Parity


class Compiles:
    """What ``jax.jit`` or ``torch.compile`` makes of a function in a test.

    If neither the function nor its arguments show which framework it uses, pass
    ``framework="jax"`` or ``"torch"``, as for ``explain``.
    """

    def to_one_program(
        self, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> "Explanation":
        """Assert that a call compiles to one program, and that Python runs nothing in between.

        Returns:
            The explanation.

        Raises:
            AssertionError: it compiles to none or several; the message shows the function line by
                line.
        """
        __tracebackhide__ = True
        explanation = self.without_breaks(function, *args, **kwargs)
        number = len(explanation.programs)
        if number != 1:
            made = f"{number} programs, not to one" if number else "no program"
            raise AssertionError(f"{explanation.function} compiles to {made}\n\n{explanation}")
        return explanation

    def without_breaks(
        self, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> "Explanation":
        """Assert that a call compiles, and that no graph breaks.

        Returns:
            The explanation.

        Raises:
            AssertionError: a graph breaks, or compiling fails; the message shows the function line
                by line.
        """
        __tracebackhide__ = True
        explanation = _explained(function, args, kwargs)
        found = [*explanation.found("failed"), *explanation.found("break")]
        if found:
            where = "; ".join(f"line {each.line}: {each.what.rstrip('.')}" for each in found)
            how = "does not compile" if found[0].kind == "failed" else "breaks"
            raise AssertionError(f"{explanation.function} {how}: {where}\n\n{explanation}")
        return explanation

    def once(
        self,
        function: Callable[..., Any],
        calls: "Iterable[tuple[Any, ...] | Arguments]",
        framework: str | None = None,
    ) -> "Ledger":
        """Assert that after the first of several calls nothing is traced again.

        Args:
            function: compiled or plain, as for ``ledger``.
            calls: two or more; as for ``ledger``, such as ``[(x, 2), call(x, n=3)]``.
            framework: as for ``ledger``.

        Returns:
            The ledger.

        Raises:
            AssertionError: a later call traces again or runs uncompiled, or a call fails; the
                message shows all calls.
            ValueError: there are fewer than two calls.
        """
        __tracebackhide__ = True
        from jaxvstorch import ledger

        calls = list(calls)
        if len(calls) < 2:
            raise ValueError(f"once compares calls: pass two or more, not {len(calls)}")
        recorded = ledger(function, calls, framework)
        wrong = [
            f"call {number} ({call.arguments}) {'failed' if call.error else 'traced again'}: "
            f"{call.why or 'no reason was reported'}"
            for number, call in enumerate(recorded.calls, start=1)
            if call.error or (number > 1 and call.retraced)
        ]
        if wrong:
            raise AssertionError(f"{recorded.function}: {'; '.join(wrong)}\n\n{recorded}")
        return recorded


def same_function(
    jax_function: Callable[..., Any],
    torch_function: Callable[..., Any],
    inputs: tuple[Any, ...],
    **options: Any,
) -> "Parity":
    """Assert that a JAX function and a PyTorch function are the same.

    Args:
        jax_function: as for ``check_parity``, like the rest.
        torch_function: as for ``check_parity``.
        inputs: NumPy arrays and Python values, for both.
        **options: of ``check_parity``, such as ``gradient=(0,)``.

    Returns:
        All comparisons.

    Raises:
        AssertionError: they are not; the message shows the comparisons.
    """
    __tracebackhide__ = True
    from jaxvstorch import check_parity

    parity = check_parity(jax_function, torch_function, inputs, **options)
    if not parity.same:
        raise AssertionError(f"the two are not the same function\n\n{parity}")
    return parity


def _explained(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> "Explanation":
    from jaxvstorch import explain
    from jaxvstorch._explain.framework_of import BOTH

    if kwargs.get("framework") == BOTH:
        raise ValueError("pass one framework, 'jax' or 'torch'; to test both, call this twice")
    explanation: Explanation = explain(function, *args, **kwargs)
    return explanation
