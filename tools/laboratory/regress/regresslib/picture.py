"""The picture of the first page: a panel for each pattern, times on a logarithmic scale over the numbers of threads. SVG,
written by hand: it needs no library, and a change of it can be read."""

import html
import math

COLOURS = {"chomp": "#d62728", "libomp": "#1f77b4", "libiomp5": "#17becf", "libgomp": "#2ca02c", "tbb": "#9467bd"}
WIDTH, HEIGHT, LEFT, TOP, ACROSS = 210, 190, 44, 30, 4  # of a panel, its margins, and how many stand in a row
STYLE = "font-family='sans-serif' font-size='11'"


def _panel(run, pattern, names, modes, x, y):
    values = {name: [(i, value) for i, mode in enumerate(modes) if (value := run.best(pattern, mode, name)) is not None] for name in names}
    every = [value for points in values.values() for _, value in points if value > 0]
    low, high = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)) + 1e-9)
    high = max(high, low + 1)
    inner_width, inner_height = WIDTH - LEFT - 16, HEIGHT - TOP - 30

    def place(i, value):
        return (x + LEFT + inner_width * (i + 0.5) / len(modes),
                y + TOP + inner_height * (1 - (math.log10(value) - low) / (high - low)))

    unit = next(p.unit for p in run.patterns() if p.name == pattern).replace("CPU ", "")
    yield f"<text x='{x + LEFT}' y='{y + 18}' font-weight='bold'>{html.escape(pattern)}, {html.escape(unit)}</text>"
    for power in range(low, high + 1):
        at = y + TOP + inner_height * (1 - (power - low) / (high - low))
        yield f"<line x1='{x + LEFT}' x2='{x + LEFT + inner_width}' y1='{at:.1f}' y2='{at:.1f}' stroke='#ccc'/>"
        yield f"<text x='{x + LEFT - 4}' y='{at + 4:.1f}' text-anchor='end'>{10 ** power:g}</text>"
    for i, mode in enumerate(modes):
        yield f"<text x='{place(i, 10 ** low)[0]:.1f}' y='{y + TOP + inner_height + 15}' text-anchor='middle'>{mode}</text>"
    for name in reversed(names):  # chomp last, on top
        points = [place(i, value) for i, value in values[name]]
        if len(points) > 1:
            line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
            yield f"<polyline points='{line}' fill='none' stroke='{COLOURS[name]}' stroke-width='{3 if name == 'chomp' else 1.3}'/>"
        yield from (f"<circle cx='{a:.1f}' cy='{b:.1f}' r='{4 if name == 'chomp' else 3}' fill='{COLOURS[name]}'/>" for a, b in points)


def draw(run, patterns, names):
    """The text of the file."""
    patterns = [name for name in patterns if any(p.name == name for p in run.patterns())]
    names = [name for name in names if name in run.runtimes()]
    modes = [mode for mode in run.modes() if mode != "record"]
    rows = -(-len(patterns) // ACROSS)
    width, height = WIDTH * ACROSS, HEIGHT * rows + 44
    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}' {STYLE}>",
             f"<rect width='{width}' height='{height}' fill='white'/>"]
    for i, pattern in enumerate(patterns):
        parts += _panel(run, pattern, names, modes, WIDTH * (i % ACROSS), HEIGHT * (i // ACROSS))
    for i, name in enumerate(names):
        x = LEFT + 110 * i
        parts.append(f"<circle cx='{x}' cy='{height - 30}' r='4' fill='{COLOURS[name]}'/>")
        parts.append(f"<text x='{x + 8}' y='{height - 26}'>{'oneTBB' if name == 'tbb' else name}</text>")
    machine = run.about["machine"]
    parts.append(f"<text x='{LEFT - 4}' y='{height - 8}' fill='#555'>best time over threads; {html.escape(machine['cpu'])}, {machine['cpus']} CPUs, "
                 f"{run.about['date']}</text></svg>")
    return "\n".join(parts) + "\n"
