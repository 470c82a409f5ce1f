"""The driver's own answers, without a driver and with one that a double plays."""

import ctypes

import pytest

from tilewright.launch import DeviceUnavailableError
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


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("cuDriverGetVersion", (None, None, (), "the CUDA library that was found does not say its version")),
        ("cuDeviceGetCount", ("580.159.03", (13, 0), (), driver._INIT_SENTENCES[100])),
        ("cuDeviceGet", ("580.159.03", (13, 0), (), driver._INIT_SENTENCES[100])),
        ("cuDeviceGetName", ("580.159.03", (13, 0), (), driver._INIT_SENTENCES[100])),
        ("cuDeviceTotalMem_v2", ("580.159.03", (13, 0), (), driver._INIT_SENTENCES[100])),
        ("nvmlInit_v2", (None, (13, 0), (driver.Gpu("NVIDIA H200", (9, 0), 141 * 2**30),), None)),
        ("nvmlSystemGetDriverVersion", (None, (13, 0), (driver.Gpu("NVIDIA H200", (9, 0), 141 * 2**30),), None)),
    ],
)
def test_each_answer_is_looked_at(play, call, found):
    """What the driver does not tell is left out, and a GPU of which it does not tell all is none."""
    library = Library()
    setattr(library, call, Function(status=1))

    assert play(library) == driver.DriverReport(*found)


def test_a_version_has_a_major_and_a_minor_number(play):
    """12080 is CUDA 12.8."""
    assert play(Library(12080)).cuda_version == (12, 8)


def test_the_gpu_at_hand(play, monkeypatch):
    """The first one's name and what is compiled for it; without a driver, what to install."""
    monkeypatch.setattr(gpu, "_nvrtc", lambda: ((12, 8), (75, 90)))
    play(Library())
    assert gpu.gpu_at_hand() == ("NVIDIA H200", "sm_90")
    play(None)
    with pytest.raises(DeviceUnavailableError, match=r"^There is no GPU to use: no NVIDIA driver was found; on a mach"):
        gpu.gpu_at_hand()


@pytest.mark.parametrize(
    ("capability", "nvrtc", "architecture"),
    [
        ((9, 0), None, "compute_90"),
        ((12, 0), None, "compute_90"),
        ((8, 9), None, "sm_89"),
        ((9, 0), ((13, 0), ()), "sm_90"),
        ((9, 0), ((13, 0), (75, 90, 120)), "sm_90"),
        ((10, 3), ((13, 0), (75, 90, 120)), "compute_90"),
        ((12, 1), ((13, 0), (75, 90, 120)), "compute_120"),
        ((7, 5), ((13, 0), (75, 90, 120)), "sm_75"),
        (
            (7, 0),
            ((13, 0), (75, 90)),
            r"^NVRTC 13\.0 makes no code for card \(compute capability 7\.0\); an older NVRTC",
        ),
        (
            (9, 0),
            ((14, 0), (90,)),
            r"^The NVIDIA driver supports CUDA 13\.0, but NVRTC 14\.0 is .* driver to a newer release or",
        ),
    ],
)
def test_what_is_compiled_for_a_gpu(play, monkeypatch, capability, nvrtc, architecture):
    """Its own code if NVRTC makes it, else the newest that the driver compiles further."""
    play(Library())
    monkeypatch.setattr(gpu, "_nvrtc", lambda: nvrtc)
    if architecture.startswith("^"):
        with pytest.raises(DeviceUnavailableError, match=architecture):
            gpu.architecture_for("card", capability)
    else:
        assert gpu.architecture_for("card", capability) == architecture


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
