// burstline: board=pac_a10 aoc_version=19.4 nodes=1585478
// A step of page rank: every node gathers what its neighbours give.
__attribute__((max_global_work_dim(0)))
__kernel void pr(__global const int *restrict starts, __global const int *restrict edges,
                 __global const float *restrict given, __global float *restrict rank, const int nodes)
{
    for (int node = 0; node < nodes; node++) {
        const int first = starts[node];
        const int last = starts[node + 1];
        float sum = 0.0f;
        for (int edge = first; edge < last; edge++) // burstline: trip=4
            sum += given[edges[edge]];
        rank[node] = 0.15f / nodes + 0.85f * sum;
    }
}
