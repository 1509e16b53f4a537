// A tour in one file: four kernels, each with something to see. Sizes are in burstline.toml.

// 1. A stencil whose halo breaks the alignment of the vectorised loads.
__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(8)))
__kernel void blur(__global const float *restrict row, __global float *restrict out)
{
    const int i = get_global_id(0);
    out[i] = 0.25f * row[i] + 0.5f * row[i + 1] + 0.25f * row[i + 2];
}

// 2. Every record is read for one of its fields.
typedef struct {
    float price, volume, open, close;
} quote;

__attribute__((reqd_work_group_size(256, 1, 1)))
__attribute__((num_simd_work_items(4)))
__kernel void closing(__global const quote *restrict quotes, __global float *restrict closes)
{
    const int i = get_global_id(0);
    closes[i] = quotes[i].close;
}

// 3. A gather: the address is not known before another load has come back.
__kernel void gather(__global const int *restrict index,
                     __global const float *restrict values,
                     __global float *restrict out,
                     const int n)
{
    for (int i = 0; i < n; i++)
        out[i] = values[index[i]];
}

// 4. A histogram with one atomic for every pixel.
__kernel void histogram(__global const uchar *restrict pixels, __global int *restrict bins)
{
    const int i = get_global_id(0);
    atomic_add(&bins[pixels[i]], 1);
}
