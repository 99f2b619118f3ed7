// The twin of `perfectplay solve connect`: a straightforward program for one game.
// Hash table of all positions, breadth-first from the empty board, then backwards by stones.
// Arguments: width, height, how many in a row, threads. With several threads the positions are
// divided among them by a hash of the key, and all threads meet after every ply.
// Prints: positions, outcome of the start (1 win, 0 draw, -1 loss), its depth in plies, seconds by
// the clock, seconds of all cores.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <thread>
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

struct Answer {
    size_t positions;
    int value, depth;
};

struct Best {
    int value = -2, plies = 0;
    void take(int v, int d) {
        if (v > value || (v == value && (v > 0 ? d < plies : d > plies))) value = v, plies = d;
    }
};

static Position child(Position p, int c) {
    return {p.mask ^ p.mine, p.mask | (p.mask + (Word(1) << (c * (H + 1))))};
}

static bool full(Position p, int c) { return p.mask >> (c * (H + 1) + H - 1) & 1; }

static Answer alone() {
    std::vector<Position> found{{0, 0}};
    Table table;
    table.insert(found[0].key(), 0);
    for (size_t i = 0; i < found.size(); i++) {
        Position p = found[i];
        if (lined(p.mask ^ p.mine)) continue;
        for (int c = 0; c < W; c++) {
            if (full(p, c)) continue;
            Position q = child(p, c);
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
        Best best;
        for (int c = 0; c < W; c++) {
            if (full(p, c)) continue;
            uint32_t row = table.rows[table.slot(child(p, c).key())];
            best.take(-value[row], depth[row] + 1);
        }
        if (best.value == -2) best.value = 0;
        value[i] = int8_t(best.value);
        depth[i] = int16_t(best.value ? best.plies : 0);
    }
    return {found.size(), value[0], depth[0]};
}

struct Shard {
    Table table;
    std::vector<Position> found;
    std::vector<size_t> plies{0};  // where the positions of each ply begin
    std::vector<int8_t> value;
    std::vector<int16_t> depth;
    std::vector<std::vector<Position>> outbox;  // children, by shard
};

static Answer together(int threads) {
    std::vector<Shard> shards(threads);
    auto home = [&](Word key) { return (key * 0xD6E8FEB86659FD93ull >> 40) % threads; };
    auto every = [&](const std::function<void(int)> &task) {
        std::vector<std::thread> team;
        for (int t = 0; t < threads; t++) team.emplace_back(task, t);
        for (auto &each : team) each.join();
    };
    Position start{0, 0};
    Shard &first = shards[home(start.key())];
    first.table.insert(start.key(), 0);
    first.found.push_back(start);
    for (auto &each : shards) each.plies.push_back(each.found.size());
    for (bool more = true; more;) {
        every([&](int t) {
            Shard &own = shards[t];
            own.outbox.assign(threads, {});
            for (size_t i = own.plies.end()[-2]; i < own.plies.back(); i++) {
                Position p = own.found[i];
                if (lined(p.mask ^ p.mine)) continue;
                for (int c = 0; c < W; c++) {
                    if (full(p, c)) continue;
                    Position q = child(p, c);
                    own.outbox[home(q.key())].push_back(q);
                }
            }
        });
        every([&](int t) {
            Shard &own = shards[t];
            for (auto &other : shards)
                for (Position q : other.outbox[t])
                    if (own.table.insert(q.key(), uint32_t(own.found.size()))) own.found.push_back(q);
            own.plies.push_back(own.found.size());
        });
        more = false;
        for (auto &each : shards) more |= each.plies.back() > each.plies.end()[-2];
    }
    for (auto &each : shards) each.value.resize(each.found.size()), each.depth.resize(each.found.size());
    for (size_t ply = first.plies.size() - 1; ply-- > 0;)
        every([&](int t) {
            Shard &own = shards[t];
            for (size_t i = own.plies[ply]; i < own.plies[ply + 1]; i++) {
                Position p = own.found[i];
                if (lined(p.mask ^ p.mine)) {
                    own.value[i] = -1;
                    continue;
                }
                Best best;
                for (int c = 0; c < W; c++) {
                    if (full(p, c)) continue;
                    Word key = child(p, c).key();
                    Shard &there = shards[home(key)];
                    uint32_t row = there.table.rows[there.table.slot(key)];
                    best.take(-there.value[row], there.depth[row] + 1);
                }
                if (best.value == -2) best.value = 0;
                own.value[i] = int8_t(best.value);
                own.depth[i] = int16_t(best.value ? best.plies : 0);
            }
        });
    size_t positions = 0;
    for (auto &each : shards) positions += each.found.size();
    return {positions, first.value[0], first.depth[0]};
}

int main(int argc, char **argv) {
    W = argc > 1 ? atoi(argv[1]) : 5;
    H = argc > 2 ? atoi(argv[2]) : 4;
    K = argc > 3 ? atoi(argv[3]) : 4;
    int threads = argc > 4 ? atoi(argv[4]) : 1;
    auto began = std::chrono::steady_clock::now();
    for (int c = 0; c < W; c++) BOTTOM |= Word(1) << (c * (H + 1));
    Answer found = threads > 1 ? together(threads) : alone();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    double cores = double(clock()) / CLOCKS_PER_SEC;
    printf("%zu %d %d %.3f %.3f\n", found.positions, found.value, found.depth, seconds, cores);
}
