// burstline: n=4096
__kernel void shortest(__global int *dist, const int n, const int k)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (dist[i * n + k] + dist[k * n + j] < dist[i * n + j])
                dist[i * n + j] = dist[i * n + k] + dist[k * n + j];
}
