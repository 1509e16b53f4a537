// burstline: global_size=(8000,8000) quads=2000 board=de5net
// Similarity of documents: four features a load, QUADS_AT_ONCE loads of each document at once.
#ifndef QUADS_AT_ONCE
#define QUADS_AT_ONCE 16
#endif

__kernel void ss_vector_unrolled(__global const float4 *restrict documents, __global float *restrict scores,
                                 const int quads)
{
    const int other = get_global_id(0), one = get_global_id(1);
    float product = 0.0f, own = 0.0f, others = 0.0f;
    #pragma unroll QUADS_AT_ONCE
    for (int q = 0; q < quads; q++) {
        const float4 x = documents[one * quads + q], y = documents[other * quads + q];
        product += dot(x, y);
        own += dot(x, x);
        others += dot(y, y);
    }
    scores[one * get_global_size(0) + other] = product / sqrt(own * others);
}
