// burstline: board=pac_a10 aoc_version=19.4 rows=8192 columns=8192
// A step of a heat simulation: reads one grid, writes another, as restrict promises.
__attribute__((max_global_work_dim(0)))
__kernel void hs(__global const float *restrict heat, __global const float *restrict power,
                 __global float *restrict result, const int rows, const int columns)
{
    for (int r = 1; r < rows - 1; r++)
        for (int c = 1; c < columns - 1; c++) {
            const int at = r * columns + c;
            const float middle = heat[at];
            const float across = heat[at - 1] + heat[at + 1] - 2.0f * middle;
            const float along = heat[at - columns] + heat[at + columns] - 2.0f * middle;
            result[at] = middle + 0.1f * (power[at] + across + along);
        }
}
