"""The page's picture: how an array, a number and a flag enter a program."""

from programs import graphs, primitives
from static_calls import X

from jaxvstorch import ledger

VALUES = ((2.0, True), (2.0, True), (3.0, True), (4.0, True), (4.0, False))


def test_jax_takes_array_and_number_as_inputs_and_not_the_static_flag(jax) -> None:
    def f(x, factor, flag):
        y = factor * x
        return jax.numpy.sin(y) if flag else y

    program = jax.make_jaxpr(f, static_argnums=2)(X, 2.0, True)
    assert [str(value) for value in program.in_avals] == ["float32[3]", "~float32[]"]
    assert primitives(program)[-2:] == ["mul", "sin"]
    book = ledger(jax.jit(f, static_argnames="flag"), [(X, *rest) for rest in VALUES])
    assert book.traces == [1, 0, 0, 0, 1]


def test_torch_takes_the_number_for_a_constant_and_then_for_an_input(torch) -> None:
    def f(x, factor, flag):
        y = factor * x
        return torch.sin(y) if flag else y

    x = torch.tensor(X)

    def inputs(*calls) -> int:
        """Of the last graph that these calls compiled."""
        found = []

        def keep(graph, example):
            found.append(len(example))
            return graph.forward

        torch.compiler.reset()
        compiled = torch.compile(f, backend=keep)
        for call in calls:
            compiled(x, *call)
        return found[-1]

    assert inputs((2.0, True)) == 1
    assert inputs((2.0, True), (3.0, True)) == 2
    torch.compiler.reset()
    assert "2.0 * " in graphs(torch, f, x, 2.0, True)[0].code
    torch.compiler.reset()
    book = ledger(torch.compile(f, backend="eager"), [(x, *rest) for rest in VALUES])
    assert book.traces == [1, 0, 1, 0, 1]
