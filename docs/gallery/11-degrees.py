"""In-degrees with the fitted power law, drawn by Weft."""

from weft.report.plots import draw_plots

svg = next(iter(draw_plots(c.structure("degrees")).values()))
