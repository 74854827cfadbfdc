"""Topics of a query, by size."""

topics = c.topics("jaguar")
names = [" · ".join(topic.label[:2]) for topic in topics]
plt.barh(names[::-1], [len(topic.members) for topic in topics][::-1])
plt.xlabel("pages")
