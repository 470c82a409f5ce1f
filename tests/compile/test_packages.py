"""Which of CUDA's installed packages are used."""

from __future__ import annotations

import ctypes
import sys

import pytest

from tilewright.compile import nvrtc


@pytest.fixture
def both(tmp_path, monkeypatch):
    """The packages of CUDA 12 and 13 side by side; what is loaded is only noted."""
    for file in ("cuda_nvrtc/lib/libnvrtc.so.12", "cuda_nvrtc/bin/nvrtc64_120_0.dll", "cu13/lib/libnvrtc.so.13"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    loaded: list[str] = []
    monkeypatch.setattr(nvrtc, "package_roots", lambda: [tmp_path])
    monkeypatch.setattr(ctypes, "CDLL", loaded.append)
    return loaded


def test_binding_of_cuda_12_gets_nvrtc_12(both, monkeypatch):
    """A CUDA 12 driver cannot load what NVRTC 13 makes."""
    monkeypatch.setattr("importlib.metadata.version", lambda _: "12.9.4")

    nvrtc.load_nvrtc_of_the_binding()

    name = "nvrtc64_120_0.dll" if sys.platform == "win32" else "libnvrtc.so.12"
    assert [path.endswith(name) for path in both] == [True]


def test_binding_of_cuda_13_finds_its_own(both, monkeypatch):
    """NVRTC 13 is what the binding looks for first."""
    monkeypatch.setattr("importlib.metadata.version", lambda _: "13.5.0")

    nvrtc.load_nvrtc_of_the_binding()

    assert both == []
