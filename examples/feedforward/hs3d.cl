// burstline: board=pac_a10 aoc_version=19.4 rows=8192 columns=8192 layers=8
// A step of a heat simulation in three dimensions: reads one grid, writes another, as restrict promises.
__attribute__((max_global_work_dim(0)))
__kernel void hs3d(__global const float *restrict heat, __global const float *restrict power,
                   __global float *restrict result, const int rows, const int columns, const int layers)
{
    for (int z = 1; z < layers - 1; z++)
        for (int y = 1; y < rows - 1; y++)
            for (int x = 1; x < columns - 1; x++) {
                const int at = (z * rows + y) * columns + x;
                const float middle = heat[at];
                const float across = heat[at - 1] + heat[at + 1] + heat[at - columns] + heat[at + columns];
                const float along = heat[at - rows * columns] + heat[at + rows * columns];
                result[at] = 0.4f * middle + 0.1f * (across + along) + 0.05f * power[at];
            }
}
