"""Every command runs with what the wheel alone brings."""

import json

import pytest

# A new command needs a line here, and each line is run.
COMMANDS = {
    "list": ["list", "list --json"],
    "show": ["show branching.select_where --json", "show branching"],  # and into a file, below
    "try": ["try branching.select_where", "try branching.select_where --compile --json"],
    "explain": [
        "explain jax.nn:relu --arg 'f32[3]' --json",
        "explain jaxvstorch.examples.tracing.torch:print_in_python --arg 'f32[3]' --html out.html",
        "explain jax.nn:gelu --arg 'f32[3]' --stages",
        "explain torch.nn.functional:gelu --call 'f32[3]' --call 'f32[4]'",
    ],
    "error": [
        "error 'Attempted boolean conversion of traced array'",
        "error jax/key-reused --json",
    ],
    "map": ["map", "map torch.gather", "map jnp.take_along_axis --json"],
    "port": [
        "port --static train.py",
        "port --static -m train",
        "port -m torch.nn:Softplus --config beta=2 --arg 'f32[4,3]'",
    ],  # and below
    "diff": [
        "diff torch.nn.functional:relu jax.nn:relu --arg 'f32[8]' --html diff.html",
        "diff torch.nn.functional:relu jax.nn:relu --arg 'f32[8]' --json",
    ],
    "doctor": ["doctor", "doctor --json"],
}
LINES = ["--version", *(line for lines in COMMANDS.values() for line in lines)]


def test_no_command_is_left_out(shell) -> None:
    code = (
        "import typer; from jaxvstorch._command.cli import app; "
        "print(*typer.main.get_command(app).commands)"
    )
    assert shell(f"python -c '{code}'").stdout.split() == list(COMMANDS)


@pytest.mark.parametrize("line", LINES)
def test_a_command_works(shell, line) -> None:
    done = shell(f"jaxvstorch {line}")
    # What doctor finds of the machine is its own; of the packages, a test below.
    assert done.returncode == 0 or line.startswith("doctor"), done.stdout + done.stderr
    assert done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("line", ["--help", *(f"{command} --help" for command in COMMANDS)])
def test_its_help(shell, line) -> None:
    assert "Usage: jaxvstorch" in shell(f"jaxvstorch {line}").stdout


def test_a_style_whose_library_is_not_installed(shell) -> None:
    done = shell("jaxvstorch port train.py --write draft.py --style equinox")
    assert done.returncode == 2
    assert "it needs equinox, which is not installed: pip install equinox" in done.stderr


def test_doctor_finds_every_dependency(shell) -> None:
    checks = json.loads(shell("jaxvstorch doctor --json").stdout)["checks"]
    found = {
        check["name"]: check for check in checks if check["section"] in ("versions", "devices")
    }
    assert {"JAX", "PyTorch", "flax", "optax", "typer"} <= found.keys()
    assert [check for check in found.values() if check["problem"]] == []


def test_the_draft_runs(shell) -> None:
    done = shell("jaxvstorch port train.py --write draft.py --html out.html")
    assert done.returncode == 0, done.stderr
    done = shell("python -W error -c 'import draft'")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_an_example_in_a_file_runs(shell, framework) -> None:
    line = f"jaxvstorch show autodiff.rosenbrock_gradient --framework {framework} --file half.py"
    assert shell(line).returncode == 0
    done = shell("python -W error half.py")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_pytest_would_find_the_fixtures(shell) -> None:
    code = (
        "from importlib.metadata import entry_points as points; "
        "print(*(point.value for point in points(group='pytest11', name='jaxvstorch')))"
    )
    assert shell(f'python -c "{code}"').stdout == "jaxvstorch._pytest\n"
