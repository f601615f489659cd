"""Makes an installed library's model with the settings that are asked for, and inputs for it."""

import inspect
import re
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import torch

TINY = "tiny"
_WIDTH, _VOCABULARY, _LENGTH, _IMAGE = 32, 64, 8, 32

# The names of sizes, and what each is at most in a tiny model. The first that fits counts.
_SIZES = (
    (r".*(vocab_size|vocabulary)", _VOCABULARY),
    (r"(.*_)?n?(heads?|heads?_kv)", 2),
    (r"(.*_)?(layers?|blocks|depths?|dec_?layers)", 2),
    (r"(.*_)?(head_dim|d_kv|head_size)", _WIDTH // 2),
    (r".*(intermediate_size|ffn_dim|mlp_dim|d_ff|n_inner|ffn_hidden_size)", 2 * _WIDTH),
    (r"(.*_)?(hidden_size|embed_dim|embedding_size|d_model|n_embd|width|hidden_dim|dim)", _WIDTH),
    (r".*position(s|_embeddings)", 4 * _LENGTH),
    (r"(.*_)?(image_size|img_size)", _IMAGE),
    (r"(.*_)?patch_size", 8),
    (r".*experts", 4),
    (r"state_size|d_state|num_mel_bins", 8),
)
# The same of lists with a number for each stage: the first number, and what the next is times it.
_STAGES = (
    (r"(.*_)?(depths?|layers?|blocks)", 1, 1),
    (r"(.*_)?n?heads?", 2, 1),
    (r"(.*_)?(hidden_sizes|embed_dims?|dims?|channels|widths?)", 8, 2),
)


@dataclass
class Made:
    """What makes a model, and what it is called with.

    Attributes:
        build: makes the model.
        settings: that it is made with, where they are not its defaults.
        of: the name of what takes the settings.
        config: the library's own object with all settings, if it has one.
    """

    build: Callable[[], torch.nn.Module]
    settings: dict[str, Any]
    of: str
    config: Any = None


Asked = str | Mapping[str, Any] | tuple[str, Any]


def made(model: Any, asked: Sequence[Asked]) -> Made:
    """What makes a model with settings.

    Args:
        model: a class of modules, or a function that makes one.
        asked: ``"tiny"``; a file's settings, of which some can be unknown; or one setting, its
            name and value. Later ones count more.

    Raises:
        ValueError: there is no such setting, or what has these settings cannot be made.
    """
    config = _config_class(model)
    maker = model if config is None else config
    defaults = _defaults(maker)
    settings: dict[str, Any] = {}
    for part in asked:
        if isinstance(part, tuple):
            if config is not None and not _has_setting(config, part[0], defaults):
                raise ValueError(_no_setting(config.__name__, part[0], defaults))
            part = dict([part])
        settings |= tiny(defaults | settings) if isinstance(part, str) else part
    if config is None:
        _require_settings(model, settings)
        return Made(lambda: _module(model, settings), settings, model.__name__)
    known = getattr(config, "from_dict", lambda values: config(**values))
    with_settings = _called(f"{config.__name__} with these settings", lambda: known(settings))
    settings |= without_cache(with_settings)
    return Made(
        lambda: _module(model, {"config": with_settings}), settings, config.__name__, with_settings
    )


def tiny(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are sizes and too large for a tiny model, with smaller values."""
    new: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            if all(isinstance(key, str) for key in value) and (smaller := tiny(value)):
                new[name] = dict(value) | smaller
        elif isinstance(value, int) and not isinstance(value, bool):
            limit = next((n for text, n in _SIZES if re.fullmatch(text, name)), value)
            if value > limit:
                new[name] = limit
        elif isinstance(value, list | tuple) and value and all(type(v) is int for v in value):
            for text, first, times in _STAGES:
                if re.fullmatch(text, name):
                    new[name] = [first * times**stage for stage in range(len(value))]
                    break
            else:
                most = next((n for text, n in _SIZES if re.fullmatch(text, name)), None)
                if most is not None and max(value) > most:
                    new[name] = [min(v, most) for v in value]
    heads, groups = (settings.get(n) for n in ("num_attention_heads", "num_key_value_heads"))
    if isinstance(heads, int) and isinstance(groups, int) and groups < heads:
        new["num_key_value_heads"] = 1
    words = {**settings, **new}.get("vocab_size")
    for name, value in settings.items():
        if name.endswith("_token_id") and isinstance(value, int) and words and value >= words:
            new[name] = value % words
    return new


def without_cache(config: Any) -> dict[str, Any]:
    """Turn off the cache of keys and values, which is no part of a model; what was changed."""
    if getattr(config, "use_cache", None) is not True:
        return {}
    config.use_cache = False
    return {"use_cache": False}


def inputs(model: torch.nn.Module, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs of the kinds that a model says it takes, drawn with a seed, by name.

    Raises:
        ValueError: it does not say what it takes.
    """
    config = getattr(model, "config", None)
    found = dict(_inputs(model, config, settings))
    if not found:
        raise ValueError(
            f"{type(model).__name__} does not say what it takes: give it, such as "
            "--arg 'f32[2,3,64,64]'"
        )
    return found


def _inputs(
    model: torch.nn.Module, config: Any, settings: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    random = torch.Generator().manual_seed(0)
    main = getattr(model, "main_input_name", None)
    known = getattr(model, "default_cfg", None)
    takes = inspect.signature(model.forward).parameters

    def setting(*names: str) -> Any:
        values = (getattr(config, name, None) for name in names)
        return next((value for value in values if value is not None), None)

    def words() -> Any:
        high = setting("vocab_size") or getattr(setting("text_config"), "vocab_size", _VOCABULARY)
        return torch.randint(0, high, (2, _LENGTH), generator=random)

    def image(of: Any) -> Any:
        size = getattr(of, "image_size", None) or _IMAGE
        sizes = (size, size) if isinstance(size, int) else tuple(size)
        shape = (2, getattr(of, "num_channels", None) or 3, *sizes)
        return torch.randn(shape, generator=random)

    if main == "input_ids":
        yield main, words()
    elif main == "pixel_values":
        yield main, image(config)
    elif main == "input_values":
        yield main, torch.randn((2, 2000), generator=random)
    elif main == "input_features" and setting("max_source_positions", "num_mel_bins"):
        frames = 2 * setting("max_source_positions")
        yield main, torch.randn((2, setting("num_mel_bins"), frames), generator=random)
    elif isinstance(known, Mapping) and "input_size" in known:
        channels, *sizes = known["input_size"]
        size = settings.get("img_size", sizes)
        sizes = [size, size] if isinstance(size, int) else list(size)
        yield next(iter(takes)), torch.randn((2, channels, *sizes), generator=random)
    if main == "input_ids" and "pixel_values" in takes and setting("vision_config"):
        yield "pixel_values", image(setting("vision_config"))
    if setting("is_encoder_decoder") and "decoder_input_ids" in takes:
        yield "decoder_input_ids", words()


def _config_class(model: Any) -> Any:
    """The class of the settings that a class of modules takes as ``config``; None without."""
    if not inspect.isclass(model):
        return None
    known = getattr(model, "config_class", None)
    if known is None and "config" in inspect.signature(model).parameters:
        known = typing.get_type_hints(model.__init__).get("config")
    return known if inspect.isclass(known) else None


def _defaults(maker: Any) -> dict[str, Any]:
    """The settings of a maker, by name, with their defaults."""
    written = getattr(maker, "to_dict", None)
    if written is not None:
        values: dict[str, Any] = _called(maker.__name__, lambda: maker().to_dict())
        return values
    parameters = inspect.signature(maker).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def _has_setting(config: Any, name: str, defaults: Mapping[str, Any]) -> bool:
    """Whether settings have one of a name, also by another name, as ``attribute_map`` gives."""
    known = {
        *defaults,
        *inspect.signature(config).parameters,
        *getattr(config, "attribute_map", ()),
    }
    return name in known or hasattr(config, name)


def _require_settings(maker: Any, settings: Mapping[str, Any]) -> None:
    parameters = inspect.signature(maker).parameters
    others = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name in settings:
        if name not in parameters and not others:
            raise ValueError(_no_setting(maker.__name__, name, parameters))
    missing = [
        p.name for p in parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
        and p.name not in settings
    ]  # fmt: skip
    if missing:
        raise ValueError(
            f"{maker.__name__} needs {' and '.join(missing)}: give --config {missing[0]}=VALUE"
        )


def _no_setting(owner: str, name: str, known: Mapping[str, Any]) -> str:
    near = get_close_matches(name, list(known), n=3)
    return f"{owner} has no setting {name}." + (f" Did you mean {' or '.join(near)}?" * bool(near))


def _module(maker: Any, settings: Mapping[str, Any]) -> torch.nn.Module:
    module = _called(f"{maker.__name__} with these settings", lambda: maker(**settings))
    if not isinstance(module, torch.nn.Module):
        raise ValueError(
            f"{maker.__name__} gives a {type(module).__name__}, and no torch.nn.Module"
        )
    return module.eval()


def _called(name: str, make: Callable[[], Any]) -> Any:
    try:
        return make()
    except Exception as error:
        why = " ".join(str(error).split())
        raise ValueError(f"{name} cannot be made: {type(error).__name__}: {why}"[:400]) from error
