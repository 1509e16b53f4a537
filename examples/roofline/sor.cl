// Successive over-relaxation of a pressure field: one work-item a cell, coefficients per cell.
// burstline: global_size=(16777216) wide=4096 board=de5net

__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void sor(__global const float *restrict p, __global const float *restrict rhs,
                  __global float *restrict out, float omega, int wide)
{
    int i = get_global_id(0);
    float sum = p[i - 1] + p[i + 1] + p[i - wide] + p[i + wide];
    float step = omega * (0.25f * (sum - rhs[i]) - p[i]);
    out[i] = step + p[i];
}
