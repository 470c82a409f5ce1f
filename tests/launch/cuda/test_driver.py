"""The driver's own answers, without a driver and with one that a double plays."""

import ctypes

import pytest

from tilewright.launch.cuda import driver, gpu


class Function:
    """A C function of a driver's library: fills its first argument and returns a status."""

    def __init__(self, value=None, status=0):
        self.value, self.status = value, status

    def __call__(self, *arguments):  # noqa: D102
        if self.value is not None:
            target = arguments[0]
            if isinstance(self.value, bytes):
                target.value = self.value
            else:
                target._obj.value = self.value
        return self.status


def attribute(target, number, _):
    """Compute capability 9.0, by cuda.h's numbers for its two halves."""
    target._obj.value = {75: 9, 76: 0}[number]
    return 0


class Library:
    """What libcuda and libnvidia-ml answer on a machine with one H200, unless told otherwise."""

    def __init__(self, version=13000, init=0):
        self.cuDriverGetVersion = Function(version)
        self.cuInit = Function(status=init)
        self.cuDeviceGetCount = Function(1)
        self.cuDeviceGet = Function(0)
        self.cuDeviceGetName = Function(b"NVIDIA H200")
        self.cuDeviceTotalMem_v2 = Function(141 * 2**30)
        self.cuDeviceGetAttribute = attribute
        self.nvmlInit_v2 = Function()
        self.nvmlSystemGetDriverVersion = Function(b"580.159.03")
        self.nvmlShutdown = Function()


@pytest.fixture
def play(monkeypatch):
    """Put a library in the driver's place."""

    def put(library):
        monkeypatch.setattr(driver, "_load", lambda _: library)
        driver.driver_report.cache_clear()
        return driver.driver_report()

    yield put
    driver.driver_report.cache_clear()


def test_a_driver_with_a_gpu_is_reported(play):
    """Release, newest CUDA, and each GPU with its capability and memory."""
    report = play(Library())

    assert (report.release, report.cuda_version, report.problem) == ("580.159.03", (13, 0), None)
    assert report.gpus == (driver.Gpu("NVIDIA H200", (9, 0), 141 * 2**30),)


def test_no_driver_says_what_to_install(play):
    """A laptop is told which extras there are, and which driver each needs."""
    report = play(None)

    assert report.problem
    assert report.cuda_version is None
    assert "tilewright[cuda13]" in gpu.advice()
    assert "tilewright[cuda12]" in gpu.advice()


@pytest.mark.parametrize(("version", "extra"), [(12040, "cuda12"), (13010, "cuda13"), (14000, "cuda13")])
def test_the_extra_fits_the_driver(play, version, extra):
    """CUDA's major version decides which extra is advised."""
    play(Library(version))

    assert f"tilewright[{extra}]" in gpu.advice()


def test_a_driver_of_cuda_11_is_told_to_be_updated(play):
    """No extra of ours fits it."""
    play(Library(11080))

    assert "update the driver" in gpu.advice()


@pytest.mark.parametrize(("status", "words"), [(100, "no GPU"), (803, "restart"), (424242, "424242")])
def test_a_failing_initialization_is_put_in_words(play, status, words):
    """Known statuses have a sentence, unknown ones their number."""
    report = play(Library(init=status))

    assert words in report.problem
    assert report.gpus == ()
    assert report.cuda_version == (13, 0)


def test_the_double_speaks_ctypes():
    """The double writes through ctypes.byref as the real library does."""
    value = ctypes.c_int(0)
    assert Function(7)(ctypes.byref(value)) == 0
    assert value.value == 7


@pytest.mark.parametrize(
    ("platform", "names", "problem"),
    [
        ("linux", ["libcuda.so.1", "libnvidia-ml.so.1"], None),
        ("win32", ["nvcuda.dll", "nvml.dll"], None),
        ("darwin", [], "there is no NVIDIA driver for macOS"),
    ],
)
def test_where_the_driver_is(monkeypatch, platform, names, problem):
    """Its libraries on each system; none is looked for on macOS."""
    loaded = []

    def load(name):
        loaded.append(name)
        return Library()

    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(ctypes, "CDLL", load)
    driver.driver_report.cache_clear()

    found = driver.driver_report()

    driver.driver_report.cache_clear()
    assert (loaded, found.problem) == (names, problem)
