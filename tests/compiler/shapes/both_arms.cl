// Stratix 10 18.1
// Stores to one place in both arms of an if are one unit on the first arm's line (3 of 3 places, compiler 16.1).

__kernel void two_arms(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] > 0.0f)
            y[i] = x[i];
    //      ^^^^ Burst-coalesced 32
        else
            y[i] = 0.0f;
    //      ^^^^ merged
    }
}

__kernel void three_arms(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] < 0.0f)
            y[i] = 0.0f;
    //      ^^^^ Burst-coalesced 32
        else if (x[i] > 1.0f)
            y[i] = 1.0f;
    //      ^^^^ merged
        else
            y[i] = x[i];
    //      ^^^^ merged
    }
}

__kernel void one_arm_stores_nothing(__global const float *restrict x, __global float *restrict y, const int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] < 0.0f)
            y[i] = 0.0f;
    //      ^^^^ Burst-coalesced 32
        else if (x[i] > 1.0f)
            y[i] = 1.0f;
    //      ^^^^ merged
    //      ^^^^ Stratix V 16.1: Burst-coalesced 32
    }
}

__kernel void an_arm_returns(__global const int *x, __global int *y, __global int *z, const int n)
{
    const int i = get_global_id(0);
    if (x[i] == n) {
        y[x[i]] = i;
    //  ^^^^^^^ Arria 10 20.4: Burst-coalesced 32
        z[x[i]] = n;
    //  ^^^^^^^ Burst-coalesced 32
        return;
    }
    if (x[i] < n) {
        y[x[i]] = i;
    //  ^^^^^^^ merged
        z[x[i]] = i;
    //  ^^^^^^^ merged
    }
}

__kernel void an_arm_goes_on_after_its_store(__global const float *restrict x, __global float *y, const int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++) {
        if (x[i] > 0.0f) {
            y[i] = x[i];
    //      ^^^^ Burst-coalesced write-ack 32
            sum += y[n - i];
        } else
            y[i] = 0.0f;
    //      ^^^^ Burst-coalesced write-ack 32
    }
    y[0] = sum;
}

// Up to 15.x and from 17.0 on every store of two arms is joined to its fellow; 16.x joins the last ones alone.
__kernel void two_stores_in_each_arm(__global const uchar *x, __global const uchar *w, __global uchar *y,
                                     __global uchar *z, const int n)
{
    const int i = get_global_id(0);
    if (i < n) {
        y[i] = 1;
    //  ^^^^ Cyclone V 14.1: Burst-coalesced 8
    //  ^^^^ Cyclone V 16.1: Burst-coalesced 8
        z[i] = 2;
    //  ^^^^ Cyclone V 14.1: Burst-coalesced 8
    //  ^^^^ Cyclone V 16.1: Burst-coalesced 8
    } else {
        y[i] = x[i];
    //  ^^^^ Cyclone V 14.1: merged
    //  ^^^^ Cyclone V 16.1: Burst-coalesced 8
        z[i] = w[i];
    //  ^^^^ Cyclone V 14.1: merged
    //  ^^^^ Cyclone V 16.1: merged
    }
}

// What two arms do last, if that is to store values of one type, is one store at a chosen address (16.1: seven pairs).
__kernel void to_one_of_two(__global const int *restrict mode, __global const float *restrict x,
                            __global float *restrict y, __global float *restrict z, __global int *restrict w,
                            const int n)
{
    int last = 0;
    for (int i = 0; i < n; i++) {
        switch (mode[i]) {
        case 3:
            last = 1;
            y[last + i] = x[i] + 1.0f;
    //      ^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced 32
    //      ^^^^^^^^^^^ Stratix V 15.1: Burst-coalesced 32
            break;
        case 5:
            last = 2;
            z[i] = x[i] - 1.0f;
    //      ^^^^ Arria 10 16.1: merged
    //      ^^^^ Stratix V 15.1: Burst-coalesced 32
            break;
        case 7:
            w[i] = last;
    //      ^^^^ Arria 10 16.1: Burst-coalesced 32
        }
    }
}

__kernel void more_behind_it(__global const float *restrict x, __global float *restrict y, __global float *restrict z,
                             __global float *restrict w, const int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] > 0.0f) {
            y[i] = x[i];
    //      ^^^^ Arria 10 16.1: Burst-coalesced 32
            w[i] = x[n + i];
    //      ^^^^ Arria 10 16.1: Burst-coalesced 32
        } else
            z[i] = 0.0f;
    //      ^^^^ Arria 10 16.1: merged
    }
}

__kernel void neighbours_in_an_arm(__global const float *restrict x, __global float *restrict y,
                                   __global float *restrict z, const int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] > 0.0f) {
            y[2 * i] = x[i];
    //      ^^^^^^^^ Arria 10 16.1: Burst-coalesced 64
            y[2 * i + 1] = 0.0f;
        } else
            z[i] = 1.0f;
    //      ^^^^ Arria 10 16.1: Burst-coalesced 32
    }
}

// Loads of two arms of one condition are paired in their order, wherever they are from; what is left over merges.
__kernel void pairs_of_loads(__global const int *restrict code, __global const float *restrict x,
                             __global const float *restrict y, __global float *restrict z, const int n)
{
    for (int i = 0; i < n; i++) {
        const int c = code[i];
        float a = 0.0f, b = 0.0f, d = 0.0f;
        if (c & 1) {
            a = 2.0f;
        } else {
            a = x[3 * c];
    //          ^^^^^^^^ Arria 10 16.1: Burst-coalesced 32
            b = x[3 * c + 1];
    //          ^^^^^^^^^^^^ Arria 10 16.1: Burst-coalesced non-aligned 64
            d = x[3 * c + 2];
    //          ^^^^^^^^^^^^ Arria 10 16.1: merged
        }
        if (c & 1)
            b = y[c];
    //          ^^^^ Arria 10 16.1: merged
        z[i] = a * b + d;
    }
}

// Not where an arm has a loop of its own.
__kernel void a_loop_in_an_arm(__global const int *restrict code, __global const float *restrict x,
                               __global const float *restrict y, __global float *restrict z, const int n)
{
    for (int i = 0; i < n; i++) {
        const int c = code[i];
        float a = 0.0f;
        if (c & 1) {
            for (int j = 0; j < c; j++) a += x[j];
            a += x[c];
    //           ^^^^ Arria 10 16.1: Burst-coalesced 32
        } else
            a = y[c];
    //          ^^^^ Arria 10 16.1: Burst-coalesced 32
        z[i] = a;
    }
}

// The cases of a switch stay apart up to 16.x (Stratix V 15.0 and 16.1: none of 42 stores is one with another's).

__kernel void three_cases(__global const int *restrict x, __global uchar *restrict y, const int n)
{
    const int i = get_global_id(0);
    switch (x[i]) {
    case 1:
        vstore4((uchar4)(1, 1, 1, 0), i, y);
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Arria 10 20.4: Burst-coalesced 32
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Stratix V 15.0: Burst-coalesced 32
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Stratix V 16.1: Burst-coalesced 32
        break;
    case 2:
        vstore4((uchar4)(2, 1, 1, 0), i, y);
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Arria 10 20.4: merged
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Stratix V 15.0: Burst-coalesced 32
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Stratix V 16.1: Burst-coalesced 32
        break;
    default:
        vstore4((uchar4)(3, 1, 1, 0), i, y);
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Arria 10 20.4: merged
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Stratix V 15.0: Burst-coalesced 32
    //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ Stratix V 16.1: Burst-coalesced 32
    }
}
