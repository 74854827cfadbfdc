"""PageRank has a long tail."""

scores = c.rank("pagerank").to_table()["score"].to_numpy()
plt.loglog(range(1, len(scores) + 1), scores)
plt.xlabel("place")
plt.ylabel("PageRank")
