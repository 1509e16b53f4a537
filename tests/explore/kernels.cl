// Kernels that between them have every shape whose cost the exploration tells.

__attribute__((max_global_work_dim(0)))
kernel void product(global const float *restrict a, global const float *restrict b, global float *restrict c, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < 64; k++)
                sum += a[i * 64 + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

__attribute__((reqd_work_group_size(16, 16, 1)))
kernel void tiled(global const float *restrict a, global const float *restrict b, global float *restrict c, int n)
{
    local float left[16][16], right[16][16];
    const int x = get_local_id(0), y = get_local_id(1);
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        left[y][x] = a[get_global_id(1) * n + t + x];
        right[y][x] = b[(t + y) * n + get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll 1
        for (int k = 0; k < 16; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[get_global_id(1) * n + get_global_id(0)] = sum;
}

kernel void stencil(global const float *in, global float *out, int width)
{
    const int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    out[y * width + x] = in[y * width + x - 1] + in[y * width + x + 1] + in[(y - 1) * width + x] + in[(y + 1) * width + x];
}

__attribute__((max_global_work_dim(0)))
kernel void sums(global const float *restrict x, global float *restrict y, int n)
{
    float kept[4];
    for (int i = 0; i < 4; i++)
        kept[i] = 0.0f;
    for (int i = 0; i < n; i++)
        kept[i & 3] += x[i];
    float all = 0.0f;
    for (int i = 0; i < 4; i++)
        all += kept[i];
    double running = all;
    for (int i = 0; i < n; i++) {
        running = running * 0.5 + x[i];
        y[i] = running;
    }
}

__attribute__((max_global_work_dim(0)))
kernel void in_place(global int *table, global const int *restrict at, int n)
{
    for (int i = 0; i < n; i++) {
        table[at[i]] += 1;
        for (int j = 0; j < 8; j++)
            table[i * 8 + j] = table[i * 8 + j + 8] + 3;
    }
    for (int r = 0; r < n; r++)
        for (int s = 0; s < r; s++)
            table[s] = table[s] * 2;
}

#pragma OPENCL EXTENSION cl_intel_channels : enable
channel float numbers;

__attribute__((max_global_work_dim(0)))
kernel void sender(global const float *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            write_channel_intel(numbers, x[4 * i + j]);
}

kernel void counted(global const int *restrict keys, global int *restrict counts, int bins)
{
    const int key = keys[get_global_id(0)];
    atomic_add(&counts[key % bins], 1);
}

typedef struct { float x, y, z; } point;

kernel void scattered(global const point *restrict points, global const int *restrict at, global float *restrict to, int n)
{
    const int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += points[i + k].x * points[i + k].z;
    to[at[i]] = sum;
    to[at[i] + 1] = to[i];
}

__attribute__((max_global_work_dim(0)))
kernel void merged(global float4 *restrict image, int rows)
{
    #pragma loop_coalesce 2
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < 32; c++) {
            float4 pixel = image[r * 32 + c];
            for (int k = 0; k < 3; k++)
                pixel = pixel * 0.5f + pixel.x;
            image[r * 32 + c] = pixel;
        }
}

kernel void unknown(global const int *restrict ends, global float *restrict y)
{
    for (int i = 0; i < ends[0]; i++)
        y[get_global_id(0) + i] += 1.0f;
}

kernel void nothing(void)
{
}

kernel void parted(global const float *restrict x, global float *restrict y, int n)
{
    local float t[64], u[64];
    int i = get_local_id(0) & 63;
    t[i] = u[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++) {
        float s = 0.0f;
        for (int j = 0; j < 6; j++)
            s += t[(i + j) & 63];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < n; j++)
            s += u[(i + j) & 63];
        t[i] = s;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < 4; j++)
        u[i] += t[(i + j) & 63];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 5; j++)
        t[i] += u[(i + j) & 63];
    y[get_global_id(0)] = t[i];
}

// A loop that some work-items come to, inside a loop of all.
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void led(__global const float *restrict in, __global float *restrict out, int rows)
{
    __local float row[64];
    float sum = 0.0f;
    for (int r = 0; r < rows; r++) {
        if (get_local_id(0) == 0 && (r & 1) == 0)
            for (int i = 0; i < 64; i++)
                row[i] = in[64 * r + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += row[get_local_id(0)];
    }
    out[get_global_id(0)] = sum;
}

// Weights that are constants only where both loops that pick them are fully unrolled.
__kernel void weighted(__global const int *restrict in, __global int *restrict out, int n)
{
    int w[3][4] = {{-1, 0, 4, 3}, {2, 0, 1, 5}, {-2, 1, 7, 0}};
    for (int i = 0; i < n; i++) {
        int sum = in[i];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++)
                sum += in[i + 16 * r + c] * w[r][c];
        out[i] = sum;
    }
}

__kernel void in_turn(__global const int *restrict b, __global int *restrict r, int n)
{
    for (int d = 0; d < 8; d++) {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += b[d * n + i];
        r[512 + 64 * d] = sum;
    }
}

__kernel void counts(__global const uint *restrict s, __global uint *restrict out, int n)
{
    __local uint h[128];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            h[(s[i] >> (4 * k)) & 127]++;
    out[0] = h[0];
}

__kernel void filled(__global const float *restrict x, __global float *restrict y, int n)
{
    __local float kept[64];
    if (get_local_id(0) == 0)
        for (int i = 0; i < 64; i++)
            kept[i] = x[64 * get_group_id(0) + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = kept[get_local_id(0) & 63];
}

__kernel void own_bins(__global const uchar *restrict in, __global int *restrict out, const int n)
{
    int table[4][256];
    for (int i = 0; i < 1024; i++)
        table[i >> 8][i & 255] = 0;
    for (int i = 0; i < n; i += 4)
        for (int c = 0; c < 4; c++)
            table[in[i + c] & 3][in[i + c]] += 1;
    for (int i = 0; i < 256; i++)
        out[i] = table[0][i] + table[1][i] + table[2][i] + table[3][i];
}
