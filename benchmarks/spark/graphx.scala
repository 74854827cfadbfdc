// PageRank by GraphX, for `spark-shell -I`: benchmarks/spark.py reads what it prints and meters it.
import org.apache.spark.graphx.{Edge, Graph}

def say(what: String): Unit = { println("graphx: " + what); Console.out.flush() }

/** Wait until there is a file of this name beside the edges. */
def await(name: String): Unit = {
  val folder = new java.io.File(sc.getConf.get("spark.weft.edges")).getParentFile
  while (!new java.io.File(folder, name).exists) Thread.sleep(20)
}

val rows = spark.read.parquet("file://" + sc.getConf.get("spark.weft.edges")).repartition(sc.defaultParallelism)
val links = rows.rdd.map(row => Edge(row.getLong(0), row.getLong(1), 1))
val graph = Graph.fromEdges(links, 0).cache()
graph.edges.count()
graph.staticPageRank(4).vertices.count() // compiles and warms up
say("ready " + sc.applicationId + " " + sc.uiWebUrl.get)
for (rounds <- sc.getConf.get("spark.weft.rounds").split(",")) {
  await("start-" + rounds)
  val best = graph.staticPageRank(rounds.toInt).vertices.top(1)(Ordering.by(_._2)).head
  say("done " + rounds + " " + best._1)
}
await("end")
sys.exit(0)
