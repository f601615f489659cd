"""Trees that do not match each other, the axes given for them, or a loop's carry."""

import pytest


@pytest.fixture(params=["jax", "torch", "optree"])
def tree_map(request):
    """Each library's map over several trees."""
    library = pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    if request.param == "torch":
        from torch.utils import _pytree

        return _pytree.tree_map
    return library.tree.map if request.param == "jax" else library.tree_map


def pair(a, b):
    return a, b


@pytest.mark.parametrize(
    "other", [{"a": 1, "c": 2}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, [1, 2]], ids=str
)
def test_another_structure_is_an_error(tree_map, other) -> None:
    with pytest.raises(ValueError, match=r"differ|mismatch|[Ee]xpected"):
        tree_map(pair, {"a": 1, "b": 2}, other)


def test_a_list_is_no_tuple(tree_map) -> None:
    with pytest.raises(ValueError, match=r"different types|mismatch|[Ee]xpected"):
        tree_map(pair, [1, 2], (1, 2))


def test_the_order_of_keys_does_not_matter(tree_map) -> None:
    assert tree_map(pair, {"a": 1, "b": 2}, {"b": 4, "a": 3}) == {"a": (1, 3), "b": (2, 4)}


def test_the_first_tree_says_how_deep_it_goes(tree_map) -> None:
    assert tree_map(pair, {"a": 1}, {"a": [2, 3]}) == {"a": (1, [2, 3])}
    assert tree_map(pair, {"a": 1}, {"a": None}) == {"a": (1, None)}
    with pytest.raises(ValueError, match=r"different types|[Ee]xpected|mismatch"):
        tree_map(pair, {"a": [2, 3]}, {"a": 1})


def test_reducing_a_tree_without_leaves_needs_a_first_value(jax) -> None:
    with pytest.raises(TypeError, match="empty iterable"):
        jax.tree.reduce(lambda a, b: a + b, {})
    assert jax.tree.reduce(lambda a, b: a + b, {}, 0) == 0


def test_axes_must_be_a_prefix(jax, torch) -> None:
    def weight(tree):
        return tree["weight"]

    arrays = {"weight": jax.numpy.ones((2, 3)), "bias": jax.numpy.ones(2)}
    for axes in ({"weight": 0}, {"weight": 0, "bias": [0]}):
        with pytest.raises(ValueError, match="must be a tree prefix"):
            jax.vmap(weight, in_axes=(axes,))(arrays)
    assert jax.vmap(weight, in_axes=({"weight": 1, "bias": None},))(arrays).shape == (3, 2)
    tensors = {"weight": torch.ones(2, 3), "bias": torch.ones(2)}
    for axes in ({"weight": 0}, {"weight": 0, "bias": [0]}):
        with pytest.raises(ValueError, match="in_dims is not compatible with the structure"):
            torch.vmap(weight, in_dims=(axes,))(tensors)
    assert torch.vmap(weight, in_dims=({"weight": 1, "bias": None},))(tensors).shape == (3, 2)


@pytest.mark.parametrize(
    ("first", "step", "message"),
    [
        ({"a": 0.0}, lambda c, x: ({"a": x, "b": x}, x), r"key sets: \{'b'\}"),
        ((0.0, 0.0), lambda c, x: ([x, x], x), "their Python types differ"),
        ({"a": None}, lambda c, x: ({"a": x}, x), r"c\['a'\] is a <class 'NoneType'>"),
    ],
    ids=["a key more", "a list for a tuple", "an array for None"],
)
def test_jax_s_scan_keeps_the_structure_of_its_carry(jax, first, step, message) -> None:
    with pytest.raises(TypeError, match=message):
        jax.lax.scan(step, first, jax.numpy.arange(3.0))


def test_torch_s_scan_counts_the_tensors_of_its_carry(torch) -> None:
    from torch._higher_order_ops.scan import scan

    xs, zero = torch.arange(3.0), torch.tensor(0.0)
    ended, _ = scan(lambda c, x: ([c[0] + x], x.clone()), (zero,), xs)
    assert type(ended) is list
    with pytest.raises(Exception, match="same number of outputs"):
        scan(lambda c, x: ([c[0] + x, x.clone()], x.clone()), (zero,), xs)


def test_torch_s_branches_return_one_structure(torch) -> None:
    branches = (lambda x: {"a": x + 1}, lambda x: {"b": x + 1})
    with pytest.raises(Exception, match="same pytree structure"):
        torch.cond(torch.tensor(True), *branches, (torch.tensor(1.0),))
