"""Pictures as SVG, without a library: shares over a parameter, and ratings, both with intervals."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from pleach._stats import Rating
from pleach._tables import Table

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM, _NAMES = 640, 400, 64, 40, 24, 56, 150


class Svg:
    """A picture. Notebooks show it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_svg_(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file."""
        Path(path).write_text(self.text)


def _framed(parts: Sequence[str], title: str, width: int, height: int) -> Svg:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">'
    )
    ground = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    named = f"<title>{escape(title)}</title>" + _text(width / 2, 22, title, "middle", 'font-size="15"')
    return Svg("\n".join([head, ground, named, *parts, "</svg>"]) + "\n")


def _text(x: float, y: float, text: str, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = "#888888", width: float = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def _shown(value: Any) -> str:
    if isinstance(value, (int, float)):
        return f"{value:g}"
    text = str(value)
    return text if len(text) <= 18 else text[:17] + "…"


def _as_numbers(values: Sequence[Any]) -> list[float] | None:
    """The values on an axis of numbers, if all are."""
    try:
        return [float(it) for it in values]
    except (TypeError, ValueError):
        return None


def shares(table: Table, x: str, by: str | None, y: str, title: str) -> Svg:
    """Shares from 0 to 1 over a parameter: numbers on an axis, anything else side by side."""
    # Lines beside each other leave room for their names.
    right, bottom = _WIDTH - (_RIGHT if by is None else _NAMES), _HEIGHT - _BOTTOM
    values = list(dict.fromkeys(table[x].tolist()))
    numbers = _as_numbers(values)
    at = numbers if numbers is not None else [float(it) for it in range(len(values))]
    low, high = (min(at), max(at)) if at else (0.0, 1.0)
    place = {value: it for value, it in zip(values, at)}
    pad = 30

    def to_x(it: float) -> float:
        return _LEFT + pad + (it - low) / (high - low or 1) * (right - _LEFT - 2 * pad)

    def to_y(it: float) -> float:
        return bottom - it * (bottom - _TOP)

    parts = []
    for tenth in range(0, 11, 2):
        parts.append(_line(_LEFT, to_y(tenth / 10), right, to_y(tenth / 10), "#dddddd"))
        parts.append(_text(_LEFT - 8, to_y(tenth / 10) + 4, f"{tenth * 10} %", "end"))
    step = max(1, -(-len(values) // 12))
    for value in values[::step]:
        parts.append(_text(to_x(place[value]), bottom + 18, _shown(value), "middle"))
    parts.append(_text((_LEFT + right) / 2, _HEIGHT - 14, x, "middle"))
    if by:
        parts.append(_text(right + 12, _TOP - 6, by))
    series = list(dict.fromkeys(table[by].tolist())) if by else [None]
    for number, one in enumerate(series):
        colour = _COLOURS[number % len(_COLOURS)]
        rows = [it for it in range(table.rows) if by is None or table[by][it] == one]
        rows.sort(key=lambda it: place[table[x].tolist()[it]])
        points = []
        for row in rows:
            middle = to_x(place[table[x].tolist()[row]]) + 5 * (number - (len(series) - 1) / 2)
            top, foot, mean = (to_y(float(table[it][row])) for it in ("high", "low", "share"))
            points.append(f"{middle:.1f},{mean:.1f}")
            parts.append(_line(middle, top, middle, foot, colour, 1.5))
            parts += [_line(middle - 4, it, middle + 4, it, colour, 1.5) for it in (top, foot)]
            parts.append(f'<circle cx="{middle:.1f}" cy="{mean:.1f}" r="3.5" fill="{colour}"/>')
        if numbers is not None and len(points) > 1:
            parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        if by:
            parts.append(_text(right + 12, _TOP + 10 + 16 * number, _shown(one), "start", f'fill="{colour}"'))
    return _framed(parts, title or f"{y} over {x}, with 95 % intervals", _WIDTH, _HEIGHT)


def rated(all_: Sequence[Rating], title: str) -> Svg:
    """Ratings, the strongest first."""
    height, left = 70 + 28 * len(all_), 200
    low = min((it.low for it in all_), default=1400.0)
    high = max((it.high for it in all_), default=1600.0)

    def to_x(it: float) -> float:
        return left + (it - low) / (high - low or 1) * (_WIDTH - left - 80)

    parts = []
    for number, it in enumerate(all_):
        y = 56 + 28 * number
        parts.append(_text(left - 16, y + 4, it.name, "end"))
        parts.append(_line(to_x(it.low), y, to_x(it.high), y, _COLOURS[0], 2))
        parts += [_line(to_x(end), y - 5, to_x(end), y + 5, _COLOURS[0], 2) for end in (it.low, it.high)]
        parts.append(f'<circle cx="{to_x(it.elo):.1f}" cy="{y}" r="4.5" fill="{_COLOURS[0]}"/>')
        parts.append(_text(_WIDTH - 16, y + 4, f"{it.elo:.0f}", "end"))
    return _framed(parts, title, _WIDTH, height)
