"""When an update of a JAX array is in place, by the memory of the compiled program."""

import pytest
from updates_programs import BYTES, SHAPE, aliased, compiled, set_row, temporary, whole_copies

CAREFUL = {"xla_cpu_copy_insertion_use_region_analysis": True}


@pytest.fixture
def x(jax):
    return jax.numpy.ones(SHAPE)


@pytest.fixture
def row(jax):
    return jax.numpy.zeros(SHAPE[1])


def test_jit_copies_an_argument_that_it_updates_and_donation_does_not(jax, x, row) -> None:
    plain = compiled(jax, set_row, x, row)
    donated = compiled(jax, set_row, x, row, donate_argnums=0)
    assert (aliased(plain), whole_copies(plain)) == (0, 1)
    assert (aliased(donated), whole_copies(donated)) == (BYTES, 0)
    assert "input_output_alias" in donated.as_text()
    assert "input_output_alias" not in plain.as_text()


@pytest.mark.parametrize("method", ["set", "add", "multiply", "min", "max"])
def test_each_update_is_in_place_in_a_donated_argument(jax, x, row, method: str) -> None:
    def update(x, row):
        return getattr(x.at[0], method)(row)

    donated = compiled(jax, update, x, row, donate_argnums=0)
    assert (aliased(donated), whole_copies(donated), temporary(donated)) == (BYTES, 0, 0)
    assert whole_copies(compiled(jax, update, x, row)) == 1


def test_only_the_donated_update_keeps_the_pointer(jax, row) -> None:
    same = []
    for function in (set_row, jax.jit(set_row), jax.jit(set_row, donate_argnums=0)):
        x = jax.numpy.ones(SHAPE)
        pointer = x.unsafe_buffer_pointer()
        same.append(function(x, row).unsafe_buffer_pointer() == pointer)
    assert same == [False, False, True]


def test_twenty_updates_share_one_copy(jax, x) -> None:
    def twenty(x):
        for i in range(20):
            x = x.at[i].set(0.0)
        return x

    assert whole_copies(compiled(jax, twenty, x)) == 1
    assert whole_copies(compiled(jax, twenty, x, donate_argnums=0)) == 0


def test_an_update_of_what_the_program_made_is_in_place(jax, x, row) -> None:
    def made(x, row):
        return (x + 1).at[0].set(row)

    assert whole_copies(compiled(jax, made, x, row)) == 0


def test_a_loop_of_updates_is_in_place(jax, in_jax, x) -> None:
    program = compiled(jax, in_jax.fill_rows, x, donate_argnums=0)
    assert (aliased(program), whole_copies(program)) == (BYTES, 0)
    assert temporary(program) < BYTES


def test_a_loop_that_returns_what_it_overwrites_copies_and_an_option_cures_it(jax, in_jax) -> None:
    slots, order = jax.numpy.ones(10_000), jax.numpy.arange(8)
    plain = compiled(jax, in_jax.drain, slots, order, donate_argnums=0)
    assert whole_copies(plain, slots.shape) == 2
    assert temporary(plain) > slots.nbytes
    entry = plain.as_text().partition("\nENTRY")[2]
    assert "f32[10000]{0} copy(" not in entry  # they are in the loop
    options = {"donate_argnums": 0, "compiler_options": CAREFUL}
    careful = compiled(jax, in_jax.drain, slots, order, **options)
    assert whole_copies(careful, slots.shape) == 0
    assert temporary(careful) < slots.nbytes


def test_reading_the_old_array_copies_and_reading_the_result_does_not(jax, x) -> None:
    def old(x):
        value = x[0]
        return x.at[0].set(0.0), value

    def new(x):
        x = x.at[0].set(0.0)
        return x, x[1]

    def only_for_the_update(x, pair):
        return x.at[pair].set(x[pair[::-1]])

    assert whole_copies(compiled(jax, old, x, donate_argnums=0)) == 2
    assert whole_copies(compiled(jax, new, x, donate_argnums=0)) == 0
    pair = jax.numpy.array([1, 2])
    assert whole_copies(compiled(jax, only_for_the_update, x, pair, donate_argnums=0)) == 0


def test_a_barrier_removes_the_copies_from_jax_0_12_on(jax, x) -> None:
    def read_first(x):
        x, value = jax.lax.optimization_barrier((x, x[0]))
        return x.at[0].set(0.0), value

    program = compiled(jax, read_first, x, donate_argnums=0)
    assert whole_copies(program) == (0 if jax.__version_info__ >= (0, 12) else 2)


def test_a_ref_is_written_in_place_with_jit_and_without(jax) -> None:
    ref = jax.new_ref(jax.numpy.zeros(4))
    pointer = ref.unsafe_buffer_pointer()
    ref[0] = 1.0

    @jax.jit
    def write(ref) -> None:
        ref[1] = 2.0

    write(ref)
    assert ref[...].tolist() == [1, 2, 0, 0]
    assert ref.unsafe_buffer_pointer() == pointer


def test_an_array_cannot_be_assigned_to(jax, x) -> None:
    with pytest.raises(TypeError, match=r"JAX arrays are immutable.*x.at\[idx\].set"):
        x[0] = 1
