"""Spectra of signals, frame by frame."""

import jax.numpy as jnp
from jax import Array


def stft(
    input: Array,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Array | None,
    center: bool,
    pad_mode: str,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
) -> Array:
    """The spectrum of each frame of a signal: one row for a frequency, one column for a time."""
    if center:
        width = [(0, 0)] * (input.ndim - 1) + [(n_fft // 2, n_fft // 2)]
        modes = {"replicate": "edge", "circular": "wrap"}
        input = jnp.pad(input, width, mode=modes.get(pad_mode, pad_mode))
    frames = input[..., _frames(input.shape[-1], n_fft, hop_length)]
    frames = frames * _window(window, n_fft, win_length)
    if onesided is None:
        onesided = not jnp.iscomplexobj(frames)
    norm = "ortho" if normalized else "backward"
    spectrum = (jnp.fft.rfft if onesided else jnp.fft.fft)(frames, norm=norm).mT
    if return_complex is False:
        return jnp.stack([spectrum.real, spectrum.imag], axis=-1)
    return spectrum


def istft(
    input: Array,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Array | None,
    center: bool,
    normalized: bool,
    length: int | None,
    return_complex: bool,
) -> Array:
    """The signal of a spectrum; where its frames overlap, the window weighs their mean."""
    norm = "ortho" if normalized else "backward"
    inverse = jnp.fft.ifft if return_complex else jnp.fft.irfft
    frames = inverse(input.mT, n_fft, norm=norm)
    window = _window(window, n_fft, win_length)
    size = n_fft + (frames.shape[-2] - 1) * (hop_length or n_fft // 4)
    positions = _frames(size, n_fft, hop_length)
    signal = jnp.zeros((*frames.shape[:-2], size), frames.dtype)
    signal = signal.at[..., positions].add(frames * window)
    envelope = jnp.zeros(size).at[positions].add(jnp.broadcast_to(window**2, positions.shape))
    begin = n_fft // 2 if center else 0
    end = begin + length if length is not None else size - begin
    signal = signal[..., begin:end] / envelope[begin:end]
    missing = 0 if length is None else length - signal.shape[-1]
    return jnp.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(0, missing)])


def _frames(size: int, n_fft: int, hop_length: int | None) -> Array:
    """The positions of each frame's numbers in a signal."""
    hop = hop_length or n_fft // 4
    begins = hop * jnp.arange((size - n_fft) // hop + 1)
    return begins[:, None] + jnp.arange(n_fft)


def _window(window: Array | None, n_fft: int, win_length: int | None) -> Array:
    """A window with zeros on both sides."""
    if window is None:
        window = jnp.ones(win_length or n_fft)
    left = (n_fft - len(window)) // 2
    return jnp.pad(window, (left, n_fft - len(window) - left))
