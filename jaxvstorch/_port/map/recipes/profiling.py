"""Profile a program.

``jax.profiler.trace`` writes a folder that XProf, TensorBoard and Perfetto read. Name a region by
``jax.named_scope`` inside compiled code, and by ``jax.profiler.TraceAnnotation`` outside. Wait for
the result inside what is recorded.
"""

PAGE = "timing"
NAMES = (
    "torch.profiler.profile",
    "torch.profiler.record_function",
    "torch.profiler.schedule",
    "torch.profiler.tensorboard_trace_handler",
    "torch.profiler.ProfilerActivity",
    "torch.profiler.ProfilerActivity.CPU",
    "torch.profiler.ProfilerActivity.CUDA",
    "torch.autograd.profiler.profile",
    "torch.autograd.profiler.record_function",
    "torch.cuda.nvtx.range_push",
    "jax.profiler.trace",
    "jax.profiler.TraceAnnotation",
    "jax.named_scope",
)


def with_torch():
    import os
    import tempfile

    import torch
    from torch.profiler import ProfilerActivity, profile, record_function

    x = torch.ones(100, 100)
    with tempfile.TemporaryDirectory() as folder:
        with profile(activities=[ProfilerActivity.CPU]) as profiler, record_function("product"):
            x @ x
        profiler.export_chrome_trace(f"{folder}/trace.json")
        files = len(os.listdir(folder))
    return "product" in {event.key for event in profiler.key_averages()}, files


def with_jax():
    import os
    import tempfile

    import jax
    import jax.numpy as jnp

    product = jax.jit(jax.named_scope("product")(lambda x: x @ x))
    x = jnp.ones((100, 100))
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder), jax.profiler.TraceAnnotation("step"):
            product(x).block_until_ready()
        files = len(os.listdir(folder))
    return "product" in product.lower(x).as_text(debug_info=True), files
