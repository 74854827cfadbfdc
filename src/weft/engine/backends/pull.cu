// Kernels of the GPU backend. A product pulls: each page sums the values of its neighbours.
//
// Links are in the order of their rows, four bytes each: the lower 31 bits are the neighbour, the
// top bit says that a row begins. A block takes a tile of TILE links, so that all have equal work
// however long rows are. Sums inside a tile are a segmented scan, sums across tiles are added up
// by `seams`: always in the same order and without atomic sums, so that results repeat to the bit.
// Positions of links have 64 bits.

typedef unsigned int u32;
typedef long long i64;

#define THREADS 256
#define PER_THREAD 8
#define TILE (THREADS * PER_THREAD)
#define WARPS (THREADS / 32)
#define ROW_STARTS 0x80000000u
#define ID 0x7fffffffu            // also the id of no link, behind the last one
#define PADDED(i) ((i) + ((i) >> 3))  // spreads the items of neighbouring threads over the banks
#define ALL_LANES 0xffffffffu

// Rows that begin in this tile before the links of this thread, and those of the thread as bits.
__device__ int rows_before(const u32* starts, u32* own, int* per_warp) {
  int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
  *own = (starts[thread >> 2] >> ((thread & 3) * PER_THREAD)) & 0xff;
  int count = __popc(*own), sum = count;
  for (int step = 1; step < 32; step <<= 1) {
    int other = __shfl_up_sync(ALL_LANES, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31) per_warp[warp] = sum;
  __syncthreads();
  int before = sum - count;
  for (int w = 0; w < warp; w++) before += per_warp[w];
  return before;
}

// y[row, c] = sum over the links of the row of weight * x[id, c]; V is the type of the values of x,
// W that of the weights, where char means none; COLUMNS is their number, or 0 for `width` columns.
// `first_row[tile]` counts the rows that begin before a tile. What belongs to a row of an earlier
// tile goes to `head`, what is open at the end to `tail`.
template <typename V, typename W, int COLUMNS>
__global__ void __launch_bounds__(THREADS, 5) pull(const u32* __restrict__ ids, const W* __restrict__ weights, i64 links,
                     const u32* __restrict__ first_row, const u32* __restrict__ rows, i64 width,
                     const V* __restrict__ x, double* y, double* head, double* tail) {
  __shared__ double values[PADDED(TILE)];
  __shared__ u32 starts[TILE / 32];
  __shared__ int rows_per_warp[WARPS];
  __shared__ double warp_sums[WARPS];
  __shared__ int warp_starts[WARPS];
  int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
  i64 tile = blockIdx.x, begin = tile * TILE, columns = COLUMNS ? COLUMNS : width;
  u32 id[PER_THREAD];
  for (int j = 0; j < PER_THREAD; j++) {
    i64 link = begin + j * THREADS + thread;
    id[j] = link < links ? __ldcs(ids + link) : ID;
  }
  u32 own = 0;
  int before = 0;
  i64 row = 0;
  for (i64 column = 0; column < columns; column++) {
    // All values are asked for before anything waits: that is where the time goes.
    for (int j = 0; j < PER_THREAD; j++) {
      int item = j * THREADS + thread;
      double value = id[j] == ID ? 0.0 : (double)x[(id[j] & ID) * columns + column];
      if (sizeof(W) > 1 && id[j] != ID) value *= (double)weights[begin + item];
      values[PADDED(item)] = value;
      if (column == 0) {
        u32 bits = __ballot_sync(ALL_LANES, id[j] >> 31);
        if (lane == 0) starts[item >> 5] = bits;
      }
    }
    __syncthreads();
    if (column == 0) {
      before = rows_before(starts, &own, rows_per_warp);
      row = (i64)first_row[tile] + before - 1;
    }
    double sum = 0, first = 0;
    bool seen = false;
    i64 current = row;
    for (int j = 0; j < PER_THREAD; j++) {
      if ((own >> j) & 1) {
        if (seen) y[rows[current] * columns + column] = sum;
        else { first = sum; seen = true; }
        current++;
        sum = 0;
      }
      sum += values[PADDED(thread * PER_THREAD + j)];
    }
    // segmented inclusive scan of what is open at the end of each thread
    double open = sum;
    int started = seen;
    for (int step = 1; step < 32; step <<= 1) {
      double other = __shfl_up_sync(ALL_LANES, open, step);
      int other_started = __shfl_up_sync(ALL_LANES, started, step);
      if (lane >= step) {
        if (!started) open = other + open;
        started |= other_started;
      }
    }
    if (lane == 31) { warp_sums[warp] = open; warp_starts[warp] = started; }
    double previous = __shfl_up_sync(ALL_LANES, open, 1);
    int previous_started = __shfl_up_sync(ALL_LANES, started, 1);
    if (lane == 0) { previous = 0; previous_started = 0; }
    __syncthreads();
    double carry = 0;
    for (int w = 0; w < warp; w++) carry = warp_starts[w] ? warp_sums[w] : carry + warp_sums[w];
    double incoming = previous_started ? previous : carry + previous;
    i64 seam = column * gridDim.x + tile;
    if (seen) {
      if (before > 0) y[rows[row] * columns + column] = incoming + first;
      else head[seam] = incoming + first;
    }
    if (thread == THREADS - 1) {
      tail[seam] = started ? open : carry + open;
      if (before + __popc(own) == 0) head[seam] = tail[seam];
    }
    __syncthreads();
  }
}

// The last row of each tile: its tail, and the heads of the tiles up to `last[tile]`, where the
// next row begins. A warp for each.
__global__ void seams(i64 tiles, const u32* __restrict__ first_row, const u32* __restrict__ last,
                      const u32* __restrict__ rows, i64 columns, const double* __restrict__ head,
                      const double* __restrict__ tail, double* y) {
  i64 seam = (blockIdx.x * (i64)blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x & 31;
  i64 column = seam / tiles, tile = seam % tiles;
  bool owns = column < columns && first_row[tile + 1] > first_row[tile];
  double sum = 0;
  if (owns)
    for (i64 k = tile + 1 + lane; k <= (i64)last[tile]; k += 32) sum += head[column * tiles + k];
  for (int step = 16; step; step >>= 1) sum += __shfl_down_sync(ALL_LANES, sum, step);
  if (owns && lane == 0) y[rows[first_row[tile + 1] - 1] * columns + column] = tail[seam] + sum;
}

// Sum three values over a block, and write them to its row of `sums`.
__device__ void write_sums(double a, double b, double c, double* sums) {
  __shared__ double parts[3][WARPS];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int step = 16; step; step >>= 1) {
    a += __shfl_down_sync(ALL_LANES, a, step);
    b += __shfl_down_sync(ALL_LANES, b, step);
    c += __shfl_down_sync(ALL_LANES, c, step);
  }
  if (lane == 0) { parts[0][warp] = a; parts[1][warp] = b; parts[2][warp] = c; }
  __syncthreads();
  if (threadIdx.x < 3) {
    double sum = 0;
    for (int w = 0; w < WARPS; w++) sum += parts[threadIdx.x][w];
    sums[3 * (i64)blockIdx.x + threadIdx.x] = sum;
  }
}

#define FOR_EACH(k, n)                                                               \
  for (i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x, k##_step = (i64)gridDim.x * blockDim.x; \
       k < (n); k += k##_step)

// y = a x + b z + c w, where factors of zero leave a vector unread; sums of squares, entries and
// changes. `alike` says that x has a single entry.
__global__ void combine(i64 n, double* y, double a, const double* x, i64 alike, double b,
                        const double* z, double c, const double* w, i64 nonnegative, double* sums) {
  double squares = 0, total = 0, change = 0;
  FOR_EACH(k, n) {
    double now = a * x[alike ? 0 : k];
    if (b != 0) now += b * z[k];
    if (c != 0) now += c * w[k];
    if (nonnegative && now < 0) now = 0;
    squares += now * now;
    total += now;
    change += fabs(now - y[k]);
    y[k] = now;
  }
  write_sums(squares, total, change, sums);
}

// A step of a Neumann series after the product: the total, what is passed on, and the sums of what
// arrived, and of what arrived at dangling pages.
__global__ void accumulate(i64 n, const double* arrivals, i64 alike, double* outgoing, double* total,
                           const double* row_scale, const double* teleport, i64 uniform, double mass,
                           double* sums) {
  double change = 0, dangling = 0;
  FOR_EACH(k, n) {
    double arrived = arrivals[alike ? 0 : k] + mass * teleport[uniform ? 0 : k], scale = row_scale[k];
    total[k] += arrived;
    outgoing[k] = arrived * scale;
    change += fabs(arrived);
    if (scale == 0) dangling += arrived;
  }
  write_sums(change, dangling, 0, sums);
}

// For Aitken's process: b . b and d2 . b, where b is the change of the last two differences.
__global__ void sum_bends(i64 n, const double* first, const double* second, const double* total,
                          double* sums) {
  double squares = 0, product = 0;
  FOR_EACH(k, n) {
    double last = total[k] - second[k], bend = last - (second[k] - first[k]);
    squares += bend * bend;
    product += last * bend;
  }
  write_sums(squares, product, 0, sums);
}

// Add t d2 to the total, and pass on d2 + t b; the sum of that at dangling pages.
__global__ void extrapolate(i64 n, const double* first, const double* second, double t,
                            double* outgoing, double* total, const double* row_scale, double* sums) {
  double dangling = 0;
  FOR_EACH(k, n) {
    double last = total[k] - second[k], scale = row_scale[k];
    double step = last + t * (last - (second[k] - first[k]));
    total[k] += t * last;
    outgoing[k] = step * scale;
    if (scale == 0) dangling += step;
  }
  write_sums(dangling, 0, 0, sums);
}

// How many links have each id. Integers, so that the order of the additions does not matter.
__global__ void count_links(const u32* __restrict__ ids, i64 links, u32* counts) {
  FOR_EACH(k, links) atomicAdd(counts + (__ldcs(ids + k) & ID), 1u);
}

__device__ u32 find_root(volatile u32* parent, u32 node) {
  u32 above = parent[node];
  while (above != node) {
    u32 next = parent[above];
    parent[node] = next;
    node = above;
    above = next;
  }
  return node;
}

// Union-find over the links: node id for the hub, pages + row for the authority. The smaller root
// wins, so that in the end the root of a component is its first node, in whatever order.
__global__ void unite(const u32* __restrict__ ids, i64 links, const u32* __restrict__ first_row,
                      const u32* __restrict__ rows, i64 pages, u32* parent) {
  __shared__ u32 tile_ids[TILE];
  __shared__ u32 starts[TILE / 32];
  __shared__ int rows_per_warp[WARPS];
  int thread = threadIdx.x;
  i64 tile = blockIdx.x, begin = tile * TILE;
  for (int j = 0; j < PER_THREAD; j++) {
    int item = j * THREADS + thread;
    u32 id = begin + item < links ? ids[begin + item] : ID;
    tile_ids[item] = id;
    u32 bits = __ballot_sync(ALL_LANES, id >> 31);
    if ((thread & 31) == 0) starts[item >> 5] = bits;
  }
  __syncthreads();
  u32 own;
  i64 row = (i64)first_row[tile] + rows_before(starts, &own, rows_per_warp) - 1;
  for (int j = 0; j < PER_THREAD; j++) {
    u32 id = tile_ids[thread * PER_THREAD + j];
    if (id >> 31) row++;
    if (id == ID) break;
    u32 a = find_root(parent, id & ID), b = find_root(parent, (u32)pages + rows[row]);
    while (a != b) {
      if (a < b) { u32 swap = a; a = b; b = swap; }
      u32 old = atomicCAS(parent + a, a, b);
      if (old == a) break;
      a = find_root(parent, old);
      b = find_root(parent, b);
    }
  }
}

__global__ void flatten(i64 nodes, u32* parent) {
  FOR_EACH(k, nodes) {
    volatile u32* shared = parent;
    u32 root = shared[k];
    while (shared[root] != root) root = shared[root];
    shared[k] = root;
  }
}
