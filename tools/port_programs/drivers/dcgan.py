"""The example of a generative adversarial network, two batches of noise long."""

from driving import run

sizes = ("--batchSize", "8", "--nz", "6", "--ngf", "4", "--ndf", "4", "--workers", "0")
run("dcgan/main.py", "--dataset", "fake", *sizes, "--niter", "1", "--manualSeed", "1")
