// burstline: nodes=4096
__kernel void search(__global const int *restrict first, __global const int *restrict edges,
                     __global const char *restrict seen, __global int *restrict cost, const int nodes)
{
    for (int node = 0; node < nodes; node++)
        for (int e = first[node]; e < first[node + 1]; e++) { // burstline: trip=16
            const int to = edges[e];
            if (!seen[to])
                cost[to] = cost[node] + 1;
        }
}
