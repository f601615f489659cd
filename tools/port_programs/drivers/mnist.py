"""The MNIST example, two batches of noise long."""

from driving import run

run("mnist/main.py", "--epochs", "1", "--batch-size", "8", "--test-batch-size", "8")
