"""The example of a recurrent language model, on two sentences said again and again."""

from pathlib import Path

from driving import run

text = "the quick brown fox jumps over the lazy dog\nhow now brown cow\n" * 20
Path("text").mkdir(exist_ok=True)
for part in ("train", "valid", "test"):
    Path("text", f"{part}.txt").write_text(text, encoding="utf-8")
sizes = ("--emsize", "8", "--nhid", "8", "--bptt", "6", "--batch_size", "4", "--epochs", "1")
run("word_language_model/main.py", "--data", "text", *sizes)
