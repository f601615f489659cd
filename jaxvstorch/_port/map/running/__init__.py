"""A line of the map, run on the arguments of a PyTorch call: what the check and ``port`` share."""
