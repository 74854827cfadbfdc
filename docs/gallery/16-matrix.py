"""The link matrix: sites are blocks on the diagonal."""

links = c.graph().to_scipy().tocoo()
plt.hist2d(links.col, links.row, bins=20, cmap="Blues", norm="log")
plt.gca().invert_yaxis()
plt.colorbar(label="links")
plt.xlabel("to page")
plt.ylabel("from page")
