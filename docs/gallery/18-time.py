"""Captures by week."""

times = c.page_table().to_pandas()["time"].dropna()
weeks = times.dt.strftime("%Y-%W").value_counts().sort_index()
plt.bar(weeks.index, weeks)
plt.xticks(rotation=90)
plt.ylabel("pages")
