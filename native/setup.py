"""One module in Cython; setuptools finds Cython by the file's ending."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "tilewright_native", ["tilewright_native.pyx"], depends=["launches.pxi", "tensors.pxi", "xla_handler.pxi"]
        )
    ],
    py_modules=[],
)
