// burstline: board=pac_a10 aoc_version=19.4 nodes=1585478
// One round of a maximal independent set: an undecided node whose value is the least among undecided neighbours joins,
// and its neighbours are marked to stop. The marks are read by nobody in this round, which the compiler cannot see.
__attribute__((max_global_work_dim(0)))
__kernel void mis(__global const int *restrict starts, __global const int *restrict edges,
                  __global const float *restrict values, __global int *state, __global int *stop, const int nodes)
{
    for (int node = 0; node < nodes; node++) {
        if (state[node] == -1) {
            const float own = values[node];
            const int first = starts[node];
            const int last = starts[node + 1];
            float least = 1e30f;
            for (int edge = first; edge < last; edge++) { // burstline: trip=4
                const int other = edges[edge];
                if (stop[other] == 0)
                    least = min(least, values[other]);
            }
            if (own < least)
                state[node] = 2;
        }
    }
}
