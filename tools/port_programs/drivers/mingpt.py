"""minGPT's adder: three steps of training, and a score."""

from driving import run

sizes = ("--data.ndigit=1", "--trainer.max_iters=3", "--trainer.batch_size=8")
run("projects/adder/adder.py", *sizes, "--trainer.num_workers=0", "--system.work_dir=out")
