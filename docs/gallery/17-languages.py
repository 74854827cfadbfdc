"""Languages of a collection."""

counts = c.page_table().to_pandas()["language"].replace("", "none").value_counts()
plt.bar(counts.index, counts)
plt.yscale("log")
plt.ylabel("pages")
