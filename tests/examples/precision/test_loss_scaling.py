"""What underflows and overflows in float16, and how a scale that changes deals with both."""

import numpy as np
import pytest

SMALL = 1e-5  # of targets whose gradient is lost in float16


def arguments(convert, scale):
    x = np.full((64, 4), 1e-3, np.float32)
    y = np.full(64, SMALL, np.float32)
    return [convert(a) for a in (np.zeros(4, np.float32), x, y, np.float32(scale))]


def gradients(jax, torch, in_jax, in_torch, scale):
    def to_torch(a):
        return torch.from_numpy(np.array(a))

    ours = in_jax.scaled_gradient(*arguments(jax.numpy.asarray, scale))
    theirs = in_torch.scaled_gradient(*arguments(to_torch, scale))
    return np.asarray(ours), theirs.numpy()


def test_a_gradient_underflows_without_a_scale(jax, torch, in_jax, in_torch) -> None:
    exact = -2 * 1e-3 * SMALL
    for found in gradients(jax, torch, in_jax, in_torch, 1):
        assert (found == 0).all()
    for found in gradients(jax, torch, in_jax, in_torch, 2.0**16):
        assert np.allclose(found, exact, rtol=0.01)


def test_a_scale_may_be_too_large(jax, torch, in_jax, in_torch) -> None:
    for found in gradients(jax, torch, in_jax, in_torch, 2.0**60):
        assert not np.isfinite(found).any()


def test_the_guarded_step_skips_and_the_scale_falls_and_grows(jax, torch, in_jax, in_torch) -> None:
    for half, new in (
        (in_jax, jax.numpy.asarray),
        (in_torch, lambda a: torch.from_numpy(np.array(a))),
    ):
        one = {"w": new(np.ones(2, np.float32))}
        state = one, new(np.float32(8)), new(np.int32(0))
        seen = []
        for value in (8, np.inf, np.nan, 8, 8, 8):
            gradient = {"w": new(np.full(2, value, np.float32))}
            state = half.guarded_step(state[0], gradient, *state[1:])
            seen.append((round(float(state[0]["w"][0]), 3), float(state[1]), int(state[2])))
        assert seen == [
            (0.9, 8, 1),
            (0.9, 4, 0),
            (0.9, 2, 0),
            (0.5, 2, 1),
            (0.1, 4, 0),
            (-0.1, 4, 1),
        ]


def test_grad_scaler_does_the_same_on_a_cpu(torch) -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=8, growth_interval=2)
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([w], lr=0.1)
    seen = []
    for factor in (1, torch.inf, torch.nan, 4, 4, 2):
        optimizer.zero_grad()
        scaler.scale((w * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        seen.append((round(w[0].item(), 3), scaler.get_scale()))
    assert seen == [(0.9, 8), (0.9, 4), (0.9, 2), (0.5, 2), (0.1, 4), (-0.1, 4)]


def test_grad_scaler_starts_high_and_grows_rarely(torch) -> None:
    state = torch.amp.GradScaler("cpu").state_dict()
    assert (state["scale"], state["growth_interval"]) == (65536, 2000)


def test_clipping_before_unscaling_clips_the_scaled_gradient(torch) -> None:
    def step(unscale):
        scaler = torch.amp.GradScaler("cpu")
        w = torch.nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([w], lr=1.0)
        scaler.scale((w * 0.5).sum()).backward()
        if unscale:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        scaler.step(optimizer)
        return 1 - w.item()

    assert step(True) == 0.5
    assert step(False) < 1e-4


@pytest.mark.parametrize(
    ("dtype", "largest", "smallest", "spacing"),
    [
        ("float16", 65504, 2**-14, 2**-10),
        ("bfloat16", 3.39e38, 2**-126, 2**-7),
        ("float32", 3.40e38, 2**-126, 2**-23),
        ("float64", 1.797e308, 2**-1022, 2**-52),
    ],
)
def test_ranges(jax, torch, dtype, largest, smallest, spacing) -> None:
    for info in (jax.numpy.finfo(dtype), torch.finfo(getattr(torch, dtype))):
        assert np.isclose(float(info.max), largest, rtol=2e-3)
        assert (float(info.tiny), float(info.eps)) == (smallest, spacing)


def test_float16_overflows_and_bfloat16_does_not(jax, torch) -> None:
    jnp = jax.numpy
    large = jnp.float16(300)
    assert jnp.isinf(large * large)
    assert jnp.isnan(large * large - large * large)
    assert jnp.isfinite(jnp.bfloat16(300) * jnp.bfloat16(300))
    assert torch.tensor(300.0, dtype=torch.float16).square().isinf()


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_eight_bits_overflow_to_nan_in_jax_and_saturate_in_torch(jax, torch) -> None:
    assert jax.numpy.isnan(jax.numpy.float32(1000).astype("float8_e4m3fn").astype("float32"))
    assert torch.tensor(1000.0).to(torch.float8_e4m3fn).item() == 448
    assert torch.tensor(1e6).to(torch.float8_e5m2).isinf()
    assert jax.numpy.isinf(jax.numpy.float32(1e6).astype("float8_e5m2").astype("float32"))
