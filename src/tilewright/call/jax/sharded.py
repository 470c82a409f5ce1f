"""Products of JAX's sharded arrays in compiled code: partition rules, so that each device multiplies what it holds.

Without rules XLA gathers all of A and B on every device, for it cannot look into our products. The rules name A's, B's
and C's dimensions as an einsum does: rows, columns and batches stay sharded, and over a sharded inner dimension the
devices' summands are added, unrounded, before the epilogue. Arrays of one device are compiled as they are without.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import jax
from jax.experimental.custom_partitioning import ArrayMapping, CompoundFactor, SdyShardingRule, custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec

from tilewright.choose.many import Contraction, contraction
from tilewright.choose.many.layout import INNER

Array = Any
Axes = tuple[str, ...]
Product = Callable[..., Array]
"""Takes the options of a call, A, B, c and bias (None for those not given), and returns C."""


class Sharded:
    """A product with partition rules.

    whole: the product of arrays of one device. local: that of what one device holds, with `sums` for the result before
    the epilogue in float32 or wider. finished: the epilogue of those sums, once they are added.
    """

    def __init__(self, whole: Product, local: Product, sums: Product, finished: Product) -> None:
        self._local, self._sums, self._finished = local, sums, finished
        self._call = custom_partitioning(whole, static_argnums=(0,))
        self._call.def_partition(
            self._partition, infer_sharding_from_operands=self._inferred, sharding_rule=sharding_rule
        )

    def __call__(self, options: Any, *arrays: Array | None) -> Array:
        """The product, partitioned by the rules."""
        return self._call(options, *arrays)

    def _partition(self, options: Any, mesh: Any, args: Any, result: Any) -> Any:
        """The mesh, the product of what a device holds, C's sharding and the arrays' own; as JAX asks."""
        labels = labels_of(options.operation, *args)
        axes = axes_of(labels, mesh, args, result.sharding.spec)
        over = axes.get(INNER, ())

        def multiply(a: Array, b: Array, c: Array | None, bias: Array | None) -> Array:
            if not over:
                return self._local(options, a, b, c, bias)
            total = jax.lax.psum(self._sums(options, a, b), over)
            return self._finished(options, total, c, bias).astype(result.dtype)

        shardings = [None if named is None else NamedSharding(mesh, _spec(axes, named)) for named in labels.arrays]
        return mesh, multiply, NamedSharding(mesh, _spec(axes, labels.product.c)), tuple(shardings)

    def _inferred(self, options: Any, mesh: Any, args: Any, _result: Any) -> Any:
        """C's sharding from A's and B's, for XLA's older partitioner."""
        labels = labels_of(options.operation, *args)
        return NamedSharding(mesh, _spec(axes_of(labels, mesh, args, PartitionSpec()), labels.product.c))


class Labels:
    """The labels of a product's arrays: of A, B, c and bias, None for those not given."""

    def __init__(self, product: Contraction, c_shape: Any, bias_shape: Any) -> None:
        self.product = product
        beside = [None if shape is None else self._under(shape) for shape in (c_shape, bias_shape)]
        self.arrays = (product.a, product.b, *beside)

    def _under(self, shape: tuple[int, ...]) -> tuple[str | None, ...]:
        """The labels of an array that broadcasts to C; a bias beside a vector B has one number."""
        c, c_shape = self.product.c, self.product.c_shape
        pairs = zip(reversed(shape), [*reversed(c), *(None,) * len(shape)], [*reversed(c_shape), *shape], strict=False)
        return tuple(reversed([label if extent == whole != 1 else None for extent, label, whole in pairs]))


def labels_of(operation: str, a: Array, b: Array, c: Array | None, bias: Array | None) -> Labels:
    """The labels of these arrays."""
    product = contraction(operation, tuple(a.shape), tuple(b.shape))
    bias_shape = None if bias is None else tuple(bias.shape)
    if bias_shape is not None and len(b.shape) < 2:
        bias_shape = (1,) * len(bias_shape)
    return Labels(product, None if c is None else tuple(c.shape), bias_shape)


def axes_of(labels: Labels, mesh: Any, args: Any, of_c: PartitionSpec) -> dict[str, Axes]:
    """The mesh axes over which each label is sharded: C's own first, then A's and B's where they are still free.

    A label whose extent does not divide evenly stays whole, as the devices' shares would be filled with anything.
    """
    product, found, taken = labels.product, dict[str, Axes](), set[str]()
    arrays = [
        (product.c, of_c),
        *((named, each.sharding.spec) for named, each in zip(labels.arrays, args, strict=True) if named is not None),
    ]
    for named, spec in arrays[:3]:
        for label, entry in zip(named, spec, strict=False):
            axes = () if entry is None else (entry,) if isinstance(entry, str) else tuple(entry)
            if label is None or not axes or label in found or taken & set(axes):
                continue
            extent = product.extents[label] // (1 + (label in product.paired))
            if extent % prod(mesh.shape[axis] for axis in axes) == 0:
                found[label] = axes
                taken |= set(axes)
    return found


def _spec(axes: dict[str, Axes], named: tuple[str | None, ...]) -> PartitionSpec:
    return PartitionSpec(*(None if label is None else axes.get(label) for label in named))


def sharding_rule(options: Any, _mesh: Any, values: Any, _results: Any) -> SdyShardingRule:
    """The rule for Shardy, JAX's partitioner: the factors of each dimension.

    values: the types of the arrays that were given.
    """
    shapes = [tuple(each.shape) for each in values]
    product = contraction(options.operation, *shapes[:2])
    beside = [_Shape(shape) for shape in shapes[2:]]
    c, bias = ([*beside, None, None] if options.numbers.beta else [None, *beside, None])[:2]
    labels = labels_of(options.operation, _Shape(shapes[0]), _Shape(shapes[1]), c, bias)
    sizes: dict[str, int] = {}

    def mapping(named: tuple[str | None, ...], shape: tuple[int, ...], *, is_c: bool) -> ArrayMapping:
        factors: list[Any] = []
        for at, (label, extent) in enumerate(zip(named, shape, strict=True)):
            if label is None:
                factors.append(f"one_{len(sizes)}_{at}")
                sizes[factors[-1]] = extent
                continue
            name = label.replace(" ", "_")
            sizes.setdefault(name, product.extents[label] // (1 + (label in product.paired)))
            if label in product.paired and not is_c:
                sizes[f"{name}_pair"] = 2
                factors.append(CompoundFactor(name, f"{name}_pair"))
            else:
                factors.append(name)
        return ArrayMapping(*factors)

    given = [
        (named, shape)
        for named, shape in zip([each for each in labels.arrays if each is not None], shapes, strict=True)
    ]
    operands = tuple(mapping(named, shape, is_c=at > 1) for at, (named, shape) in enumerate(given))
    result = mapping(product.c, product.c_shape, is_c=True)
    compound = {name: size for name, size in sizes.items() if name.endswith("_pair")}
    inner = (INNER,) if INNER in product.labels else ()
    return SdyShardingRule(operands, (result,), reduction_factors=inner, **compound)


class _Shape:
    """What has a shape alone."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
