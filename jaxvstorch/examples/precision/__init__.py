"""Mixed precision: the dtypes in which a step keeps, computes and adds up its numbers.

``network_loss`` computes in the dtype that it is given; ``mixed_loss`` keeps its weights in float32
and computes in bfloat16; ``layer_norm_mixed`` and ``dot_accumulated`` accept bfloat16 and compute
in float32 inside. ``scaled_gradient`` and ``guarded_step`` are what float16 needs.
``sum_in_order``, ``sum_compensated`` and ``stochastic_round`` are about what rounding drops.
"""
