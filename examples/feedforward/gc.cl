// burstline: board=pac_a10 aoc_version=19.4 nodes=1585478 colour=5
// A round of graph colouring: nodes without a colour whose value is the largest among their neighbours' ask for this one.
__attribute__((max_global_work_dim(0)))
__kernel void gc(__global const int *restrict starts, __global const int *restrict edges,
                 __global const int *restrict colours, __global const float *restrict values,
                 __global int *restrict asked, const int nodes, const int colour)
{
    for (int node = 0; node < nodes; node++) {
        const float own = values[node];
        const int first = starts[node];
        const int last = starts[node + 1];
        float largest = -1.0f;
        for (int edge = first; edge < last; edge++) { // burstline: trip=4
            const int other = edges[edge];
            const float value = values[other];
            if (colours[other] == -1)
                largest = fmax(largest, value);
        }
        asked[node] = own > largest ? colour : -1;
    }
}
