"""A trace as pictures: an animation as GIF, and its phases side by side as PNG, drawn with Pillow."""

from tilewright.lab.watch.pictures.files import gif_of, png_of

__all__ = ["gif_of", "png_of"]
