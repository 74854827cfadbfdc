// Runs CUDA kernels on the processor: the threads of a block are coroutines that take turns.
// A barrier, a shuffle or a vote lets each thread of the block run up to it. Blocks run one after
// the other. Kernels must have the same barriers in all threads, as CUDA demands too.
#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>

#define __global__
#define __device__ static
#define __shared__ static
#define __launch_bounds__(...)

struct Index { unsigned x; };
static Index threadIdx, blockIdx, blockDim, gridDim;
static const int BLOCK = 256;
static const size_t STACK = 1 << 16;
static jmp_buf resume[BLOCK], host;
static ucontext_t creator, created;
static bool starting;
static std::function<void()> job;
static unsigned long long slots[BLOCK];

static void go_on(int thread) {
  threadIdx.x = thread;
  _longjmp(resume[thread], 1);
}

static void life(int thread) {
  for (;;) {
    if (_setjmp(resume[thread])) job();
    else if (starting) swapcontext(&created, &creator);
    else if (thread + 1 < BLOCK) go_on(thread + 1);
    else _longjmp(host, 1);
  }
}

static void __attribute__((noinline)) barrier() {
  int thread = threadIdx.x;
  if (!_setjmp(resume[thread])) go_on((thread + 1) % BLOCK);
}

static void run(unsigned blocks, std::function<void()> kernel) {
  static bool created_all = false;
  if (!created_all) {
    starting = created_all = true;
    for (int thread = 0; thread < BLOCK; thread++) {
      getcontext(&created);
      created.uc_stack.ss_sp = malloc(STACK);
      created.uc_stack.ss_size = STACK;
      created.uc_link = nullptr;
      makecontext(&created, (void (*)())life, 1, thread);
      swapcontext(&creator, &created);
    }
    starting = false;
  }
  job = kernel;
  blockDim.x = BLOCK;
  gridDim.x = blocks;
  for (volatile unsigned block = 0; block < blocks; block = block + 1) {
    blockIdx.x = block;
    if (!_setjmp(host)) go_on(0);
  }
}

static inline void __syncthreads() { barrier(); }
static inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
template <typename T> static T __ldcs(const T* at) { return *at; }

template <typename T> static T exchange(T value, int from) {
  int own = threadIdx.x;
  memcpy(slots + own, &value, sizeof value);
  barrier();
  if (from / 32 == own / 32 && from >= 0) memcpy(&value, slots + from, sizeof value);
  barrier();
  return value;
}
template <typename T> static T __shfl_up_sync(unsigned, T value, int by) {
  return exchange(value, (int)(threadIdx.x & 31) < by ? (int)threadIdx.x : (int)threadIdx.x - by);
}
template <typename T> static T __shfl_down_sync(unsigned, T value, int by) {
  return exchange(value, (int)threadIdx.x + by);
}
static unsigned __ballot_sync(unsigned, unsigned vote) {
  unsigned first = threadIdx.x / 32 * 32, bits = 0;
  slots[threadIdx.x] = vote != 0;
  barrier();
  for (unsigned lane = 0; lane < 32; lane++) bits |= (unsigned)slots[first + lane] << lane;
  barrier();
  return bits;
}
static unsigned atomicAdd(unsigned* at, unsigned more) {
  unsigned old = *at;
  *at = old + more;
  return old;
}
static unsigned atomicCAS(unsigned* at, unsigned expected, unsigned desired) {
  unsigned old = *at;
  if (old == expected) *at = desired;
  return old;
}

template <typename... A, size_t... I>
static void call(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
  kernel(*(A*)arguments[I]...);
}
template <typename... A>
static void launch(void (*kernel)(A...), unsigned blocks, void** arguments) {
  run(blocks, [=] { call(kernel, arguments, std::index_sequence_for<A...>{}); });
}
