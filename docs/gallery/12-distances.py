"""How far apart pages are, drawn by Weft."""

from weft.report.plots import draw_plots

svg = next(iter(draw_plots(c.structure("distances")).values()))
