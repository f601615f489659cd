"""What the scripts of both frameworks share."""

RATE, WEIGHT_DECAY = 1e-3, 1e-2  # of AdamW
STEPS = 300  # of a training run
BATCH = 64
# Two loss curves in float32 are the same if no loss differs by more than this.
TOLERANCE = 1e-4
