// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Executables: kernels prepared for one device, what they export and what each export takes.
///
/// Since 0.1, all of it.
#ifndef HALYARD_EXECUTABLE_H_
#define HALYARD_EXECUTABLE_H_

#include "halyard/base.h"
#include "halyard/blob_store.h"
#include "halyard/buffer_view.h"
#include "halyard/pipeline_layout.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// What a kernel parameter is.
typedef enum hal_parameter_kind_t {
  HAL_PARAMETER_KIND_BINDING = 0,   ///< the address of a binding
  HAL_PARAMETER_KIND_CONSTANT = 1,  ///< a range of the constant bytes
  HAL_PARAMETER_KIND_NULL = 2,      ///< a null pointer
  HAL_PARAMETER_KIND_SCRATCH = 3,   ///< the address of memory that the driver provides while a dispatch runs. Its
                                    ///< contents are undefined at first. Workgroup (x, y, z) finds its part at
                                    ///< ((z * count.y + y) * count.x + x) * `size`
  HAL_PARAMETER_KIND_BINDING_ADDRESS = 4,  ///< none that the kernel takes by itself: the address of a binding takes the
                                           ///< place of 8 constant bytes, for pointers inside structs
  HAL_PARAMETER_KIND_TENSOR_MAP = 5,  ///< by value, what the device's copy engine takes to find the parts of a tensor
                                      ///< in a binding (CUDA's CUtensorMap): see hal_tensor_map_t
  HAL_PARAMETER_KIND_FORCE_32 = HAL_ENUM_FORCE_32
} hal_parameter_kind_t;

/// One parameter of a kernel, in the order in which the kernel takes them. A frozen struct.
///
/// `f(float a, float* x, double b)` is {CONSTANT, offset 0, size 4}, {BINDING}, {CONSTANT, offset 8, size 8}.
/// `struct View { float* x; int n; }; g(View v)` is {CONSTANT, offset 0, size 16}, {BINDING_ADDRESS, offset 0}.
///
/// Kinds from NULL on are for devices that pass addresses: CUDA and HIP. BINDING_ADDRESS is for Vulkan, too. Other
/// devices answer UNIMPLEMENTED when an executable is created. TENSOR_MAP is for CUDA devices of architecture 9.0 and
/// later.
typedef struct hal_parameter_t {
  /// Which of them.
  hal_parameter_kind_t kind;
  uint32_t offset;   ///< CONSTANT: its first byte in the dispatch's constants. SCRATCH: alignment, a power of
                     ///< two up to 256. BINDING_ADDRESS: the first of the 8 constant bytes, a multiple of 8
  uint32_t size;     ///< CONSTANT: bytes. SCRATCH: bytes for each workgroup. Others: 0
  uint32_t set;      ///< BINDING, BINDING_ADDRESS, TENSOR_MAP: descriptor set. Others: 0
  uint32_t binding;  ///< BINDING, BINDING_ADDRESS, TENSOR_MAP: number within the set. Others: 0
  hal_binding_access_t access;  ///< BINDING, BINDING_ADDRESS, TENSOR_MAP: what the kernel does with it. Others: READ
} hal_parameter_t;

/// Dimensions that a tensor map has at most.
#define HAL_TENSOR_MAP_MAX_RANK 5u

/// A number of a tensor map: a part of the dispatch's constants, or fixed. A frozen struct.
typedef struct hal_tensor_number_t {
  uint32_t offset;  ///< its first byte in the constants
  uint32_t size;    ///< bytes there: 4 or 8, without a sign; 0 if it is fixed
  uint64_t value;   ///< the number, if it is fixed
} hal_tensor_number_t;

/// What a tensor map reads and writes. FTZ: denormal numbers become 0.
typedef enum hal_tensor_data_type_t {
  HAL_TENSOR_DATA_TYPE_UINT8 = 0,
  HAL_TENSOR_DATA_TYPE_UINT16 = 1,
  HAL_TENSOR_DATA_TYPE_UINT32 = 2,
  HAL_TENSOR_DATA_TYPE_INT32 = 3,
  HAL_TENSOR_DATA_TYPE_UINT64 = 4,
  HAL_TENSOR_DATA_TYPE_INT64 = 5,
  HAL_TENSOR_DATA_TYPE_FLOAT16 = 6,
  HAL_TENSOR_DATA_TYPE_FLOAT32 = 7,
  HAL_TENSOR_DATA_TYPE_FLOAT64 = 8,
  HAL_TENSOR_DATA_TYPE_BFLOAT16 = 9,
  HAL_TENSOR_DATA_TYPE_FLOAT32_FTZ = 10,
  HAL_TENSOR_DATA_TYPE_TFLOAT32 = 11,
  HAL_TENSOR_DATA_TYPE_TFLOAT32_FTZ = 12,
  HAL_TENSOR_DATA_TYPE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_tensor_data_type_t;

/// In which pieces the bytes of a row change places in workgroup memory.
typedef enum hal_tensor_swizzle_t {
  HAL_TENSOR_SWIZZLE_NONE = 0,
  HAL_TENSOR_SWIZZLE_32_BYTES = 1,
  HAL_TENSOR_SWIZZLE_64_BYTES = 2,
  HAL_TENSOR_SWIZZLE_128_BYTES = 3,
  HAL_TENSOR_SWIZZLE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_tensor_swizzle_t;

/// How much the L2 cache loads at once, at least.
typedef enum hal_tensor_l2_promotion_t {
  HAL_TENSOR_L2_PROMOTION_NONE = 0,
  HAL_TENSOR_L2_PROMOTION_64_BYTES = 1,
  HAL_TENSOR_L2_PROMOTION_128_BYTES = 2,
  HAL_TENSOR_L2_PROMOTION_256_BYTES = 3,
  HAL_TENSOR_L2_PROMOTION_FORCE_32 = HAL_ENUM_FORCE_32
} hal_tensor_l2_promotion_t;

/// What a copy reads outside of the tensor.
typedef enum hal_tensor_fill_t {
  HAL_TENSOR_FILL_ZERO = 0,
  HAL_TENSOR_FILL_NAN = 1,
  HAL_TENSOR_FILL_FORCE_32 = HAL_ENUM_FORCE_32
} hal_tensor_fill_t;

/// How a parameter of the kind TENSOR_MAP describes the tensor in its binding. Its enumerations are numbers, as in
/// executable files. There is no interleaving, and all strides of the traversal are 1. A frozen struct.
///
/// Devices of CUDA from compute capability 9.0 on make tensor maps (CUtensorMap); others refuse such an export.
typedef struct hal_tensor_map_t {
  uint32_t data_type;              ///< hal_tensor_data_type_t
  uint32_t swizzle;                ///< hal_tensor_swizzle_t
  uint32_t l2_promotion;           ///< hal_tensor_l2_promotion_t
  uint32_t fill;                   ///< hal_tensor_fill_t
  uint32_t rank;                   ///< dimensions; the last one is contiguous
  uint32_t box[5];                 ///< elements that one copy moves: 1 to 256 for each dimension
  hal_tensor_number_t sizes[5];    ///< of the tensor: elements, from 1 to 2^32
  hal_tensor_number_t strides[5];  ///< elements from one index to the next; a multiple of 16 bytes, and 1 for the last
} hal_tensor_map_t;

/// What is known of a parameter, as a bit set.
typedef uint32_t hal_parameter_flags_t;
/// The image leaves open whether the parameter is an address or a number: what `kind` says is a guess.
#define HAL_PARAMETER_GUESSED 0x1u

/// What a parameter is called and what it holds. A frozen struct.
typedef struct hal_parameter_info_t {
  hal_string_view_t name;           ///< as in the source; empty if unknown
  hal_element_type_t element_type;  ///< of a constant, or of what a pointer points to; NONE if unknown
  hal_parameter_flags_t flags;      ///< HAL_PARAMETER_…
} hal_parameter_info_t;

/// A parameter that is a range of the constant bytes. Thread-safe.
static inline hal_parameter_t hal_parameter_constant(uint32_t offset, uint32_t size) {
  hal_parameter_t parameter = {HAL_PARAMETER_KIND_CONSTANT, offset, size, 0, 0, HAL_BINDING_ACCESS_READ};
  return parameter;
}

/// A parameter that is binding number `binding` of set 0. Thread-safe.
static inline hal_parameter_t hal_parameter_binding(uint32_t binding, hal_binding_access_t access) {
  hal_parameter_t parameter = {HAL_PARAMETER_KIND_BINDING, 0, 0, 0, binding, access};
  return parameter;
}

/// What holds for each launch of a kernel, as a bit set.
typedef uint64_t hal_export_flags_t;
/// The kernel runs in workgroups of `workgroup_size` alone: a dispatch cannot ask for another size. If `fixed_sides`
/// has numbers, this holds for those sides only.
#define HAL_EXPORT_EXACT_WORKGROUP_SIZE 0x1ull
/// The workgroups of a dispatch wait for each other, so that all have to run at once.
#define HAL_EXPORT_COOPERATIVE 0x2ull
/// The kernel says itself from when on it needs what the dispatch before it wrote (CUDA's programmatic dependent
/// launch). A device may begin it early. What is ordered by semaphores, events and barriers stays so.
#define HAL_EXPORT_PROGRAMMATIC_LAUNCH 0x4ull
/// The kernel uses dynamic workgroup memory, and how much is for the dispatch to say: 0 bytes cannot be right.
#define HAL_EXPORT_NEEDS_LOCAL_MEMORY 0x8ull

/// What a function of another calling convention takes and returns (halyard/memref.h).
typedef struct hal_function_signature_t hal_function_signature_t;

/// An entry point of an executable: given by the caller for raw images, returned by reflection.
///
/// Bindings are numbered for a dispatch through the sets in order, and within a set by number.
typedef struct hal_export_info_t {
  size_t struct_size;                         ///< sizeof(hal_export_info_t)
  hal_string_view_t name;                     ///< by which hal_executable_find_export() finds it
  hal_string_view_t symbol;                   ///< its name in the image, if different from `name`
  hal_dim3_t workgroup_size;                  ///< work-items in a workgroup; 0 in x if the dispatch must say
  uint32_t local_memory_size;                 ///< bytes of workgroup memory that the kernel declares itself
  uint32_t constants_size;                    ///< bytes of constants that a dispatch must give
  uint32_t parameter_count;                   ///< length of `parameters`
  uint32_t binding_count;                     ///< bindings among them; ignored when given by the caller
  const hal_parameter_t* parameters;          ///< in the kernel's order
  hal_pipeline_layout_t* layout;              ///< `parameters` must agree, or are taken from it; always reflected
  const hal_function_signature_t* signature;  ///< of a function (halyard/memref.h); NULL for kernels. `parameters` and
                                              ///< `constants_size` then follow from it and may be left out
  hal_export_flags_t flags;                   ///< HAL_EXPORT_…
  hal_dim3_t cluster_size;             ///< workgroups of a cluster, which the workgroup count of a dispatch must be
                                       ///< a multiple of; 0 in x if the kernel has no clusters
  uint32_t dynamic_local_memory_size;  ///< bytes of dynamic workgroup memory that every dispatch gets, on top of
                                       ///< what it asks for
  uint32_t subgroup_size;              ///< work-items that run in lockstep, which the kernel is made for; 0 if it is
                                       ///< made for any, or nothing is known. A power of two
  uint32_t register_count;             ///< of each work-item; 0 if unknown
  const hal_parameter_info_t* parameter_infos;  ///< one for each parameter, or NULL
  const hal_tensor_map_t* tensor_maps;          ///< one for each parameter of the kind TENSOR_MAP, in their order
  uint32_t tensor_map_count;                    ///< length of `tensor_maps`
  uint32_t max_workgroup_volume;                ///< work-items of a workgroup that the kernel was compiled for at
                                                ///< most (PTX: `.maxntid`); 0 if any that the device can run
  hal_dim3_t fixed_sides;  ///< with HAL_EXPORT_EXACT_WORKGROUP_SIZE: work-items of the sides that are exact, and 0 for
                           ///< those that a dispatch chooses; all 0 if all sides of `workgroup_size` are exact
  uint32_t reserved2;      ///< 0
  uint32_t min_subgroup_size;  ///< with a `subgroup_size` of 0: the least that the kernel can run in; 0 for no bound
  uint32_t max_subgroup_size;  ///< the same: the most
} hal_export_info_t;
#define HAL_EXPORT_INFO_INIT                                                                                       \
  HAL_INIT_STRUCT(hal_export_info_t, sizeof(hal_export_info_t), {NULL, 0}, {NULL, 0}, {1, 1, 1}, 0, 0, 0, 0, NULL, \
                  NULL, NULL, 0, {0, 0, 0}, 0, 0, 0, NULL, NULL, 0, 0, {0, 0, 0}, 0, 0, 0)
/// HAL_EXPORT_INFO_INIT as a function: see HAL_INIT_STRUCT. Thread-compatible.
HAL_API void hal_export_info_initialize(hal_export_info_t* out, size_t struct_size);

/// A function of the host that the functions of an executable call: what MLIR declares as
/// `func.func private @name(…) attributes {llvm.emit_c_interface}`. A frozen struct.
///
/// It is called as `_mlir_ciface_<name>`. Memrefs are pointers to descriptors (hal_memref_t from `allocated` on), and
/// scalars are C scalars. A single scalar result is returned. All other results are written to a struct that a hidden
/// first pointer names. The descriptor of an unranked result is memory of malloc(), which the compiled code frees. The
/// function runs on the threads of the calls and dispatches that reach it, several at once.
typedef struct hal_function_import_t {
  hal_string_view_t name;  ///< in MLIR
  void (*function)(void);  ///< cast from its own type
} hal_function_import_t;

/// Code that the process already has. Cast from its own type, and called as the export says: a kernel of
/// halyard/local_kernel.h, or a function of the calling convention that its signature names.
typedef void (*hal_host_function_t)(void);

/// Called once, when an executable no longer uses the functions and imports that it was given. A library thread may
/// call it, also during another call of the library. If such a function was running, it has returned.
typedef void (*hal_executable_release_fn_t)(void* user_data);

/// One specialisation constant, for formats that have them. A frozen struct.
typedef struct hal_specialization_t {
  uint32_t id;     ///< as in the image
  uint32_t size;   ///< bytes of `value`: 1, 2, 4 or 8
  uint64_t value;  ///< its bits, in the low bytes
} hal_specialization_t;

/// A file that a source includes. A frozen struct.
typedef struct hal_source_header_t {
  hal_string_view_t name;    ///< as the source includes it: "tile.h"
  hal_string_view_t source;  ///< its contents
} hal_source_header_t;

/// Takes what a compiler says, warnings of a success among it. The text is valid during the call, which is made within
/// that of hal_executable_create().
typedef void (*hal_compile_log_fn_t)(void* user_data, hal_string_view_t log);

/// How a source is compiled. Begin with HAL_INIT(hal_compile_params_t).
typedef struct hal_compile_params_t {
  size_t struct_size;                  ///< sizeof(hal_compile_params_t)
  const hal_string_view_t* options;    ///< of the compiler: "-DTILE=16". The architecture is the device's unless one
                                       ///< of them names another
  size_t option_count;                 ///< length of `options`
  const hal_source_header_t* headers;  ///< what the source may include, beside the compiler's own headers and the
                                       ///< folders that options name
  size_t header_count;                 ///< length of `headers`
  hal_string_view_t name;              ///< of the source in messages; empty for "kernel"
  hal_compile_log_fn_t log;            ///< NULL for none
  void* log_user_data;                 ///< passed to `log`
} hal_compile_params_t;

/// What an executable is made of. Give the image as `data`, or as `path`, not both; or `functions`, and no image.
typedef struct hal_executable_params_t {
  size_t struct_size;                           ///< sizeof(hal_executable_params_t)
  hal_string_view_t format;                     ///< e.g. "host-shared-object"; see hal_device_query_format(). Empty
                                                ///< or "halx" for an executable file, which has an export list
  const void* data;                             ///< the image, or NULL
  size_t data_size;                             ///< bytes
  hal_string_view_t path;                       ///< a file that holds the image, if `data` is NULL
  const hal_export_info_t* exports;             ///< entry points of a raw image, in the order of their ordinals;
                                                ///< `exports[0].struct_size` bytes apart. None to read
                                                ///< them from PTX, cubin, fatbin, HSACO, SPIR-V or host records
  size_t export_count;                          ///< length of `exports`
  const hal_specialization_t* specializations;  ///< may be NULL
  size_t specialization_count;                  ///< length of `specializations`
  bool unvalidated;                             ///< the image is trusted: skip costly checks of its contents
  const hal_function_import_t* imports;         ///< what compiled functions call of the host; may be NULL
  size_t import_count;                          ///< length of `imports`
  const hal_blob_store_t* blobs;                ///< where the driver stores what it compiled; NULL for nowhere
  const hal_string_view_t* names;               ///< exports of an executable file to load, in the order of their
                                                ///< ordinals; NULL for all. Images that have none of them are not read
  size_t name_count;                            ///< length of `names`
  const hal_host_function_t* functions;         ///< format "host-functions": the code of each of `exports`
  size_t function_count;                        ///< length of `functions`, which is `export_count`
  hal_executable_release_fn_t release;          ///< called when `functions` and `imports` are no longer used; may be
                                        ///< NULL, and is for the formats "host-…" alone. If the call fails, it
                                        ///< is not called
  void* release_user_data;              ///< passed to `release`
  const hal_compile_params_t* compile;  ///< how the source is compiled, for "cuda-source" and "hip-source"; may be NULL
} hal_executable_params_t;

/// A shared object of the host with kernels of the workgroup ABI in halyard/local_kernel.h. Needs an export list,
/// unless it has records of its kernels (halyard/local_kernel_record.h).
#define HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT "host-shared-object"

/// A relocatable object of the host (.o, ELF for x86-64 or AArch64) with kernels of the workgroup ABI or functions, as
/// compilers make it before a linker runs. The library links it itself, in memory that it shares with other objects of
/// the device: for kernels that are made at run time. Needs an export list, unless it has records. It may call what
/// `imports` has, and the functions of libm, libc and libgcc_s. INCOMPATIBLE, with the section's or symbol's name, if
/// it has thread-local data, functions to run when it is loaded, handlers of exceptions, or indirect functions: such an
/// object has to be a shared object. Linux alone. Since 0.2.
#define HAL_EXECUTABLE_FORMAT_HOST_OBJECT "host-object"

/// CUDA C++, which NVRTC compiles for the device: a library of NVIDIA's that is loaded then. Exports are read from what
/// it makes, so that no list is needed; their names are mangled unless the source says `extern "C"`. Since 0.2.
#define HAL_EXECUTABLE_FORMAT_CUDA_SOURCE "cuda-source"
/// HIP C++, which hipRTC compiles for the device, the same way. Since 0.2.
#define HAL_EXECUTABLE_FORMAT_HIP_SOURCE "hip-source"

/// Functions that the process already has, in `functions`: of a JIT compiler, or linked into the program. Needs an
/// export list and has no image. They must stay until `release` is called. Since 0.2.
#define HAL_EXECUTABLE_FORMAT_HOST_FUNCTIONS "host-functions"

/// An executable file (.halx): exports, and images for several kinds of device. Each export comes from the best image
/// for this device that has it. Every device takes it. Needs no format and no export list. See docs/executables.md.
#define HAL_EXECUTABLE_FORMAT_CONTAINER "halx"

/// Loads and prepares kernels. Nothing of `params` is needed after the call.
///
/// Without an export list the exports are read from a raw image, as far as it contains them. An unknown workgroup size
/// is 0, so each dispatch must say it. Bindings are numbered in the order of the parameters. Where a parameter of 8
/// bytes may be an address or a number, the code decides. docs/executables.md says what each format contains.
///
/// The workgroups of SPIR-V have the size that the module says, with the values of its specialisation constants. A list
/// that says (1, 1, 1) says nothing. Sizes of constants and workgroup memory follow the specialisations too.
///
/// @return INCOMPATIBLE (the device does not take the format, or any variant of an executable file, the image is for
///         another machine, lacks what a signature names, or needs subgroups of a size that the device has not),
///         NOT_FOUND (file, symbol, or imports that the host does not provide, listed by name), DATA_LOSS (malformed
///         image or executable file), INVALID_ARGUMENT (export list, a path that is no regular file), OUT_OF_RANGE
///         (device limits), ABORTED (the vendor's compiler refused it; its log is in the message), UNAVAILABLE (no
///         library of the compiler that a source needs, no memory for code), RESOURCE_EXHAUSTED (memory, mappings).
/// Thread-safe, may block for as long as a compiler runs.
HAL_API hal_status_t hal_executable_create(hal_device_t* device, const hal_executable_params_t* params,
                                           hal_executable_t** out_executable);
/// Keeps an executable alive. Thread-safe.
HAL_API void hal_executable_retain(hal_executable_t* executable);
/// Releases a reference; command buffers and submitted work keep it alive. On CUDA the last release may wait for other
/// work of the device. Thread-safe.
HAL_API void hal_executable_release(hal_executable_t* executable);

/// The number of exports; 0 for NULL. Thread-safe.
HAL_API uint32_t hal_executable_export_count(hal_executable_t* executable);
/// What export `ordinal` is; lives as long as the executable; NULL if out of range. Thread-safe.
HAL_API const hal_export_info_t* hal_executable_export_info(hal_executable_t* executable, uint32_t ordinal);

/// What a loaded kernel takes of its device, and what the device lets its dispatches have. `struct_size` is that of the
/// caller. A value that the device does not tell is 0; docs/executables.md has a table of them.
typedef struct hal_export_properties_t {
  size_t struct_size;                 ///< sizeof(hal_export_properties_t)
  uint32_t register_count;            ///< of each work-item
  uint32_t private_memory_size;       ///< bytes of memory of each work-item, for what registers do not hold; 0 can
                                      ///< mean that it has none
  uint32_t local_memory_size;         ///< bytes of workgroup memory that the kernel declares itself
  uint32_t max_workgroup_volume;      ///< work-items that a workgroup can have
  uint32_t preferred_multiple;        ///< a workgroup with a multiple of so many work-items leaves none of them idle
  uint32_t resident_workgroups;       ///< of the size that was asked for: that each compute unit runs at the same time
  uint64_t max_dynamic_local_memory;  ///< bytes that a dispatch can ask for
} hal_export_properties_t;

/// Finds out what a loaded kernel takes of its device: to choose the size of its workgroups, for example.
///
/// `resident_workgroups` is for dispatches with that size of workgroups and that much dynamic workgroup memory. Without
/// a size, neither given nor the export's own, it is 0.
/// @param workgroup_size        work-items; all 0 for the export's own size
/// @param dynamic_local_memory  bytes, as in hal_dispatch_params_t
/// @return INVALID_ARGUMENT (a NULL argument, no `struct_size`, a size with some zeros, or another one than the kernel
///         was compiled for); OUT_OF_RANGE (ordinal, or no dispatch can have that size or that much memory).
/// Thread-safe, does not block.
HAL_API hal_status_t hal_executable_query_export_properties(hal_executable_t* executable, uint32_t ordinal,
                                                            hal_dim3_t workgroup_size, uint32_t dynamic_local_memory,
                                                            hal_export_properties_t* out_properties);
/// Finds an export by name, in constant time. @return NOT_FOUND, with similar names. Thread-safe.
HAL_API hal_status_t hal_executable_find_export(hal_executable_t* executable, hal_string_view_t name,
                                                uint32_t* out_ordinal);
/// Finds a variable that the kernels of an image share, such as a `__constant__` or `__device__` variable of CUDA, as a
/// buffer. It has the usages that memory imported into the device has, and keeps the executable alive. The values that
/// it holds at first are the compiler's. What the host writes is seen by dispatches that come after the write.
///
/// Each executable has variables of its own. Where one was made of several images each of these has, too: `ordinal`
/// is an export of the image that is meant.
/// @param name  as the image's symbols have it, mangled names included
/// @return NOT_FOUND; OUT_OF_RANGE (ordinal); UNIMPLEMENTED on devices whose kernels have no such variables.
/// Thread-safe.
HAL_API hal_status_t hal_executable_find_global(hal_executable_t* executable, uint32_t ordinal, hal_string_view_t name,
                                                hal_buffer_t** out_buffer);

HAL_EXTERN_C_END

#endif  // HALYARD_EXECUTABLE_H_
