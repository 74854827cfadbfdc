"""The pages most similar to a page."""

table = c.similar("jaguarmagazine.example/").to_table().slice(0, 8)
for name, colour in (("co-citation", "C0"), ("coupling", "C1")):
    plt.plot(table[name], range(len(table)), "o", color=colour, label=name)
plt.yticks(range(len(table)), [page[7:40] for page in table["page"].to_pylist()])
plt.legend()
