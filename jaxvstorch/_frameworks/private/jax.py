"""Every name of JAX that this package uses and that JAX does not promise to keep.

``private.profile_version`` looks a name up when it is used. Each entry says what happens if a
version lacks the name. ``proven`` lists the versions that have them all.
"""

from typing import Any

from jaxvstorch._frameworks import private
from jaxvstorch._frameworks.private import Name

_NO_SETTINGS = "a ledger does not tell which setting of JAX made a call trace again"
_NO_SITES = "operations that JAX makes of earlier ones have the lines of those alone"
_OUR_LINES = "where JAX's messages name the line of an operation, they name one of this package"
_NO_REPR = "a ledger calls a call failed if a static value's own __repr__ raises"
_AS_IT_IS = "a jitted function is traced as it is, and JAX remembers that trace"

NAMES = {
    "profile_version": Name("jax._src.config:jax_xla_profile_version"),
    "trace_context_names": Name("jax._src.config:trace_context_names", _NO_SETTINGS),
    "trace_context": Name("jax._src.config:trace_context", _NO_SETTINGS),
    "diff_tracing_cache_keys": Name(
        "jax._src.interpreters.partial_eval:diff_tracing_cache_keys", _NO_REPR
    ),
    "exclude_file": Name("jax._src.source_info_util:register_exclusion", _OUR_LINES),
    "source_info": Name("jax._src.source_info_util:current", _NO_SITES),
    "source_info_context": Name("jax._src.source_info_util:_source_info_context", _NO_SITES),
}

# The logger that jax.explain_cache_misses writes to; if its name changes, a ledger says less.
CACHE_MISSES = "jax._src.interpreters.partial_eval"
# Attributes of the objects that JAX hands out.
JIT_INFO = "_jit_info"
# What flax's nnx.jit and equinox's filter_jit return keeps what jax.jit returned.
FLAX_JITTED = "jitted_fn"
EQUINOX_JITTED = "_cached"
ATTRIBUTES = (
    Name("jax._src.core:JaxprEqn.source_info"),
    Name("jax._src.source_info_util:SourceInfo.traceback"),
    Name("jax._src.lib:xla_client.Traceback.raw_frames"),
    Name("jax._src.pjit:PjitInfo.static_argnums", _AS_IT_IS),
    Name("jax._src.pjit:PjitInfo.static_argnames", _AS_IT_IS),
    Name("jax._src.pjit:PjitInfo.donate_argnums", _AS_IT_IS),
    Name("jax._src.pjit:PjitInfo.donate_argnames", _AS_IT_IS),
    Name("jax._src.pjit:PjitInfo.keep_unused", _AS_IT_IS),
    Name("jax._src.pjit:PjitInfo.inline", _AS_IT_IS),
    Name("jax._src.pjit:PjitInfo.compiler_options_kvs", _AS_IT_IS),
    Name("jax._src.pjit:PjitInfo.user_specified_in_shardings", _AS_IT_IS),
    Name("jax._src.pjit:PjitInfo.out_shardings_leaves", _AS_IT_IS),
    Name("jax._src.pjit:PjitInfo.use_resource_env", _AS_IT_IS),
)


def __getattr__(name: str) -> Any:
    return private.taken(NAMES, name)


def assign(name: str, value: Any) -> None:
    """Give another value to a name that is a variable of its module."""
    private.assign(NAMES, name, value)


def gone() -> dict[str, str]:
    """The names that this version of JAX lacks, each with what happens without it."""
    return private.gone({**NAMES, **{name.path: name for name in ATTRIBUTES}})
