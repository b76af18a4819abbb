/* The budget recursion W_t(s,b) = min_a E W_{t+1}(s', b - r) of a product model, triangular, transitions before rewards,
   least actions recorded in one byte: what a careful C programmer writes.  Compiled by the benchmark that uses it. */
#include <stdint.h>
#include <stdlib.h>
#define TILE 16
#define LANES 4
typedef double vec __attribute__((vector_size(8 * LANES)));
typedef double loose __attribute__((vector_size(8 * LANES), aligned(8)));
typedef int64_t mask __attribute__((vector_size(8 * LANES)));
typedef int8_t bytes __attribute__((vector_size(LANES), aligned(1)));

static inline vec load(const double *x) { return *(const loose *)x; }
static inline void store(double *x, vec v) { *(loose *)x = v; }

/* u[b] = sum_j p[j] V[state[j]][b] for 0 <= b < width */
static void mix(const double *restrict v, long stride, const int64_t *state, const double *p, long n, long width,
                double *restrict u) {
  long b = 0;
  for (; b + TILE <= width; b += TILE) {
    vec a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0};
    for (long j = 0; j < n; j++) {
      const double *row = v + state[j] * stride + b;
      a0 += p[j] * load(row);
      a1 += p[j] * load(row + LANES);
      a2 += p[j] * load(row + 2 * LANES);
      a3 += p[j] * load(row + 3 * LANES);
    }
    store(u + b, a0);
    store(u + b + LANES, a1);
    store(u + b + 2 * LANES, a2);
    store(u + b + 3 * LANES, a3);
  }
  for (; b < width; b++) {
    double acc = 0;
    for (long j = 0; j < n; j++) acc += p[j] * v[state[j] * stride + b];
    u[b] = acc;
  }
}

static inline void keep(vec x, double *o, int8_t *best, int8_t action) {
  vec old = load(o);
  mask less = x < old;
  bytes narrow = __builtin_convertvector(less, bytes);
  store(o, (vec)(((mask)x & less) | ((mask)old & ~less)));
  *(bytes *)best = (narrow & action) | (~narrow & *(bytes *)best);
}

/* o[b] = min(o[b], sum_k q[k] u[b - r[k]]), the action that attains it in best */
static void rewards(const double *restrict u, const int64_t *r, const double *q, long m, long width, int action,
                    double *restrict o, int8_t *restrict best) {
  long b = 0;
  for (; b + TILE <= width; b += TILE) {
    vec a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0};
    for (long k = 0; k < m; k++) {
      const double *x = u + b - r[k];
      a0 += q[k] * load(x);
      a1 += q[k] * load(x + LANES);
      a2 += q[k] * load(x + 2 * LANES);
      a3 += q[k] * load(x + 3 * LANES);
    }
    if (action == 0) {
      store(o + b, a0);
      store(o + b + LANES, a1);
      store(o + b + 2 * LANES, a2);
      store(o + b + 3 * LANES, a3);
      for (int i = 0; i < TILE; i++) best[b + i] = 0;
    } else {
      keep(a0, o + b, best + b, (int8_t)action);
      keep(a1, o + b + LANES, best + b + LANES, (int8_t)action);
      keep(a2, o + b + 2 * LANES, best + b + 2 * LANES, (int8_t)action);
      keep(a3, o + b + 3 * LANES, best + b + 3 * LANES, (int8_t)action);
    }
  }
  for (; b < width; b++) {
    double acc = 0;
    for (long k = 0; k < m; k++) acc += q[k] * u[b - r[k]];
    if (action == 0 || acc < o[b]) { o[b] = acc; best[b] = (int8_t)action; }
  }
}

/* V, W: S x stride, budget b in column M + b.  policy: for n = 1..T, S x nM bytes behind each other, n = 1 first.
   Returns 0 if the result is in V, 1 if in W. */
int plan(long S, long A, long T, long M, const int64_t *start, const int64_t *state, const double *p,
         const int64_t *rstart, const int64_t *r, const double *q, double *V, double *W, long stride, int8_t *policy) {
  double *u = calloc(stride + M + TILE, sizeof(double));
  for (long s = 0; s < S; s++)
    for (long b = 0; b <= M; b++) { V[s * stride + b] = 0; V[s * stride + M + b] = b; W[s * stride + b] = 0; }
  for (long n = 1; n <= T; n++) {
    long w = n * M;
    for (long s = 0; s < S; s++) {
      double *o = W + s * stride + M + 1;
      for (long a = 0; a < A; a++) {
        long i = s * A + a;
        mix(V + M + 1, stride, state + start[i], p + start[i], start[i + 1] - start[i], w, u + M + 1);
        rewards(u + M + 1, r + rstart[i], q + rstart[i], rstart[i + 1] - rstart[i], w, (int)a, o, policy + s * w);
      }
      if (n < T)
        for (long b = 1; b <= M; b++) W[s * stride + M + w + b] = W[s * stride + M + w] + b;
    }
    policy += S * w;
    double *swap = V; V = W; W = swap;
  }
  free(u);
  return T & 1;
}
