// burstline: global_size=(8000,8000) features=8000 board=de5net
// Similarity of documents: one work-item a pair, the cosine between their features. Nothing is shared, nothing is wide.
__kernel void ss_baseline(__global const float *restrict documents, __global float *restrict scores,
                          const int features)
{
    const int other = get_global_id(0), one = get_global_id(1);
    float product = 0.0f, own = 0.0f, others = 0.0f;
    for (int f = 0; f < features; f++) {
        const float x = documents[one * features + f], y = documents[other * features + f];
        product += x * y;
        own += x * x;
        others += y * y;
    }
    scores[one * get_global_size(0) + other] = product / sqrt(own * others);
}
