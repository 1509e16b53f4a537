// INPUTS arrays (0 to 5) and the one their sum goes to; CHANNELS gives each its own pseudo-channel.

#ifdef CHANNELS
#define IN(number) __attribute__((buffer_location("HBM" #number))) const float *restrict
#define OUT __attribute__((buffer_location("HBM0"))) float *restrict
#else
#define IN(number) const float *restrict
#define OUT float *restrict
#endif

#if INPUTS == 0
#define SUM(i) i
#elif INPUTS == 1
#define SUM(i) a[i]
#elif INPUTS == 2
#define SUM(i) a[i] + b[i]
#elif INPUTS == 3
#define SUM(i) a[i] + b[i] + c[i]
#elif INPUTS == 4
#define SUM(i) a[i] + b[i] + c[i] + d[i]
#else
#define SUM(i) a[i] + b[i] + c[i] + d[i] + e[i]
#endif

#if INPUTS < 3
#define ARRAYS __global IN(1) a, __global IN(2) b, __global OUT z
#elif INPUTS == 3
#define ARRAYS __global IN(1) a, __global IN(2) b, __global IN(3) c, __global OUT z
#elif INPUTS == 4
#define ARRAYS __global IN(1) a, __global IN(2) b, __global IN(3) c, __global IN(4) d, __global OUT z
#else
#define ARRAYS __global IN(1) a, __global IN(2) b, __global IN(3) c, __global IN(4) d, __global IN(5) e, __global OUT z
#endif
