"""A file whose kernels take as plain arguments what they read of structs, arrays of pointers and constant memory."""

from __future__ import annotations

from tilewright.lab.source.config_structs import with_numbers_of_configs
from tilewright.lab.source.constant_arrays import with_arrays_passed
from tilewright.lab.source.constant_structs import with_structs_passed
from tilewright.lab.source.host_templates import with_types_of_calls
from tilewright.lab.source.pointer_arrays import with_matrices_in_one
from tilewright.lab.source.unpacking import unpacked


def with_plain_arguments(text: str, name: str = "the file") -> str:
    """Return a file's text whose kernels take numbers and pointers alone, where that can be; lines stay.

    Raises:
        SourceError: the text can't be parsed within its limits.
    """
    text = with_types_of_calls(with_numbers_of_configs(text, name))
    return with_arrays_passed(with_matrices_in_one(unpacked(with_structs_passed(text, name), name), name), name)
