"""Environment variables that keep a framework from working: found by asking it without them."""

from collections.abc import Mapping
from dataclasses import replace

from jaxvstorch._doctor.devices import Answer, Environ, ask_each

# How the variables begin that a framework reads; Python's own and the system's are not among them.
_READ = {
    "jax": ("JAX_", "XLA_", "TF_", "TPU_", "LIBTPU_", "CUDA_", "NPROC"),
    "torch": ("TORCH", "PYTORCH_", "TRITON_", "OMP_", "MKL_", "KMP_", "GOMP_", "CUDA_"),
}


def blame(answers: Mapping[str, Answer], environ: Environ) -> dict[str, Answer]:
    """The answers; each that failed, with the variables without which it works."""
    return {
        name: replace(answer, variables=_guilty(name, environ)) if answer.failure else answer
        for name, answer in answers.items()
    }


def _guilty(framework: str, environ: Environ) -> Environ:
    """The variables that each alone make a framework fail; or all, where they do so together."""
    suspects = {name: environ[name] for name in environ if name.startswith(_READ[framework])}
    rest = {name: value for name, value in environ.items() if name not in suspects}
    if not suspects or ask_each([(framework, rest)])[0].failure:
        return {}
    alone = ask_each([(framework, {**rest, name: suspects[name]}) for name in suspects])
    found = [name for name, answer in zip(suspects, alone, strict=True) if answer.failure]
    return {name: suspects[name] for name in found or suspects}
