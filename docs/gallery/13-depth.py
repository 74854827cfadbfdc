"""Clicks from home, drawn by Weft."""

from weft.report.plots import draw_plots

svg = next(iter(draw_plots(c.structure("depth")).values()))
