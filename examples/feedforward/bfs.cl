// burstline: board=pac_a10 aoc_version=19.4 nodes=2097152
// One level of a breadth-first search: the costs that are written are those of other nodes, by an index from memory.
__attribute__((max_global_work_dim(0)))
__kernel void bfs(__global const int *restrict starts, __global const int *restrict edges,
                  __global const char *restrict frontier, __global char *restrict next, __global int *costs,
                  const int nodes)
{
    for (int node = 0; node < nodes; node++) {
        if (!frontier[node])
            continue;
        const int first = starts[node];
        const int last = starts[node + 1];
        // The cost of this node is read again for every edge: a cost written before may be the one.
        for (int edge = first; edge < last; edge++) { // burstline: trip=8
            const int other = edges[edge];
            if (costs[other] < 0) {
                costs[other] = costs[node] + 1;
                next[other] = 1;
            }
        }
    }
}
