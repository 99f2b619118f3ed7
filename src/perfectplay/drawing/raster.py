"""PNG from the SVG drawings of this package: the only door to Matplotlib, an optional extra."""

import xml.etree.ElementTree as Xml
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perfectplay.errors import UsageError

SHARP = 2
"""Pixels of a PNG per unit of the drawing."""
_DPI = 100.0


def save(svg: str, file: str | Path) -> Path:
    """Write a drawing into a file; its ending, .svg or .png, says how."""
    file = Path(file)
    ending = file.suffix.lower()
    if ending not in (".svg", ".png"):
        raise UsageError(
            f"{file}: pictures are written as .svg or .png", f"for instance {file.stem}.svg"
        )
    try:
        if ending == ".svg":
            file.write_text(svg + "\n", encoding="utf-8")
        else:
            _figure(svg, file).savefig(file, format="png", dpi=_DPI * SHARP)
    except OSError as error:
        raise UsageError(
            f"{file} cannot be written: {error.strerror}", "is there such a folder?"
        ) from None
    return file


def refuse(file: str | Path | None) -> None:
    """UsageError at once, not after long work, if `save` could not write such a file."""
    if file is None:
        return
    file = Path(file)
    if file.suffix.lower() not in (".svg", ".png"):
        save("", file)
    if not file.parent.is_dir():
        raise UsageError(f"{file} cannot be written", f"there is no folder {file.parent}")
    if file.suffix.lower() == ".png":
        _matplotlib(file)


def _matplotlib(file: Path) -> Any:
    try:
        from matplotlib import figure
    except ImportError:
        raise UsageError(
            f"{file}: PNG needs Matplotlib, which is not installed",
            f"pip install 'perfectplay[plots]', or write SVG: {file.with_suffix('.svg')}",
        ) from None
    return figure


def _figure(svg: str, file: Path) -> Any:
    """A drawing made of rectangles, lines, polylines, circles and words, as a figure."""
    figure = _matplotlib(file)
    root = Xml.fromstring(svg)
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    made = figure.Figure(figsize=(wide / _DPI, high / _DPI))
    axes = made.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, wide)
    axes.set_ylim(high, 0)
    axes.set_axis_off()
    for order, (piece, dx, dy) in enumerate(_pieces(root, 0.0, 0.0)):
        _paint(axes, piece, (dx, dy), order)
    return made


def _pieces(node: Any, dx: float, dy: float) -> Iterator[tuple[Any, float, float]]:
    """All pieces of a drawing, each with where its origin lies."""
    for piece in node:
        if piece.tag.rpartition("}")[2] == "g":
            inside = piece.attrib.get("transform", "translate(0 0)")
            x, y = map(float, inside.removeprefix("translate(").removesuffix(")").split())
            yield from _pieces(piece, dx + x, dy + y)
        else:
            yield piece, dx, dy


def _paint(axes: Any, piece: Any, origin: tuple[float, float], order: int) -> None:
    """Put one piece on the figure, above all pieces before it."""
    from matplotlib import lines, patches

    points_per_unit = 72 / _DPI
    get = piece.attrib.get
    dx, dy = origin
    style: dict[str, Any] = {"zorder": order, "linewidth": 0.0}
    if get("stroke"):
        style["linewidth"] = float(get("stroke-width", 1)) * points_per_unit
    fill = {**style, "facecolor": get("fill", "black"), "edgecolor": get("stroke", "none")}
    match piece.tag.rpartition("}")[2]:
        case "rect":
            corner = (dx + float(get("x", 0)), dy + float(get("y", 0)))
            size = float(get("width")), float(get("height"))
            axes.add_patch(
                patches.Rectangle(corner, *size, antialiased=bool(get("stroke")), **fill)
            )
        case "circle":
            centre = dx + float(get("cx")), dy + float(get("cy"))
            axes.add_patch(patches.Circle(centre, float(get("r")), **fill))
        case "line" | "polyline":
            ends = f"{get('x1')},{get('y1')} {get('x2')},{get('y2')}"
            pairs = [point.split(",") for point in get("points", ends).split()]
            xs = [dx + float(x) for x, _ in pairs]
            ys = [dy + float(y) for _, y in pairs]
            axes.add_line(lines.Line2D(xs, ys, color=get("stroke"), **style))
        case "text":
            where = {"middle": "center", "end": "right"}.get(get("text-anchor", ""), "left")
            axes.text(
                dx + float(get("x")),
                dy + float(get("y")),
                piece.text or "",
                fontsize=float(get("font-size")) * points_per_unit * 0.92,
                color=get("fill"),
                ha=where,
                va="baseline",
                zorder=order,
                parse_math=False,
            )
