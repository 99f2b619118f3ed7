// Algorithm 3 of Glenn, Fang and Kruskal (2009) for three players, dice with three faces, columns
// 1 3 5 3 1, two columns and two markers, (3,3,1,2): straightforward, for this one game, with an
// index of its own. Prints P1, P2, P3, components, and seconds.
//
// A component is a placement of squares. Its index is a number in a mixed radix: for every column
// the place of (square of player 0, 1, 2) in a list of what is possible. All values of anchors lie
// in one array; components are solved in the order of spaces left. Equivalent components (left and
// right; who closed which column) are solved once: those that are not the least of their kind are
// looked up by that one.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int P = 3, W = 5, C = 2, SIDES = 3;
constexpr int TOP[W] = {1, 3, 5, 3, 1};
using Board = std::array<std::array<signed char, W>, P>;
struct Value { double v[P]; };

static std::vector<std::array<signed char, P>> states[W];  // closed: one has TOP, others 0
static std::vector<int> number[W];                         // by base-8 code
static long place[W];

static long index_of(const Board& b) {
  long at = 0;
  for (int c = 0; c < W; c++) {
    int code = 0;
    for (int i = 0; i < P; i++) code = code * 8 + b[i][c];
    at += place[c] * number[c][code];
  }
  return at;
}

static bool closed(const Board& b, int c) {
  for (int i = 0; i < P; i++)
    if (b[i][c] == TOP[c]) return true;
  return false;
}

static Board unnamed(const Board& b) {  // closed columns handed out from left to right
  Board r = b;
  int has[P] = {0, 0, 0}, taker = 0;
  for (int c = 0; c < W; c++)
    for (int i = 0; i < P; i++) has[i] += b[i][c] == TOP[c];
  for (int c = 0; c < W; c++) {
    if (!closed(b, c)) continue;
    while (!has[taker]) taker++;
    for (int i = 0; i < P; i++) r[i][c] = i == taker ? TOP[c] : 0;
    has[taker]--;
  }
  return r;
}

static long least(const Board& b) {
  Board m;
  for (int i = 0; i < P; i++)
    for (int c = 0; c < W; c++) m[i][c] = b[i][W - 1 - c];
  return std::min(index_of(unnamed(b)), index_of(unnamed(m)));
}

static std::vector<Value> anchors;  // component * P + player on turn

struct Roll { int pair[3][2]; int ways; };
static std::vector<Roll> rolls;

// One turn of player t: marker placements y >= x in at most two open columns, from the highest to
// the lowest. What a placement is worth is constant + factor * (value of the next anchor).
struct Turn {
  const Board* b;
  int t;

  Value guess;           // of the next anchor
  int size[W], step[W];  // mixed radix of markers above the squares
  std::vector<double> constant;  // [node][P]
  std::vector<double> factor;
  bool first_round = true;
  std::vector<Value> stopped;    // what stopping is worth, kept from round to round
  std::vector<char> may_stop;

  long nodes() const { return step[W - 1] * size[W - 1]; }

  bool won(const int* y) const {
    int n = 0;
    for (int c = 0; c < W; c++) n += y[c] == TOP[c];
    return n >= C;
  }

  void stop_value(long node, const int* y) {
    if (!first_round) return;
    may_stop[node] = 1;
    for (int c = 0; c < W; c++)
      if (y[c] > (*b)[t][c] && y[c] < TOP[c])
        for (int i = 0; i < P; i++)
          if (i != t && (*b)[i][c] == y[c]) may_stop[node] = 0;
    if (!may_stop[node]) return;
    Board r = *b;
    for (int c = 0; c < W; c++)
      if (y[c] > (*b)[t][c]) {
        r[t][c] = y[c];
        if (y[c] == TOP[c])
          for (int i = 0; i < P; i++)
            if (i != t) r[i][c] = 0;
      }
    stopped[node] = anchors[least(r) * P + (t + 1) % P];
  }

  // The node after one step in a column, or -1.
  long stepped(long node, int* y, int c, int marked) const {
    bool has = y[c] > (*b)[t][c];
    if (closed(*b, c) || y[c] == TOP[c] || (!has && marked == C)) return -1;
    y[c]++;
    return node + step[c];
  }

  void roll(long node, int* y, int marked, double* out, double& share) {
    for (int i = 0; i < P; i++) out[i] = 0;
    share = 0;
    for (const Roll& r : rolls) {
      double best = -1;
      long take = -1;
      for (int k = 0; k < 3; k++) {
        int a = r.pair[k][0], d = r.pair[k][1];
        auto consider = [&](long to) {
          double mine = constant[to * P + t] + factor[to] * guess.v[t];
          if (mine > best + 1e-12) best = mine, take = to;
        };
        long one = stepped(node, y, a, marked);
        if (one >= 0) {
          int now = marked + (y[a] - 1 == (*b)[t][a]);
          long both = stepped(one, y, d, now);
          if (both >= 0) {
            y[d]--, y[a]--;
            consider(both);
            continue;
          }
          y[a]--;
          consider(one);
        }
        long other = stepped(node, y, d, marked);
        if (other >= 0) {
          y[d]--;
          consider(other);
        }
      }
      if (take < 0) {
        share += r.ways;
      } else {
        for (int i = 0; i < P; i++) out[i] += r.ways * constant[take * P + i];
        share += r.ways * factor[take];
      }
    }
    for (int i = 0; i < P; i++) out[i] /= 81.0;
    share /= 81.0;
  }

  void pass() {
    int y[W];
    for (long node = nodes() - 1; node >= 0; node--) {
      int marked = 0;
      for (int c = 0; c < W; c++) {
        y[c] = (*b)[t][c] + node / step[c] % size[c];
        marked += y[c] > (*b)[t][c];
      }
      if (marked > C) continue;
      double* own = &constant[node * P];
      if (won(y)) {
        for (int i = 0; i < P; i++) own[i] = i == t;
        factor[node] = 0;
        continue;
      }
      roll(node, y, marked, own, factor[node]);
      if (node == 0) continue;
      stop_value(node, y);
      if (may_stop[node] && stopped[node].v[t] > own[t] + factor[node] * guess.v[t] + 1e-12) {
        for (int i = 0; i < P; i++) own[i] = stopped[node].v[i];
        factor[node] = 0;
      }
    }
    first_round = false;
  }

  void begin(const Board& board, int player) {
    b = &board, t = player, first_round = true;
    int at = 1;
    for (int c = 0; c < W; c++) {
      size[c] = closed(board, c) ? 1 : TOP[c] - board[t][c] + 1;
      step[c] = at;
      at *= size[c];
    }
    constant.resize(at * P), factor.resize(at), stopped.resize(at), may_stop.resize(at);
  }
};

int main() {
  auto began = std::chrono::steady_clock::now();
  long total = 1;
  for (int c = 0; c < W; c++) {
    number[c].assign(512, -1);
    for (int code = 0; code < 512; code++) {
      std::array<signed char, P> s = {(signed char)(code / 64), (signed char)(code / 8 % 8),
                                      (signed char)(code % 8)};
      bool fine = true;
      int tops = 0, others = 0;
      for (int i = 0; i < P; i++) {
        fine &= s[i] <= TOP[c];
        tops += s[i] == TOP[c];
        others += s[i] != 0 && s[i] != TOP[c];
        for (int j = 0; j < i; j++) fine &= s[i] == 0 || s[i] != s[j];
      }
      if (!fine || tops > 1 || (tops && others)) continue;
      number[c][code] = states[c].size();
      states[c].push_back(s);
    }
    place[c] = total;
    total *= states[c].size();
  }
  for (int d = 0; d < 81; d++) {
    int f[4] = {d % 3, d / 3 % 3, d / 9 % 3, d / 27};
    if (!std::is_sorted(f, f + 4)) continue;
    Roll r = {{{f[0] + f[1], f[2] + f[3]}, {f[0] + f[2], f[1] + f[3]}, {f[0] + f[3], f[1] + f[2]}}, 0};
    int g[4] = {f[0], f[1], f[2], f[3]};
    do r.ways++;
    while (std::next_permutation(g, g + 4));
    rolls.push_back(r);
  }
  // Components by spaces left.
  std::vector<std::vector<long>> levels;
  for (long at = 0; at < total; at++) {
    Board b;
    int left = 0, has[P] = {0, 0, 0};
    for (int c = 0; c < W; c++) {
      auto s = states[c][at / place[c] % states[c].size()];
      for (int i = 0; i < P; i++) b[i][c] = s[i], has[i] += s[i] == TOP[c];
      if (!closed(b, c))
        for (int i = 0; i < P; i++) left += TOP[c] - s[i];
    }
    if (*std::max_element(has, has + P) >= C || least(b) != at) continue;
    if ((int)levels.size() <= left) levels.resize(left + 1);
    levels[left].push_back(at);
  }
  anchors.resize(total * P);
  long components = 0, rounds = 0;
  Turn turns[P];
  for (auto& level : levels)
    for (long at : level) {
      components++;
      Board b;
      for (int c = 0; c < W; c++)
        for (int i = 0; i < P; i++) b[i][c] = states[c][at / place[c] % states[c].size()][i];
      Value x[P];
      for (int t = 0; t < P; t++) {
        turns[t].begin(b, t);
        for (int i = 0; i < P; i++) x[t].v[i] = 1.0 / P;
      }
      for (int round = 0; round < 50; round++) {
        rounds++;
        double a[P][P], f[P];
        for (int t = 0; t < P; t++) {
          turns[t].guess = x[(t + 1) % P];
          turns[t].pass();
          for (int i = 0; i < P; i++) a[t][i] = turns[t].constant[i];
          f[t] = turns[t].factor[0];
        }
        double change = 0;
        Value fresh[P];
        for (int i = 0; i < P; i++) {
          double constant = a[0][i] + f[0] * (a[1][i] + f[1] * a[2][i]);
          fresh[0].v[i] = constant / (1 - f[0] * f[1] * f[2]);
          fresh[2].v[i] = a[2][i] + f[2] * fresh[0].v[i];
          fresh[1].v[i] = a[1][i] + f[1] * fresh[2].v[i];
        }
        for (int t = 0; t < P; t++)
          for (int i = 0; i < P; i++) change = std::max(change, std::fabs(fresh[t].v[i] - x[t].v[i]));
        std::memcpy(x, fresh, sizeof x);
        if (change < 1e-14) break;
      }
      for (int t = 0; t < P; t++) anchors[at * P + t] = x[t];
    }
  double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  Board empty{};
  const Value& v = anchors[index_of(empty) * P];
  const double right[P] = {0.694227693898, 0.229742829936, 0.076029476166};
  for (int i = 0; i < P; i++)
    if (std::fabs(v.v[i] - right[i]) > 1e-11) {
      std::printf("wrong: %.12f\n", v.v[i]);
      return 1;
    }
  std::printf("%.12f %.12f %.12f %ld %.6f %ld\n", v.v[0], v.v[1], v.v[2], components, took, rounds);
}
