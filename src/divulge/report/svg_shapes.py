"""What all plots in SVG are made of: colours, light and dark, texts, lines and marks."""

from __future__ import annotations

from markupsafe import escape

__all__ = ["CHARACTER", "COLOURS", "MARGIN", "STYLE", "WIDTH", "diamond", "line", "shape", "text", "whisker"]

WIDTH, MARGIN = 760, 16
CHARACTER = 6.2  # how wide one is on average
COLOURS = 7
STYLE = """
:root { --ground: #ffffff; --text: #1b222d; --muted: #535d6c; --rule: #d5dae1; --print: #ab1f17;
  --c0: #1d4f91; --c1: #b35900; --c2: #5b4b8a; --c3: #37786b; --c4: #6b7280; --c5: #a8327d; --c6: #7a6a00; }
@media (prefers-color-scheme: dark) { :root { --ground: #13171e; --text: #e7eaef; --muted: #a7b0be; --rule: #353e4b;
  --print: #ff9189; --c0: #8fbaf5; --c1: #f0a860; --c2: #bda9f0; --c3: #86cbb9; --c4: #a7b0be;
  --c5: #f29ad0; --c6: #d9c95f; } }
.ground { fill: var(--ground); } .rule { stroke: var(--rule); stroke-width: 1; }
text { font: 11px system-ui, "Segoe UI", Roboto, Arial, sans-serif; fill: var(--muted); }
.title { font-size: 14px; font-weight: 650; fill: var(--text); } .panel { font-weight: 650; fill: var(--text); }
.small { font-size: 9px; } .end { text-anchor: end; } .middle { text-anchor: middle; }
.chance { stroke: var(--muted); stroke-width: 1.5; stroke-dasharray: 3 3; fill: none; }
.print { fill: var(--ground); stroke: var(--print); stroke-width: 2; }
.whisker { stroke-width: 2; opacity: .55; } polyline { fill: none; stroke-width: 1.5; }
""" + "\n".join(
    f".s{n} {{ stroke: var(--c{n}); fill: var(--c{n}); }} polyline.s{n} {{ fill: none; }}" for n in range(COLOURS)
)


def shape(number: int, x: float, y: float) -> str:
    """A circle for ours, a square for the second, which is the copy, smaller circles for the others."""
    if number == 1:
        return f'<rect class="mark s1" x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7"/>'
    return f'<circle class="mark s{number % COLOURS}" cx="{x:.1f}" cy="{y:.1f}" r="{4 if number == 0 else 2.8}"/>'


def diamond(x: float, y: float) -> str:
    """What is printed."""
    return f'<path class="print" d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"/>'


def whisker(number: int, x1: float, y1: float, x2: float, y2: float) -> str:
    """An interval."""
    return f'<line class="whisker s{number % COLOURS}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def line(x1: float, y1: float, x2: float, y2: float) -> str:
    """A rule."""
    return f'<line class="rule" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Words at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escape(words)}</text>'
