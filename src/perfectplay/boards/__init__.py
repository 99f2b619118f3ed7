"""What games on boards share: drawings as SVG (`draw`), and sets of cells as bits (`bits`)."""

from perfectplay.boards.draw import plain_picture

__all__ = ["plain_picture"]
