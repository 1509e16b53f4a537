// burstline: board=pac_a10 aoc_version=19.4 width=8193 row=4096 penalty=10
// One row of an alignment of two sequences, by a launch of its own: the score to the left is a true dependence over
// one iteration, the row above was written by the launch before.
__attribute__((max_global_work_dim(0)))
__kernel void nw_row(__global const int *restrict reference, __global int *restrict scores, const int width,
                     const int row, const int penalty)
{
    for (int j = 1; j < width; j++) {
        const int diagonal = scores[(row - 1) * width + j - 1] + reference[row * width + j];
        const int left = scores[row * width + j - 1] - penalty;
        const int up = scores[(row - 1) * width + j] - penalty;
        scores[row * width + j] = max(max(diagonal, left), up);
    }
}
