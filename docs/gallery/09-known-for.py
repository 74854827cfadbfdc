"""What a page is known for."""

table = c.known_for("jaguarmagazine.example/").to_table().slice(0, 8)
plt.barh(table["term"].to_pylist()[::-1], table["reputation"].to_pylist()[::-1])
plt.xlabel("reputation")
