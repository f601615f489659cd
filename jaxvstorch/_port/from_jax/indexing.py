"""Reads and writes at computed indices, in PyTorch: ``gather``, ``scatter`` and slices."""

from typing import Any

import torch


def dynamic_slice(params: Any, x: torch.Tensor, *starts: torch.Tensor) -> torch.Tensor:
    """A slice with computed starts; JAX moves it inside the array."""
    sizes = params["slice_sizes"]
    bounds = _moved_inside(x, sizes, starts)
    return x[tuple(slice(start, start + size) for start, size in zip(bounds, sizes, strict=True))]


def dynamic_update_slice(
    params: Any, x: torch.Tensor, new: torch.Tensor, *starts: torch.Tensor
) -> torch.Tensor:
    """A copy in which a slice with computed starts is replaced."""
    bounds = _moved_inside(x, new.shape, starts)
    y = x.clone()
    y[tuple(slice(start, start + size) for start, size in zip(bounds, new.shape, strict=True))] = (
        new
    )
    return y


def _moved_inside(x: torch.Tensor, sizes: Any, starts: Any) -> list[int]:
    pairs = zip(starts, x.shape, sizes, strict=True)
    return [min(max(int(start), 0), n - size) for start, n, size in pairs]


def gather(params: Any, x: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
    """Slices of ``x`` that begin at indices; outside it JAX clips, or fills."""
    numbers, sizes = params["dimension_numbers"], params["slice_sizes"]
    indices, inside = _indices(
        x.shape, starts, sizes, numbers.offset_dims, numbers.collapsed_slice_dims,
        numbers.operand_batching_dims, numbers.start_indices_batching_dims,
        numbers.start_index_map, clip="FILL" not in str(params["mode"]),
    )  # fmt: skip
    bounded = [i.clamp(0, n - 1) for i, n in zip(indices, x.shape, strict=True)]
    values = x[tuple(bounded)] if indices else x
    if "FILL" not in str(params["mode"]):
        return values
    fill = params["fill_value"]
    if fill is None:
        fill = torch.nan if x.is_floating_point() or x.is_complex() else _least(x.dtype)
    return torch.where(inside, values, torch.tensor(fill, dtype=x.dtype))


def _least(dtype: torch.dtype) -> Any:
    if dtype == torch.bool:
        return True
    limits = torch.iinfo(dtype)
    return limits.min if limits.min < 0 else limits.max


def scatter(params: Any, x: torch.Tensor, starts: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
    """A copy of ``x`` with slices replaced; those outside it are dropped, or clipped."""
    indices, inside = _scatter_indices(params, x, starts, new)
    y = x.clone()
    y[tuple(i[inside] for i in indices)] = new[inside]
    return y


def scatter_add(
    params: Any, x: torch.Tensor, starts: torch.Tensor, new: torch.Tensor
) -> torch.Tensor:
    """The same with additions, each of which counts where indices repeat."""
    indices, inside = _scatter_indices(params, x, starts, new)
    return x.index_put(tuple(i[inside] for i in indices), new[inside], accumulate=True)


def scatter_by(reduction: str) -> Any:
    """The same with another reduction, by the name that ``scatter_reduce`` has for it."""

    def scattered(
        params: Any, x: torch.Tensor, starts: torch.Tensor, new: torch.Tensor
    ) -> torch.Tensor:
        indices, inside = _scatter_indices(params, x, starts, new)
        flat = torch.zeros(inside.shape, dtype=torch.int64)
        for index, size in zip(indices, x.shape, strict=True):
            flat = flat * size + index
        y = x.flatten().scatter_reduce(0, flat[inside], new[inside], reduction)
        return y.reshape(x.shape)

    return scattered


def _scatter_indices(
    params: Any, x: torch.Tensor, starts: torch.Tensor, new: torch.Tensor
) -> tuple[list[torch.Tensor], torch.Tensor]:
    numbers = params["dimension_numbers"]
    dropped = (*numbers.inserted_window_dims, *numbers.operand_batching_dims)
    sizes = iter(new.shape[axis] for axis in numbers.update_window_dims)
    whole = [1 if axis in dropped else next(sizes) for axis in range(x.ndim)]
    indices, inside = _indices(
        x.shape, starts, whole, numbers.update_window_dims, numbers.inserted_window_dims,
        numbers.operand_batching_dims, numbers.scatter_indices_batching_dims,
        numbers.scatter_dims_to_operand_dims, clip="CLIP" in str(params["mode"]),
    )  # fmt: skip
    return [i.expand(new.shape) for i in indices], inside.expand(new.shape)


def _indices(
    shape: Any, starts: torch.Tensor, sizes: Any, window: Any, dropped: Any, batching: Any,
    starts_batching: Any, axes: Any, clip: bool,
) -> tuple[list[torch.Tensor], torch.Tensor]:  # fmt: skip
    """Each result element's index along each axis of the array, and whether it is inside.

    Args:
        shape: of the array.
        starts: of the slices; the last axis has a number for each of ``axes``.
        sizes: of a slice, along each axis of the array.
        window: the axes of the result that a slice fills.
        dropped: the axes of the array that a slice does not keep.
        batching: the axes of the array that go with ``starts_batching``.
        starts_batching: axes of ``starts``.
        axes: the axes of the array that ``starts`` indexes.
        clip: whether slices are moved inside.
    """
    outer = starts.shape[:-1]
    ndim = len(outer) + len(window)
    batch = [axis for axis in range(ndim) if axis not in window]

    def of_batch(values: torch.Tensor) -> torch.Tensor:
        full = [1] * ndim
        for axis, size in zip(batch, values.shape, strict=True):
            full[axis] = size
        return values.reshape(full)

    kept = [axis for axis in range(len(shape)) if axis not in (*dropped, *batching)]
    indices, inside = [], torch.ones([1] * ndim, dtype=torch.bool)
    for axis, size in enumerate(shape):
        index = torch.zeros([1] * ndim, dtype=torch.int64)
        if axis in axes:
            start = starts[..., list(axes).index(axis)].long()
            start = start.clamp(0, size - sizes[axis]) if clip else start
            inside = inside & of_batch((start >= 0) & (start <= size - sizes[axis]))
            index = index + of_batch(start)
        if axis in batching:
            along = starts_batching[list(batching).index(axis)]
            positions = torch.arange(size).reshape([-1] + [1] * (len(outer) - along - 1))
            index = index + of_batch(positions.expand(outer))
        if axis in kept:
            result_axis = window[kept.index(axis)]
            index = index + torch.arange(sizes[axis]).reshape([-1] + [1] * (ndim - result_axis - 1))
        indices.append(index)
    shapes = (i.shape for i in (*indices, inside))
    common = torch.broadcast_shapes(*shapes)  # type: ignore[no-untyped-call]
    return [index.expand(common) for index in indices], inside.expand(common)
