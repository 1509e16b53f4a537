// burstline: global_size=(2048,2048) width=2048 f_max_mhz=280
// Matrix product, as one writes it first: both factors come from global memory again and again.
__kernel void mm_baseline(__global const float *a, __global const float *b, __global float *c, const int width)
{
    const int row = get_global_id(0), column = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < width; k++)
        sum += a[row * width + k] * b[k * width + column];
    c[row * width + column] = sum;
}
