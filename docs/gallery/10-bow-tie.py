"""The bow-tie, drawn by Weft."""

from weft.report.plots import draw_plots

(svg,) = draw_plots(c.structure("bow-tie")).values()
