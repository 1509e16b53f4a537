// burstline: board=pac_a10 aoc_version=19.4 n=512 k=3
// All shortest paths, one step over the middle node k. The row and the column of k do not change in its step, which
// the compiler cannot see: it has to take the store for one that a later iteration reads.
__attribute__((max_global_work_dim(0)))
__kernel void fw(__global int *distances, const int n, const int k)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int through = distances[i * n + k] + distances[k * n + j];
            if (through < distances[i * n + j])
                distances[i * n + j] = through;
        }
}
