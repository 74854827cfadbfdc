"""Which methods agree: Kendall's tau-b."""

methods = ["indegree", "pagerank", "hits", "salsa", "trustrank", "bfs"]
agreement = c.compare_methods(*methods, query="jaguar").tau_matrix()
plt.imshow(agreement.to_pandas()[methods].astype(float), vmin=0, vmax=1, cmap="Blues")
plt.xticks(range(len(methods)), methods, rotation=45, ha="right")
plt.yticks(range(len(methods)), methods)
plt.colorbar(label="tau-b")
