"""Authorities and hubs of a topic."""

rows = [row for row in c.topics("jaguar").to_table().to_pylist() if row["topic"] == 1]
for place, role in enumerate(("authority", "hub")):
    best = [row for row in rows if row["role"] == role][:8][::-1]
    axes = plt.subplot(2, 1, place + 1, title=role)
    axes.barh([row["page"][7:45] for row in best], [row["score"] for row in best])
