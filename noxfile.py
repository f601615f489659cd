"""Every task of the project: ``nox -l`` lists them, ``nox -s NAME`` runs one."""

import glob
import shutil
import signal

import nox

nox.needs_version = ">=2025.5"
nox.options.sessions = ["lint", "tests", "book"]
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"

# The versions that CI and the book were last proven with.
PINNED = ("-c", "constraints.txt")


@nox.session
def tests(session: nox.Session) -> None:
    """Run every test and docstring but those of the built book; arguments go to pytest."""
    session.install(*PINNED, "--group", "test", "--group", "bench", "--group", "docs", "-e", ".")
    session.run("pytest", "-n", "auto", "tests", "-m", "not built_book", *session.posargs)
    session.run("pytest", "--doctest-modules", "jaxvstorch")


@nox.session(python="3.13")
def tests_jax_only(session: nox.Session) -> None:
    """Run what needs no PyTorch, on the newest Python with the newest JAX."""
    session.install("jax", "jaxtyping", "ml-dtypes", "numpy", "rich", "typer", "--group", "test")
    session.install("--no-deps", "-e", ".")
    session.run("pytest", "-n", "auto", "tests", "--ignore", "tests/book", *session.posargs)


@nox.session
def book(session: nox.Session) -> None:
    """Build the book and print where it is; ``-- serve`` serves it and opens it."""
    session.install(*PINNED, "--group", "docs", "-e", ".")
    output = "book/_build/html"
    if "serve" in session.posargs:
        session.run("sphinx-autobuild", "-j", "4", "--open-browser", "book", output)
        return
    # Pages wait for kernels of their own, so more jobs than cores are faster.
    session.run("sphinx-build", "-n", "-W", "-T", "--keep-going", "-j", "4", "book", output)
    session.log(f"open {output}/index.html")


@nox.session
def browser(session: nox.Session) -> None:
    """Open the built book in headless Chromium, and run its notebooks; ``nox -s book`` first."""
    groups = ("test", "docs", "browser")
    session.install(*PINNED, *(f"--group={group}" for group in groups), "-e", ".")
    session.run("pytest", "tests/book", "-m", "built_book", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Time both frameworks here; ``-- --quick``, ``--shard 2/5``, ``compare OLD``, ``merge …``."""
    run_benchmarks(session, *session.posargs)


@nox.session
def reproduce(session: nox.Session) -> None:
    """Measure published ratios again, quickly, and write a report; ``-- --against FILE``."""
    run_benchmarks(session, "reproduce", *session.posargs)


def run_benchmarks(session: nox.Session, *arguments: str) -> None:
    """Run them such that Ctrl-C or SIGTERM leaves them the time to keep what they measured."""
    session.install(*PINNED, "--group", "bench", "-e", ".")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    session.run("python", "-m", "benchmarks", *arguments, terminate_timeout=60)


@nox.session
def lint(session: nox.Session) -> None:
    """Check format, style, types, spelling, the project file and the workflows."""
    session.install(*PINNED, "--group", "lint", "--group", "bench", "nox", "-e", ".")
    workflows = sorted(glob.glob(".github/workflows/*.yml"))
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("mypy")
    session.run("codespell")
    session.run("validate-pyproject", "pyproject.toml")
    session.run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)
    session.run("zizmor", "--offline", "--no-progress", *workflows)


@nox.session
def accelerator(session: nox.Session) -> None:
    """Run ``tests`` or ``bench`` on a GPU or a TPU: ``-- cuda13 tests``, ``-- tpu bench``."""
    machines = {
        "cuda13": ("cuda", ["/dev/nvidia[0-9]*"]),
        "tpu": ("tpu", ["/dev/accel[0-9]*", "/dev/vfio/[0-9]*"]),
    }
    work = {
        # One process: what holds a TPU shares it with nobody.
        "tests": ("pytest", "tests", "-m", "not built_book"),
        "bench": ("python", "-m", "benchmarks"),
    }
    flavour, name, *arguments = [*session.posargs, "", ""][: max(2, len(session.posargs))]
    if flavour not in machines or name not in work:
        session.error(f"say on what, and what: -- {'|'.join(machines)} {'|'.join(work)}")
    platform, devices = machines[flavour]
    if not any(glob.glob(pattern) for pattern in devices):
        session.error(f"no {platform} device here: there is no {' or '.join(devices)}")
    groups = ("--group", "test", "--group", "bench", "--group", "docs")
    session.install(*PINNED, *groups, "-e", f".[{flavour}]")
    # Without this variable JAX takes the CPU where its plugin fails.
    session.run("jaxvstorch", "doctor", env={"JAX_PLATFORMS": f"{platform},cpu"})
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    session.run(*work[name], *arguments, terminate_timeout=60)  # as in run_benchmarks


@nox.session
def extras(session: nox.Session) -> None:
    """Resolve each extra without installing it: one environment never gets two CUDA stacks."""
    session.install("uv")
    for extra, wrong in (("cuda12", "-cu13"), ("cuda13", "-cu12"), ("tpu", "jax-cuda")):
        resolved = session.run(
            "uv", "pip", "compile", "--quiet", "--python-platform", "x86_64-manylinux_2_31",
            "--extra", extra, "pyproject.toml", silent=True,
        )  # fmt: skip
        if wrong in str(resolved):
            session.error(f"the extra {extra} brings a package with {wrong} in its name")


@nox.session(venv_backend="none")
def publish_notebooks(session: nox.Session) -> None:
    """Replace the branch ``notebooks`` of a git remote (``-- URL``) by the built notebooks."""
    (remote,) = session.posargs
    with session.chdir("book/_build/html/notebooks"):
        for command in (
            ["init", "--quiet", "--initial-branch", "notebooks"],
            ["add", "--all"],
            ["-c", "user.name=docs", "-c", "user.email=docs@jaxvstorch.invalid",
             "commit", "--quiet", "--message", "Publish the book's notebooks"],
            ["push", "--force", remote, "notebooks"],
        ):  # fmt: skip
            session.run("git", *command, external=True)
    shutil.rmtree("book/_build/html/notebooks/.git")


@nox.session
def build(session: nox.Session) -> None:
    """Build the sdist and the wheel into ``dist/``, emptied first, and check them."""
    session.install(*PINNED, "--group", "release")
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build")
    session.run("twine", "check", "--strict", *glob.glob("dist/*"))


@nox.session(venv_backend="none")
def release_check(session: nox.Session) -> None:
    """Check that a tag (``-- v1.2.3``) is the package's version and is in the changelog."""
    session.run("python", "tools/release.py", "check", *session.posargs)


@nox.session(venv_backend="none")
def release_notes(session: nox.Session) -> None:
    """Print the changelog's part for a version (``-- 1.2.3``)."""
    session.run("python", "tools/release.py", "notes", *session.posargs)


@nox.session(venv_backend="none")
def github_release(session: nox.Session) -> None:
    """Make the GitHub release of a tag (``-- v1.2.3``) out of ``dist/`` and the changelog."""
    (tag,) = session.posargs
    session.run("python", "tools/release.py", "check", tag)
    notes = str(session.run("python", "tools/release.py", "notes", tag, silent=True))
    release = ("gh", "release", "create", tag, "--verify-tag", "--title", tag, "--notes", notes)
    session.run(*release, *sorted(glob.glob("dist/*")), external=True)
