"""REINFORCE, in a world of noise whose episodes last eight steps."""

from driving import run

run("reinforcement_learning/reinforce.py", "--log-interval", "1")
