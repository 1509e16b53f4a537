// burstline: global_size=(8000,8000) features=8000 board=de5net
// Similarity of documents: one work-item a pair, the product of their features. Nothing is shared, nothing is wide.
__kernel void ss_baseline(__global const float *restrict documents, __global float *restrict scores,
                          const int features)
{
    const int other = get_global_id(0), one = get_global_id(1);
    float score = 0.0f;
    for (int f = 0; f < features; f++)
        score += documents[one * features + f] * documents[other * features + f];
    scores[one * get_global_size(0) + other] = score;
}
