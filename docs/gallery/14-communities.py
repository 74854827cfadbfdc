"""Sizes of communities."""

sizes = c.communities().to_table()["pages"].to_pylist()
plt.bar(range(1, len(sizes) + 1), sizes)
plt.xlabel("community")
plt.ylabel("pages")
