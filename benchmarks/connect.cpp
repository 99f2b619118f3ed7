// The twin of `perfectplay solve connect`: a straightforward program for one game.
// Hash table of all positions, breadth-first from the empty board, then backwards by stones.
// Prints: positions, outcome of the start (1 win, 0 draw, -1 loss), its depth in plies, seconds.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Word = uint64_t;

static int W, H, K;
static Word BOTTOM;

struct Position {
    Word mine, mask;
    Word key() const { return mine + mask + BOTTOM; }
};

static bool lined(Word stones) {
    const int steps[4] = {1, H, H + 1, H + 2};
    for (int step : steps) {
        Word run = stones;
        for (int i = 1; i < K; i++) run &= run >> step;
        if (run) return true;
    }
    return false;
}

struct Table {
    Word capacity = 1 << 16, count = 0;
    std::vector<Word> keys = std::vector<Word>(capacity);
    std::vector<uint32_t> rows = std::vector<uint32_t>(capacity);
    Word slot(Word key) const {
        Word h = key * 0x9E3779B97F4A7C15ull;
        h ^= h >> 32;
        Word s = h & (capacity - 1);
        while (keys[s] && keys[s] != key) s = (s + 1) & (capacity - 1);
        return s;
    }
    void grow() {
        std::vector<Word> old_keys(capacity * 2);
        std::vector<uint32_t> old_rows(capacity * 2);
        old_keys.swap(keys);
        old_rows.swap(rows);
        Word before = capacity;
        capacity *= 2;
        for (Word s = 0; s < before; s++)
            if (old_keys[s]) {
                Word t = slot(old_keys[s]);
                keys[t] = old_keys[s];
                rows[t] = old_rows[s];
            }
    }
    bool insert(Word key, uint32_t row) {
        if (2 * count >= capacity) grow();
        Word s = slot(key);
        if (keys[s]) return false;
        keys[s] = key;
        rows[s] = row;
        count++;
        return true;
    }
};

int main(int argc, char **argv) {
    W = argc > 1 ? atoi(argv[1]) : 5;
    H = argc > 2 ? atoi(argv[2]) : 4;
    K = argc > 3 ? atoi(argv[3]) : 4;
    auto began = std::chrono::steady_clock::now();
    for (int c = 0; c < W; c++) BOTTOM |= Word(1) << (c * (H + 1));
    std::vector<Position> found{{0, 0}};
    Table table;
    table.insert(found[0].key(), 0);
    for (size_t i = 0; i < found.size(); i++) {
        Position p = found[i];
        if (lined(p.mask ^ p.mine)) continue;
        for (int c = 0; c < W; c++) {
            if (p.mask >> (c * (H + 1) + H - 1) & 1) continue;
            Position q{p.mask ^ p.mine, p.mask | (p.mask + (Word(1) << (c * (H + 1))))};
            if (table.insert(q.key(), uint32_t(found.size()))) found.push_back(q);
        }
    }
    std::vector<int8_t> value(found.size());
    std::vector<int16_t> depth(found.size());
    for (size_t i = found.size(); i-- > 0;) {
        Position p = found[i];
        if (lined(p.mask ^ p.mine)) {
            value[i] = -1;
            continue;
        }
        int best = -2, plies = 0;
        for (int c = 0; c < W; c++) {
            if (p.mask >> (c * (H + 1) + H - 1) & 1) continue;
            Position q{p.mask ^ p.mine, p.mask | (p.mask + (Word(1) << (c * (H + 1))))};
            uint32_t row = table.rows[table.slot(q.key())];
            int v = -value[row], d = depth[row] + 1;
            if (v > best || (v == best && (v > 0 ? d < plies : d > plies))) best = v, plies = d;
        }
        if (best == -2) best = 0;
        value[i] = int8_t(best);
        depth[i] = int16_t(best ? plies : 0);
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    printf("%zu %d %d %.3f\n", found.size(), value[0], depth[0], seconds);
}
