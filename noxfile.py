"""Every task of the project: ``nox -l`` lists them, ``nox -s NAME`` runs one."""

import shutil

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
    """Time both frameworks on this machine; ``-- --quick``, or ``-- compare OLD.json``."""
    session.install(*PINNED, "--group", "bench", "-e", ".")
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check format, style, types, spelling and the project file."""
    session.install(*PINNED, "--group", "lint", "--group", "bench", "nox", "-e", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("mypy")
    session.run("codespell")
    session.run("validate-pyproject", "pyproject.toml")


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
