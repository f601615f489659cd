"""A model of a draft in Equinox."""

import inspect
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import equinox as eqx
import jax
import torch

from jaxvstorch._port.draft.styles.models import Model, as_wide


class EquinoxModel(Model):
    """A model of a draft in Equinox, with its state."""

    def __init__(
        self, draft: ModuleType, module: torch.nn.Module, args: Any, kwargs: Mapping[str, Any]
    ) -> None:
        super().__init__(draft, module)
        cls = getattr(draft, type(module).__name__)
        self.stateful = hasattr(draft, "state_from_torch")
        make = eqx.nn.make_with_state(cls) if self.stateful else cls
        made = make(*args, **kwargs, key=jax.random.key(0))
        self.model, self.state = made if self.stateful else (made, None)
        self.model = eqx.nn.inference_mode(self.model, not module.training)

    def loaded(self, values: Mapping[str, Any], dtype: Any) -> Model:
        model, state = self.draft.from_torch(as_wide(self.model, dtype), values), self.state
        if self.stateful:
            state = self.draft.state_from_torch(model, as_wide(state, dtype), values)
        return self.replaced(model, state)

    def called(self, *args: Any, **kwargs: Any) -> Any:
        takes = inspect.signature(type(self.model).__call__).parameters
        if "key" in takes:
            kwargs["key"] = jax.random.key(0)
        if "state" not in takes:
            return self.model(*args, **kwargs)
        result, _ = self.model(*args, **kwargs, state=self.state)
        return result

    def weights(self) -> Any:
        weights = getattr(self.draft, "weights", None)
        return weights(self.model) if weights else eqx.filter(self.model, eqx.is_inexact_array)
