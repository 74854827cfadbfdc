"""PageRank of three pages as damping grows."""

damping = [0.05, 0.25, 0.5, 0.7, 0.85, 0.95]
pages = [
    "http://jaguarmagazine.example/",
    "http://www.seekwell.example/",
    "http://www.jaguarfund.example/",
]
tables = [c.rank("pagerank", damping=d).to_pandas().set_index("page")["score"] for d in damping]
for page in pages:
    plt.plot(damping, [table[page] for table in tables], "o-", label=page[7:])
plt.xlabel("damping")
plt.ylabel("PageRank")
plt.legend()
