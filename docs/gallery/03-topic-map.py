"""A topic as a map: hubs on the left, authorities on the right."""

import networkx as nx

topic = c.topics("jaguar")[0]
rows = c.topics("jaguar").to_table().to_pylist()
best = {
    role: [r["page"] for r in rows if r["topic"] == 1 and r["role"] == role][:8]
    for role in ("hub", "authority")
}
links = c.graph().to_networkx().subgraph(best["hub"] + best["authority"])
places = {
    p: (x, -y) for x, role in enumerate(("hub", "authority")) for y, p in enumerate(best[role])
}
nx.draw(
    links.subgraph(places),
    places,
    node_size=60,
    node_color=["C0" if places[p][0] else "C1" for p in links.subgraph(places)],
    edge_color="0.8",
    arrowsize=6,
)
for page, (x, y) in places.items():
    plt.text(
        x + (0.03 if x else -0.03), y, page[7:32], ha="left" if x else "right", va="center", size=7
    )
plt.xlim(-0.7, 1.7)
