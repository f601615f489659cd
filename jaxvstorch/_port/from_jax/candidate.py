"""One way to do a call of the reader's in PyTorch."""

import ast
from typing import Any, NamedTuple

import torch

from jaxvstorch._port.from_jax.fitting import Fitted
from jaxvstorch._port.from_jax.layers import carried, carrying


class Candidate(NamedTuple):
    """An expression or a statement of PyTorch, and a layer's weights."""

    fitted: Fitted
    terms: str = ""
    state: dict[str, Any] | None = None
    training: bool = False
    statement: str | None = None  # instead of the expression, and as a reader sees it
    shown: str | None = None
    nests: bool = True

    def run(self) -> Any:
        """Its value."""
        if self.statement is not None:
            return self._run_statement()
        if self.state is None:
            return self.fitted.run()
        made = Fitted(carrying(self.fitted.tree), self.fitted.arguments)
        return made.run(carried=lambda module: carried(module, self.state or {}, self.training))

    def _run_statement(self) -> Any:
        values = {name: argument.value for name, argument in self.fitted.arguments.items()}
        values["_x"] = values["_x"].clone()
        exec(compile(self.statement or "", "<port>", "exec"), {"torch": torch}, values)
        return values["_x"]

    @property
    def text(self) -> str:
        """As a reader sees it."""
        return self.shown or str(self.fitted)

    @property
    def nested(self) -> ast.expr | None:
        """As part of a call around it; None where that names the layer."""
        return self.fitted.shown if self.nests else None
