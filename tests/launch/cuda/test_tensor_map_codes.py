"""The numbers of a tensor map's codes, beside the enumerations of NVIDIA's bindings."""

from __future__ import annotations

import pytest

from tilewright.launch.cuda import tensor_maps

driver = pytest.importorskip("cuda.bindings.driver", reason="cuda-bindings is not installed: pip install cuda-bindings")


def test_swizzles():
    """By the bytes of a row."""
    codes = driver.CUtensorMapSwizzle
    named = {
        0: codes.CU_TENSOR_MAP_SWIZZLE_NONE.value,
        32: codes.CU_TENSOR_MAP_SWIZZLE_32B.value,
        64: codes.CU_TENSOR_MAP_SWIZZLE_64B.value,
        128: codes.CU_TENSOR_MAP_SWIZZLE_128B.value,
    }
    assert named == tensor_maps.SWIZZLES


def test_types():
    """By NumPy's names."""
    codes = driver.CUtensorMapDataType
    for dtype, number in tensor_maps.DATA_TYPES.items():
        assert number == getattr(codes, f"CU_TENSOR_MAP_DATA_TYPE_{dtype.upper()}").value


def test_the_rest():
    """Interleave, promotion and what lies outside."""
    assert driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE.value == tensor_maps.NO_INTERLEAVE
    assert driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B.value == tensor_maps.PROMOTE_TO_128_BYTES
    assert driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE.value == tensor_maps.ZERO_OUTSIDE
