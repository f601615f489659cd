"""Random keys and seeds: keys and generators, repeated draws, and samples from given noise."""
