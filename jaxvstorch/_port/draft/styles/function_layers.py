"""What a layer of PyTorch becomes in a draft in functions: a call, or an expression."""

import ast
from typing import Any

import torch
from torch import nn

from jaxvstorch._port.draft.layers import own_classes
from jaxvstorch._port.draft.making import layer_text
from jaxvstorch._port.draft.styles import CannotWriteError

_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
_CONVS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
# The settings of layers that can differ from module to module, with their defaults.
DEFAULTS: dict[str, Any] = {
    "stride": 1, "padding": 0, "dilation": 1, "groups": 1, "momentum": 0.9, "eps": 1e-5, "axes": 1,
}  # fmt: skip
_DROPS: dict[type, int] = {nn.Dropout1d: 2, nn.Dropout2d: 2, nn.Dropout3d: 2}

# For flax's layers in a constructor: what makes their weights, whether it takes a key, how many
# arguments by position it has, and the names of its settings; others are for calls.
INITS: dict[str, tuple[str, bool, int, dict[str, str]]] = {
    "nnx.Linear": ("paste.init_linear", True, 2, {"use_bias": "bias"}),
    "nnx.Embed": ("paste.init_embedding", True, 2, {}),
    "paste.PaddedEmbed": ("paste.init_embedding", True, 2, {"padding_idx": "padding_idx"}),
    "nnx.LayerNorm": ("paste.init_norm", False, 1, {"use_scale": "scale", "use_bias": "bias"}),
    "nnx.RMSNorm": ("paste.init_norm", False, 1, {"use_scale": "scale"}),
    "paste.LayerNormOverAxes": ("paste.init_norm", False, 1, {"bias": "bias"}),
    "paste.GroupNorm": ("paste.init_norm", False, 1, {"use_scale": "scale", "use_bias": "bias"}),
    "paste.BatchNorm": ("paste.init_batch_norm", False, 1,
                        {"use_scale": "scale", "use_bias": "bias"}),
    "paste.Conv": ("paste.init_conv", True, 3,
                   {"feature_group_count": "groups", "use_bias": "bias"}),
    "paste.LSTM": ("paste.init_recurrent", True, 2,
                   {n: n for n in ("num_layers", "bias", "bidirectional")}),
    "paste.GRU": ("paste.init_recurrent", True, 2,
                  {n: n for n in ("num_layers", "bias", "bidirectional")}),
}  # fmt: skip


def init_call(call: ast.Call, name: str) -> bool:
    """Turn what makes a layer of flax into what makes its weights; whether that takes a key."""
    made, key, count, settings = INITS[name]
    if name == "paste.LayerNormOverAxes" and len(call.args) > 1:
        raise CannotWriteError("a norm with further settings", ast.unparse(call))
    by_name = {w.arg: w.value for w in call.keywords}
    args = call.args[:count]
    if name == "paste.GroupNorm" and "num_features" in by_name:
        args = [by_name["num_features"]]
    if "Linear" not in name and name in ("paste.LSTM", "paste.GRU"):
        args.insert(0, ast.Constant(4 if name == "paste.LSTM" else 3))
    call.func, call.args = ast.parse(made, mode="eval").body, args
    call.keywords = [
        ast.keyword(settings[w.arg], w.value) for w in call.keywords if w.arg in settings
    ]
    if name == "nnx.RMSNorm":
        call.keywords.append(ast.keyword("bias", ast.Constant(False)))
    return key


def layer_expression(m: nn.Module, params: str, state: str, x: ast.expr) -> ast.expr | None:
    """A layer's result where it is no call of a function; None for other layers."""
    if isinstance(m, nn.Embedding):
        if m.max_norm is not None:
            raise CannotWriteError("an embedding with max_norm")
        if m.padding_idx is not None:
            return None
        return ast.Subscript(_parsed(f"{params}['table']"), x, ast.Load())
    if isinstance(m, nn.Linear) and m.bias is None:
        return ast.BinOp(x, ast.MatMult(), _parsed(f"{params}['w']"))
    return x if isinstance(m, nn.Identity) else None


def layer_call(m: nn.Module, params: str, state: str) -> tuple[str, list[str], dict[str, Any]]:
    """The function of a layer, what it takes before its input, and its settings."""
    if isinstance(m, nn.Linear):
        return "paste.linear", [params], {}
    if isinstance(m, nn.Embedding):
        return "paste.padded_embedding", [params], {"padding_idx": m.padding_idx}
    if isinstance(m, _CONVS):
        if m.padding_mode != "zeros" or type(m) not in _CONVS:
            raise CannotWriteError(f"`{m}`")
        given: dict[str, tuple[Any, Any]]
        given = {n: (getattr(m, n), DEFAULTS[n])
                 for n in ("stride", "padding", "dilation", "groups")}  # fmt: skip
        return "paste.conv_", [params], _unlike_defaults(given)
    if isinstance(m, _NORMS):
        if not m.track_running_stats or m.momentum is None:
            raise CannotWriteError("batch norm without running averages, or with even weights")
        given = {"momentum": (round(1 - m.momentum, 12), 0.9), "eps": (m.eps, 1e-5)}
        return "paste.batch_norm_", [params, state], _unlike_defaults(given)
    if isinstance(m, nn.LayerNorm):
        given = {"axes": (len(m.normalized_shape), 1), "eps": (m.eps, 1e-5)}
        return "paste.layer_norm_", [params], _unlike_defaults(given)
    if isinstance(m, nn.RMSNorm):
        eps = torch.finfo(torch.float32).eps if m.eps is None else m.eps
        return "paste.rms_norm_", [params], {"eps": eps}
    if isinstance(m, nn.GroupNorm):
        given = {"groups": (m.num_groups, None), "eps": (m.eps, 1e-5)}
        return "paste.group_norm_", [params], _unlike_defaults(given)
    if isinstance(m, nn.LSTM | nn.GRU):
        if m.dropout or getattr(m, "proj_size", 0):
            raise CannotWriteError(f"`{m}`")
        given = {n: (getattr(m, n), default) for n, default in
                 (("num_layers", 1), ("batch_first", False), ("bidirectional", False))}  # fmt: skip
        kind = "lstm" if isinstance(m, nn.LSTM) else "gru"
        return f"paste.run_{kind}", [params], _unlike_defaults(given)
    if isinstance(m, nn.Dropout):
        return "paste.dropout", [], {"rate": m.p}
    if type(m) in _DROPS:
        return "paste.dropout", [], {"rate": m.p, "axes": _DROPS[type(m)]}
    if isinstance(m, nn.PReLU):
        return "paste.prelu", [], {"weight": _parsed(f"{params}['weight']")}
    raise CannotWriteError(f"torch.nn.{type(m).__name__}")


def function_of(m: nn.Module) -> ast.expr:
    """A layer without weights as a function of its input."""
    try:
        text = layer_text(m)
    except LookupError:
        raise CannotWriteError(f"torch.nn.{type(m).__name__}") from None
    if "nnx." in text or "rngs" in text or text.split("(")[0].rpartition(".")[2] in own_classes():
        raise CannotWriteError(f"torch.nn.{type(m).__name__}")
    return _parsed(text)


def draws(m: nn.Module) -> bool:
    return isinstance(m, nn.Dropout) or type(m) in _DROPS


def _unlike_defaults(given: dict[str, tuple[Any, Any]]) -> dict[str, Any]:
    plain = {name: (_plain(value), default) for name, (value, default) in given.items()}
    return {name: value for name, (value, default) in plain.items() if value != default}


def _plain(value: Any) -> Any:
    same = isinstance(value, tuple) and len(set(value)) == 1
    return value[0] if same else value


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
