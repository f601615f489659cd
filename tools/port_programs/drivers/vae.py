"""The variational autoencoder's example, two batches of noise long."""

from driving import run

run("vae/main.py", "--epochs", "1", "--batch-size", "8")
