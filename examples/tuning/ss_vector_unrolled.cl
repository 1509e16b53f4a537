// burstline: global_size=(8000,8000) quads=2000 board=de5net
// Similarity of documents: four features a load, four loads of each document at once.
__kernel void ss_vector_unrolled(__global const float4 *restrict documents, __global float *restrict scores,
                                 const int quads)
{
    const int other = get_global_id(0), one = get_global_id(1);
    float score = 0.0f;
    #pragma unroll 4
    for (int q = 0; q < quads; q++)
        score += dot(documents[one * quads + q], documents[other * quads + q]);
    scores[one * get_global_size(0) + other] = score;
}
