// burstline: board=pac_a10 aoc_version=19.4 inputs=65536 outputs=16
// Weights of a layer after a step of back propagation, column by column: nothing says that the four buffers are not one.
__attribute__((max_global_work_dim(0)))
__kernel void bp(__global const float *errors, __global const float *layer, __global float *weights,
                 __global float *steps, const int inputs, const int outputs)
{
    for (int o = 1; o <= outputs; o++)
        for (int i = 0; i <= inputs; i++) {
            const float step = 0.3f * errors[o] * layer[i] + 0.3f * steps[i * (outputs + 1) + o];
            weights[i * (outputs + 1) + o] += step;
            steps[i * (outputs + 1) + o] = step;
        }
}
