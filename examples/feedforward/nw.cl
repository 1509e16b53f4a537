// burstline: board=pac_a10 aoc_version=19.4 width=8193 penalty=10
// Alignment of two sequences: each score needs the one before it in its row, a true dependence over one iteration.
__attribute__((max_global_work_dim(0)))
__kernel void nw(__global const int *restrict reference, __global int *restrict scores, const int width,
                 const int penalty)
{
    for (int i = 1; i < width; i++)
        for (int j = 1; j < width; j++) {
            const int diagonal = scores[(i - 1) * width + j - 1] + reference[i * width + j];
            const int left = scores[i * width + j - 1] - penalty;
            const int up = scores[(i - 1) * width + j] - penalty;
            scores[i * width + j] = max(max(diagonal, left), up);
        }
}
