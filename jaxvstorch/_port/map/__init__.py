"""The map of names: what each name of PyTorch is in JAX, one line a name, checked by running.

``rows/*.txt`` hold the lines, ``row`` says how one is written, ``paste`` has the functions that
take more than a line, and ``verdicts.json`` what ``tools/check_map`` found when it ran each line
beside PyTorch.
"""
