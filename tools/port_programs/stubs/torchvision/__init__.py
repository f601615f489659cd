"""As much of torchvision as the programs ask for: a few images of noise, and no files."""
