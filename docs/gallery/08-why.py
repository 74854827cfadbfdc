"""Where a score comes from, by anchor text."""

table = c.why("jaguarmagazine.example/", query="jaguar").table("anchor").slice(0, 8)
plt.barh(table["from"].to_pylist()[::-1], table["amount"].to_pylist()[::-1])
plt.xlabel("part of the PageRank")
