"""Arguments as texts: what they stand for, and what is said of those that cannot be read."""

from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from jaxvstorch import _frameworks
from jaxvstorch._command import BadInputError, dtypes
from jaxvstorch._command.texts import Arguments, Array, parse_arguments, parse_call
from jaxvstorch._command.values import Maker, static_values

F3 = Array("float32", (3,))


def parse_one(text: str):
    (value,) = parse_arguments([text]).args
    return value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("f32[8,128]", Array("float32", (8, 128))),
        ("f32[8, 128]", Array("float32", (8, 128))),
        ("i64[]", Array("int64", ())),
        ("i64[ ]", Array("int64", ())),
        ("bool[3]", Array("bool", (3,))),
        ("bf16[4]", Array("bfloat16", (4,))),
        ("c64[2]", Array("complex64", (2,))),
        ("u8[0,2]", Array("uint8", (0, 2))),
        ("float32[3]", F3),
        ("3", 3),
        ("-1.5", -1.5),
        ("1e-3", 1e-3),
        ("None", None),
        ("True", True),
        ("'relu'", "relu"),
        ('"f32[]"', "f32[]"),
        (r"'it\'s f32[]'", "it's f32[]"),
        ("(f32[3], f32[])", (F3, Array("float32", ()))),
        ("(f32[3],)", (F3,)),
        ("()", ()),
        ("{'w': f32[3], 'b': {0: [1, f32[3]]}}", {"w": F3, "b": {0: [1, F3]}}),
        ("[f32[3], 1]", [F3, 1]),
        ("[1, [2, 3]]", [1, [2, 3]]),
        ("{1, 2}", {1, 2}),
        ("'ü', f32[]"[:3], "ü"),
    ],
)
def test_a_text_is_one_argument(text, value) -> None:
    found = parse_one(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("name", dtypes.SHORT)
def test_every_dtype_has_a_short_name_and_numpys(name) -> None:
    assert parse_one(f"{name}[2]") == parse_one(f"{dtypes.SHORT[name]}[2]")


def test_a_name_before_it_makes_a_keyword() -> None:
    read = parse_arguments(["f32[3]", "axis=-1", "rate = 'a=b'", "2"])
    assert read == Arguments((F3, 2), {"axis": -1, "rate": "a=b"})


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("", Arguments((), {})),
        ("f32[3]", Arguments((F3,), {})),
        ("f32[3], 3,", Arguments((F3, 3), {})),
        ("f32[3],\n axis=(0, 1)", Arguments((F3,), {"axis": (0, 1)})),
        ("'ü', x=f32[]", Arguments(("ü",), {"x": Array("float32", ())})),
    ],
)
def test_a_call_is_a_list_of_arguments(text, read) -> None:
    assert parse_call(text) == read


@pytest.mark.parametrize(
    ("text", "character", "said"),
    [
        ("relu", 1, "relu is a bare word: a string needs quotes"),
        ("(3, relu)", 5, "relu is a bare word"),
        ("('ü', relu)", 7, "relu is a bare word"),
        ("{relu: 1}", 2, "relu is a bare word"),
        ("f32", 1, "f32 needs a shape: f32[8] for a vector, f32[] for a scalar"),
        ("f31[3]", 1, "unknown dtype 'f31'; did you mean f32?"),
        ("(1, f31[])", 5, "unknown dtype 'f31'; did you mean f32?"),
        ("tensor[3]", 1, "unknown dtype 'tensor'; choose from bool, bf16, f16, f32"),
        ("f32[n]", 5, "a shape is made of whole numbers"),
        ("f32[8, -1]", 8, "a shape is made of whole numbers"),
        ("f32[1.5]", 5, "a shape is made of whole numbers"),
        ("f32[True]", 5, "a shape is made of whole numbers"),
        ("f32[2:3]", 5, "a shape is made of whole numbers"),
        ("1 / 3", 1, "expected an array such as f32[8,128], a Python literal"),
        ("print('x')", 1, "expected an array such as f32[8,128], a Python literal"),
        ("-f32[3]", 1, "expected an array such as f32[8,128], a Python literal"),
        ("{f32[3]: 1}", 2, "expected an array such as f32[8,128], a Python literal"),
        ("{[1]: 1}", 2, "a dictionary's key cannot be a list"),
        ("{[1], 2}", 1, "expected an array"),
        ("{**x}", 1, "** is not possible here; write key: value"),
        ("**{'a': 1}", 3, "** is not possible here; write name=value"),
        ("1) + g(2", 1, "a bracket is closed that was not opened"),
        ("1)(2", 1, "a bracket is closed that was not opened"),
    ],
)
def test_what_cannot_be_read_says_where_and_what_was_expected(text, character, said) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_arguments([text])
    assert str(caught.value).startswith(f"--arg {text!r}: at character {character}: {said}")


@pytest.mark.parametrize(
    "text", ["f32[8,", "(1, 2", "3)", "1 2", "'open", "f32[8,128", "=3", "a b"]
)
def test_what_is_no_python_is_an_error_that_says_what_was_expected(text) -> None:
    with pytest.raises(
        BadInputError, match=r"at character .*; expected an array such as"
    ) as caught:
        parse_call(text)
    assert str(caught.value).startswith(f"--call {text!r}: ")


@pytest.mark.parametrize("text", ["", "f32[3], 3", "3, axis=1"])
def test_an_arg_is_one_argument(text) -> None:
    with pytest.raises(BadInputError, match="is not one argument: give each its own --arg"):
        parse_arguments([text])


def test_a_keyword_cannot_be_given_twice() -> None:
    with pytest.raises(BadInputError, match="axis is given twice"):
        parse_arguments(["axis=1", "axis=2"])
    with pytest.raises(BadInputError, match=r"at character 9: axis is given twice"):
        parse_call("axis=1, axis=2")


@pytest.mark.parametrize("name", dtypes.SHORT)
def test_arrays_have_their_dtype_and_shape_and_are_not_all_alike(name) -> None:
    (array, scalar), _ = make(f"{name}[50,2]", f"{name}[]")
    dtype = ml_dtypes.bfloat16 if name == "bf16" else np.dtype(dtypes.SHORT[name])
    assert (array.dtype, array.shape) == (dtype, (50, 2))
    assert (scalar.dtype, scalar.shape) == (dtype, ())
    different = len(np.unique(array))
    # Of 100 all digits and both booleans come up; floats are hardly ever alike, even short ones.
    if name == "bool" or name.startswith(("i", "u")):
        assert different == (2 if name == "bool" else 10)
    else:
        assert different > 80


def make(*texts: str, seed: int = 0, from_numpy=lambda array: array):
    return Maker(from_numpy, seed).call(parse_arguments(list(texts)))


def test_floats_are_standard_normal_and_integers_are_0_to_9() -> None:
    (floats, complexes, integers), _ = make("f64[9999]", "c128[9999]", "i64[9999]")
    assert abs(floats.mean()) < 0.05
    assert abs(floats.std() - 1) < 0.05
    assert abs(complexes.imag.std() - 1) < 0.05
    assert (integers.min(), integers.max()) == (0, 9)


def test_the_seed_decides() -> None:
    (first, second), _ = make("f32[9]", "f32[9]")
    (again, _), _ = make("f32[9]", "f32[9]")
    (other, _), _ = make("f32[9]", "f32[9]", seed=1)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_arrays_are_made_inside_containers_and_for_keywords() -> None:
    args, kwargs = make("{'w': [f32[3,3], 1], 'b': (f32[3],)}", "x=f32[2]")
    assert args[0]["w"][0].shape == (3, 3)
    assert args[0]["w"][1] == 1
    assert isinstance(args[0]["b"], tuple)
    assert kwargs["x"].shape == (2,)


@pytest.mark.parametrize("name", dtypes.SHORT)
@pytest.mark.parametrize("framework", _frameworks.FRAMEWORKS)
def test_arrays_are_the_frameworks(framework, name) -> None:
    module = pytest.importorskip(framework, reason=f"{framework} is not installed")
    adapter = _frameworks.adapter(framework)
    with adapter.double_precision():
        (array,), _ = make(f"{name}[2,3]", from_numpy=adapter.from_numpy)
    assert isinstance(array, module.Array if framework == "jax" else module.Tensor)
    assert str(array.dtype).removeprefix("torch.") == dtypes.SHORT[name]
    assert tuple(array.shape) == (2, 3)


def test_jax_without_64_bit_types_says_how_to_have_them() -> None:
    pytest.importorskip("jax", reason="JAX is not installed")
    with pytest.raises(BadInputError, match=r"int64\[2\] cannot be made: .*set JAX_ENABLE_X64=1"):
        make("i64[2]", from_numpy=_frameworks.adapter("jax").from_numpy)


@pytest.mark.parametrize("text", ["f32[1000000,1000000,1000000]", "f32[99999999999999999999]"])
def test_an_array_that_is_too_large_is_refused(text) -> None:
    with pytest.raises(BadInputError, match="cannot be made: "):
        make(text)


def relu() -> None:
    """Stands for a function of the explained file."""


MODULE = SimpleNamespace(relu=relu, nn=SimpleNamespace(relu=relu), width=3)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("3", 3),
        ("(1, 2)", (1, 2)),
        ("None", None),
        ("'relu'", "relu"),
        ("relu", relu),
        ("nn.relu", relu),
        ("gelu", "gelu"),
        ("half-even", "half-even"),
        ("width", "width"),
        ("a.b", "a.b"),
    ],
)
def test_a_static_value_is_a_literal_or_a_function_or_a_word(value, found) -> None:
    assert static_values([f"x={value}", "y = 1"], MODULE) == {"x": found, "y": 1}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["relu"], "expected name=VALUE"),
        (["=relu"], "expected name=VALUE"),
        (["a b=1"], "expected name=VALUE"),
        (["x=1", "x=2"], "x is given twice"),
        (["x=f32[3]"], "an array cannot be static"),
        (["x=(1, 2"], "expected a Python literal, a function of the file, or a bare word"),
        (["x="], "expected a Python literal"),
        (["x=nn.rleu"], "nn.rleu has no 'rleu'; quote it if it is a string"),
    ],
)
def test_a_static_value_that_cannot_be_read(texts, said) -> None:
    with pytest.raises(BadInputError) as caught:
        static_values(texts, MODULE)
    assert str(caught.value).startswith(f"--static {texts[-1]!r}: ")
    assert said in str(caught.value)
