import re
import tomllib
from dataclasses import fields

import pytest

from tilewright.choose import EMULATOR_FACTS, DeviceFacts, UnknownChipError, chip_names, find_chip, with_architecture
from tilewright.choose.chips import ENTRY_KEYS, TABLE

NUMBERS = {field.name for field in fields(DeviceFacts)} - {"name", "source", "sources", "machine"}
FILE = tomllib.loads(TABLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", chip_names())
def test_every_number_has_a_source(name):
    """What is stated says where it is from; what has no source is None."""
    facts = find_chip(name)

    for field in NUMBERS:
        assert (getattr(facts, field) is not None) == (field in facts.sources), field
    assert set(facts.sources.values()) <= set(FILE["sources"].values())


def test_every_source_is_used_and_every_field_is_one_of_the_facts():
    """The file has no dead entries and no misspelled fields."""
    entries = [*FILE["architecture"].values(), *FILE["chip"].values()]
    blocks = [(key, value) for entry in entries for key, value in entry.items() if key not in ENTRY_KEYS]

    assert {source for source, _ in blocks} | {"cuda-gpus"} == set(FILE["sources"])
    assert {field for _, block in blocks for field in block} <= NUMBERS


def test_no_field_is_said_twice():
    """One source of truth per field of a chip."""
    for entry in FILE["chip"].values():
        major, minor = entry["compute_capability"]
        parts = [*FILE["architecture"][f"{major}.{minor}"].values()]
        parts += [value for key, value in entry.items() if key not in ENTRY_KEYS]
        said = [field for part in parts for field in part]
        assert len(said) == len(set(said))


@pytest.mark.parametrize("name", ["h200", "H200", "8800-GTX", "8800 GTX", "gtx_1050_mobile", "3090"])
def test_names_in_any_writing(name):
    """Case, spaces and other names."""
    assert find_chip(name).compute_capability is not None


def test_an_unknown_chip_is_refused_with_the_list():
    """The sentence names what was given and every chip."""
    with pytest.raises(UnknownChipError, match=re.escape("'h20'")) as refused:
        find_chip("h20")
    for name in chip_names():
        assert name in str(refused.value)


def test_what_the_driver_does_not_say_is_filled_in():
    """Units of allocation come from the table, limits stay the driver's."""
    driver = DeviceFacts("NVIDIA H200", "the driver", compute_capability=(9, 0), max_threads_per_sm=2047)
    facts = with_architecture(driver)

    assert (facts.register_unit, facts.max_threads_per_sm) == (256, 2047)
    assert facts.source_of("max_threads_per_sm") == "the driver"
    assert "cuda_occupancy.h" in facts.source_of("register_unit")


@pytest.mark.parametrize(
    "facts", [EMULATOR_FACTS, DeviceFacts("a chip to come", "made up", compute_capability=(99, 0)), find_chip("t4")]
)
def test_what_the_table_does_not_know_stays_as_it_is(facts):
    """No guess for an unknown architecture, and nothing to add to a chip of the table."""
    assert with_architecture(facts) is facts


def test_numbers_of_a_chip_agree_with_each_other():
    """What both an architecture's and a chip's data imply: a GPU's peak in float64 is no higher than in float32."""
    for name in chip_names():
        facts = find_chip(name)
        if facts.fp64_gflops is not None and facts.fp32_gflops is not None:
            assert facts.fp64_gflops < facts.fp32_gflops
        assert (facts.shared_bytes_per_sm or 0) >= (facts.shared_bytes_per_block or 0) > 0
        assert (facts.max_threads_per_sm or 0) % (facts.warp_size or 1) == 0
