/* The vendor's channels as calls that LLVM can neither join, move nor leave out, and that touch no memory of the
 * kernel's. Read behind opencl_c.h, which says what everything else is. */
__attribute__((malloc)) __global void *burstline_channel_end(__global const void *channel_);
bool burstline_channel_ready(__global const void *channel_);
#define burstline_end(c) ((__global __typeof__(c) *)burstline_channel_end((__global const void *)&(c)))
/* Nobody reads what is sent: only a volatile store stays. */
#define burstline_sent(c) ((volatile __global __typeof__(c) *)burstline_channel_end((__global const void *)&(c)))
#undef read_channel_intel
#undef write_channel_intel
#undef read_channel_nb_intel
#undef write_channel_nb_intel
#define read_channel_intel(c) (*burstline_end(c))
#define write_channel_intel(c, ...) ((void)(*burstline_sent(c) = (__VA_ARGS__)))
#define read_channel_nb_intel(c, valid) \
  (*(valid) = burstline_channel_ready((__global const void *)&(c)), *burstline_end(c))
#define write_channel_nb_intel(c, ...) \
  (*burstline_sent(c) = (__VA_ARGS__), burstline_channel_ready((__global const void *)&(c)))
