"""In-degree and PageRank."""

first = c.rank("indegree").to_pandas().set_index("page")
both = first.join(c.rank("pagerank").to_pandas().set_index("page"))
both = both.sort_values("score").tail(300)
plt.loglog(both["share"], both["score"], ".", alpha=0.5)
plt.xlabel("share of all links")
plt.ylabel("PageRank")
