"""Few pages are both authority and hub."""

import pyarrow.compute as pc

table = c.rank("hits", query="jaguar").to_table()
table = table.filter((pc.field("authority") > 0.005) | (pc.field("hub") > 0.005))
plt.plot(table["authority"], table["hub"], ".", alpha=0.5)
plt.xlabel("authority")
plt.ylabel("hub")
