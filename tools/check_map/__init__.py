"""Runs each line of the map beside PyTorch, and says where the two agree."""
