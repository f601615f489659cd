"""Checkpoints: what a run must save so that another one can resume from it.

The pairs are functions of a checkpoint's arrays: ``mean_of_checkpoints``, ``largest_difference``,
``all_finite``, ``grow_rows``, and the parts of a training step that make a resumed run differ if
their state is lost: ``adamw_step``, ``dropout_gradient``, ``rate_at``.

Beside them, ``files`` writes a file whole or not at all. ``names`` compares what a checkpoint has
with what is expected. ``jax_carry``, ``torch_carry``, ``jax_optax`` and ``torch_adamw`` move
weights and AdamW's state between the frameworks. ``jax_safetensors`` and ``jax_orbax`` save trees,
and ``jax_run`` and ``torch_run`` are runs that resume.
"""
