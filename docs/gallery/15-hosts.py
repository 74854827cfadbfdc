"""The thirty hosts with most links, and the links among them."""

import networkx as nx

hosts = c.graph("host").to_networkx().to_undirected()
hosts = hosts.subgraph(max(nx.connected_components(hosts), key=len))
big = sorted(hosts, key=hosts.degree, reverse=True)[:30]
part = hosts.subgraph(big)
nx.draw(
    part,
    nx.circular_layout(sorted(part)),
    node_size=[8 * part.degree(h) for h in part],
    edge_color="0.85",
    width=0.4,
)
