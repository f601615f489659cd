"""Random numbers: keys against generators, what is drawn again, and samples from given noise."""
