/* What clang must know to read a kernel for FPGAs: the types and constants of OpenCL C, which it takes from headers of
 * its own otherwise, and the vendor's extensions. Clang declares OpenCL's functions by itself
 * (-fdeclare-opencl-builtins). Nothing here is ever run: what counts is the type of each expression.
 *
 * Sources: the OpenCL C 2.0 specification, sections 6.1 and 6.13; the vendor's programming guide. */

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Which of its functions clang declares: a variant for each address space, and the atomics of OpenCL 2.0. */
#define __opencl_c_named_address_space_builtins 1
#define __opencl_c_generic_address_space 1
#define __opencl_c_atomic_order_acq_rel 1
#define __opencl_c_atomic_order_seq_cst 1
#define __opencl_c_atomic_scope_device 1
#define __opencl_c_atomic_scope_all_devices 1
#define __opencl_c_read_write_images 1
#define __opencl_c_images 1
#define __opencl_c_fp64 1
#define __opencl_c_pipes 1
#define __opencl_c_work_group_collective_functions 1
#define __opencl_c_subgroups 1

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef uint cl_mem_fence_flags;

#define LANES(T, N) typedef T T##N __attribute__((ext_vector_type(N)));
#define VECTORS(T) LANES(T, 2) LANES(T, 3) LANES(T, 4) LANES(T, 8) LANES(T, 16)
VECTORS(char)
VECTORS(uchar)
VECTORS(short)
VECTORS(ushort)
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(half)
VECTORS(float)
VECTORS(double)
#undef VECTORS
#undef LANES

typedef enum memory_order {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;

typedef enum memory_scope {
  memory_scope_work_item = __OPENCL_MEMORY_SCOPE_WORK_ITEM,
  memory_scope_work_group = __OPENCL_MEMORY_SCOPE_WORK_GROUP,
  memory_scope_device = __OPENCL_MEMORY_SCOPE_DEVICE,
  memory_scope_all_svm_devices = __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES,
  memory_scope_sub_group = __OPENCL_MEMORY_SCOPE_SUB_GROUP
} memory_scope;

int printf(__constant const char *format, ...);

/* Limits and numbers of the language. */
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define LONG_MAX 0x7fffffffffffffffL
#define LONG_MIN (-LONG_MAX - 1)
#define ULONG_MAX 0xffffffffffffffffUL
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_EXP 128
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MAX 0x1.fffffffffffffp1023
#define DBL_MIN 0x1.0p-1022
#define DBL_EPSILON 0x1.0p-52
#define MAXFLOAT FLT_MAX
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VAL __builtin_huge_val()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_E 2.71828182845904523536
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.43429448190325182765
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_2_SQRTPI 1.12837916709551257390
#define M_E_F 2.71828182845904523536f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.43429448190325182765f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.70710678118654752440f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define CLK_IMAGE_MEM_FENCE 4
#define CLK_NORMALIZED_COORDS_FALSE 0
#define CLK_NORMALIZED_COORDS_TRUE 1
#define CLK_ADDRESS_NONE 0
#define CLK_ADDRESS_CLAMP_TO_EDGE 2
#define CLK_ADDRESS_CLAMP 4
#define CLK_ADDRESS_REPEAT 6
#define CLK_FILTER_NEAREST 0x10
#define CLK_FILTER_LINEAR 0x20

/* The same bits as another type: as_T for every type. */
#define as_char(...) __builtin_astype((__VA_ARGS__), char)
#define as_char2(...) __builtin_astype((__VA_ARGS__), char2)
#define as_char3(...) __builtin_astype((__VA_ARGS__), char3)
#define as_char4(...) __builtin_astype((__VA_ARGS__), char4)
#define as_char8(...) __builtin_astype((__VA_ARGS__), char8)
#define as_char16(...) __builtin_astype((__VA_ARGS__), char16)
#define as_uchar(...) __builtin_astype((__VA_ARGS__), uchar)
#define as_uchar2(...) __builtin_astype((__VA_ARGS__), uchar2)
#define as_uchar3(...) __builtin_astype((__VA_ARGS__), uchar3)
#define as_uchar4(...) __builtin_astype((__VA_ARGS__), uchar4)
#define as_uchar8(...) __builtin_astype((__VA_ARGS__), uchar8)
#define as_uchar16(...) __builtin_astype((__VA_ARGS__), uchar16)
#define as_short(...) __builtin_astype((__VA_ARGS__), short)
#define as_short2(...) __builtin_astype((__VA_ARGS__), short2)
#define as_short3(...) __builtin_astype((__VA_ARGS__), short3)
#define as_short4(...) __builtin_astype((__VA_ARGS__), short4)
#define as_short8(...) __builtin_astype((__VA_ARGS__), short8)
#define as_short16(...) __builtin_astype((__VA_ARGS__), short16)
#define as_ushort(...) __builtin_astype((__VA_ARGS__), ushort)
#define as_ushort2(...) __builtin_astype((__VA_ARGS__), ushort2)
#define as_ushort3(...) __builtin_astype((__VA_ARGS__), ushort3)
#define as_ushort4(...) __builtin_astype((__VA_ARGS__), ushort4)
#define as_ushort8(...) __builtin_astype((__VA_ARGS__), ushort8)
#define as_ushort16(...) __builtin_astype((__VA_ARGS__), ushort16)
#define as_int(...) __builtin_astype((__VA_ARGS__), int)
#define as_int2(...) __builtin_astype((__VA_ARGS__), int2)
#define as_int3(...) __builtin_astype((__VA_ARGS__), int3)
#define as_int4(...) __builtin_astype((__VA_ARGS__), int4)
#define as_int8(...) __builtin_astype((__VA_ARGS__), int8)
#define as_int16(...) __builtin_astype((__VA_ARGS__), int16)
#define as_uint(...) __builtin_astype((__VA_ARGS__), uint)
#define as_uint2(...) __builtin_astype((__VA_ARGS__), uint2)
#define as_uint3(...) __builtin_astype((__VA_ARGS__), uint3)
#define as_uint4(...) __builtin_astype((__VA_ARGS__), uint4)
#define as_uint8(...) __builtin_astype((__VA_ARGS__), uint8)
#define as_uint16(...) __builtin_astype((__VA_ARGS__), uint16)
#define as_long(...) __builtin_astype((__VA_ARGS__), long)
#define as_long2(...) __builtin_astype((__VA_ARGS__), long2)
#define as_long3(...) __builtin_astype((__VA_ARGS__), long3)
#define as_long4(...) __builtin_astype((__VA_ARGS__), long4)
#define as_long8(...) __builtin_astype((__VA_ARGS__), long8)
#define as_long16(...) __builtin_astype((__VA_ARGS__), long16)
#define as_ulong(...) __builtin_astype((__VA_ARGS__), ulong)
#define as_ulong2(...) __builtin_astype((__VA_ARGS__), ulong2)
#define as_ulong3(...) __builtin_astype((__VA_ARGS__), ulong3)
#define as_ulong4(...) __builtin_astype((__VA_ARGS__), ulong4)
#define as_ulong8(...) __builtin_astype((__VA_ARGS__), ulong8)
#define as_ulong16(...) __builtin_astype((__VA_ARGS__), ulong16)
#define as_half(...) __builtin_astype((__VA_ARGS__), half)
#define as_half2(...) __builtin_astype((__VA_ARGS__), half2)
#define as_half3(...) __builtin_astype((__VA_ARGS__), half3)
#define as_half4(...) __builtin_astype((__VA_ARGS__), half4)
#define as_half8(...) __builtin_astype((__VA_ARGS__), half8)
#define as_half16(...) __builtin_astype((__VA_ARGS__), half16)
#define as_float(...) __builtin_astype((__VA_ARGS__), float)
#define as_float2(...) __builtin_astype((__VA_ARGS__), float2)
#define as_float3(...) __builtin_astype((__VA_ARGS__), float3)
#define as_float4(...) __builtin_astype((__VA_ARGS__), float4)
#define as_float8(...) __builtin_astype((__VA_ARGS__), float8)
#define as_float16(...) __builtin_astype((__VA_ARGS__), float16)
#define as_double(...) __builtin_astype((__VA_ARGS__), double)
#define as_double2(...) __builtin_astype((__VA_ARGS__), double2)
#define as_double3(...) __builtin_astype((__VA_ARGS__), double3)
#define as_double4(...) __builtin_astype((__VA_ARGS__), double4)
#define as_double8(...) __builtin_astype((__VA_ARGS__), double8)
#define as_double16(...) __builtin_astype((__VA_ARGS__), double16)

/* The vendor's extensions. A channel is read as a variable of its elements' type. Values may be lists in braces, whose
   commas are no further arguments. */
#define read_channel_intel(c) (c)
#define write_channel_intel(c, ...) ((void)((c) = (__VA_ARGS__)))
#define read_channel_nb_intel(c, valid) (*(valid) = 1, (c))
#define write_channel_nb_intel(c, ...) ((c) = (__VA_ARGS__), (bool)1)
#define read_channel_altera(c) read_channel_intel(c)
#define write_channel_altera(c, ...) write_channel_intel(c, __VA_ARGS__)
#define read_channel_nb_altera(c, valid) read_channel_nb_intel(c, valid)
#define write_channel_nb_altera(c, ...) write_channel_nb_intel(c, __VA_ARGS__)
#define __fpga_reg(...) (__VA_ARGS__)
#define __burst_coalesced_load(pointer) (*(pointer))
#define __burst_coalesced_cached_load(pointer, bytes) ((void)(bytes), *(pointer))
#define __burst_coalesced_store(pointer, ...) ((void)(*(pointer) = (__VA_ARGS__)))
#define __pipelined_load(pointer) (*(pointer))
#define __pipelined_store(pointer, ...) ((void)(*(pointer) = (__VA_ARGS__)))
#define __prefetching_load(pointer) (*(pointer))
int get_compute_id(uint dimension);
