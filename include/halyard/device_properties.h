// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What a device is made of: for choosing one, and for choosing or generating code for it. See docs/devices.md.
///
/// Nothing here changes while the device lives. What does is asked elsewhere: free memory of
/// hal_allocator_query_heaps(), health of hal_device_query_health(). Bounds of what may be asked of a device are
/// hal_device_limits_t.
///
/// Since 0.1, all of it.
#ifndef HALYARD_DEVICE_PROPERTIES_H_
#define HALYARD_DEVICE_PROPERTIES_H_

#include "halyard/allocator.h"
#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// What kind of hardware a device is.
typedef enum hal_device_kind_t {
  HAL_DEVICE_KIND_UNKNOWN = 0,
  HAL_DEVICE_KIND_CPU = 1,         ///< processors of the host
  HAL_DEVICE_KIND_INTEGRATED = 2,  ///< an accelerator that shares the host's memory
  HAL_DEVICE_KIND_DISCRETE = 3,    ///< an accelerator with memory of its own
  HAL_DEVICE_KIND_VIRTUAL = 4,     ///< no hardware of its own: a part of a device, or software in place of one
  HAL_DEVICE_KIND_FORCE_32 = HAL_ENUM_FORCE_32
} hal_device_kind_t;

/// What kernels can compute with in the device's own instructions. An operation that only works as a routine or as a
/// loop of compare-and-exchange does not count.
typedef uint64_t hal_data_types_t;
/// None, or not known.
#define HAL_DATA_TYPES_NONE 0x0ull
/// Add, multiply and fused multiply-add of IEEE binary16, each rounded once to binary16.
#define HAL_DATA_TYPE_FLOAT16 0x1ull
/// Fused multiply-add of bfloat16 (so also add and multiply), rounded once to bfloat16.
#define HAL_DATA_TYPE_BFLOAT16 0x2ull
/// Add, multiply and fused multiply-add of IEEE binary64.
#define HAL_DATA_TYPE_FLOAT64 0x4ull
/// Indivisible add, exchange and compare-and-exchange of 64-bit integers in buffers, among all work-items of a device.
#define HAL_DATA_TYPE_INT64_ATOMICS 0x8ull
/// Indivisible add of IEEE binary16 in buffers, among all work-items of a device.
#define HAL_DATA_TYPE_FLOAT16_ATOMIC_ADD 0x10ull
/// The same of bfloat16.
#define HAL_DATA_TYPE_BFLOAT16_ATOMIC_ADD 0x20ull
/// The same of IEEE binary32.
#define HAL_DATA_TYPE_FLOAT32_ATOMIC_ADD 0x40ull
/// The same of IEEE binary64.
#define HAL_DATA_TYPE_FLOAT64_ATOMIC_ADD 0x80ull

/// Where a device sits on the PCI bus, as `domain:bus:device.function`. A frozen struct.
typedef struct hal_pci_address_t {
  uint32_t domain;    ///< usually 0
  uint32_t bus;       ///< below 256
  uint32_t device;    ///< below 32
  uint32_t function;  ///< below 8
} hal_pci_address_t;

/// Some names. A frozen struct. The library's own, which lives as long as what it came from.
typedef struct hal_string_list_t {
  size_t count;                    ///< length of `names`
  const hal_string_view_t* names;  ///< NULL if there are none
} hal_string_list_t;

/// An extension of a device: what hal_device_query_interface() answers to. A frozen struct.
typedef struct hal_device_extension_t {
  hal_string_view_t name;  ///< "halyard.cuda.interop"
  uint32_t version;        ///< the latest that the device has; it has all earlier ones
  uint32_t reserved;       ///< 0
} hal_device_extension_t;

/// Some extensions. A frozen struct. The library's own, which lives as long as what it came from.
typedef struct hal_device_extension_list_t {
  size_t count;                              ///< length of `extensions`
  const hal_device_extension_t* extensions;  ///< NULL if there are none
} hal_device_extension_list_t;

/// What a device is made of. `struct_size` is that of the caller. What it points to is the device's own and lives as
/// long as the device. A value that the driver does not know is 0 or empty, unless it says otherwise.
typedef struct hal_device_properties_t {
  size_t struct_size;                ///< sizeof(hal_device_properties_t)
  hal_device_kind_t kind;            ///< what kind of hardware
  uint32_t vendor_id;                ///< of its maker, as PCI-SIG numbers them: 0x10DE is NVIDIA
  hal_string_view_t vendor;          ///< its maker for people: "NVIDIA"
  hal_string_view_t driver_name;     ///< the vendor's software through which the device is driven: "CUDA"
  hal_string_view_t driver_version;  ///< its version, as its vendor writes it: "13.0"
  hal_pci_address_t pci_address;     ///< where it sits; only if `has_pci_address`
  bool has_pci_address;              ///< whether `pci_address` is known
  bool has_uuid;                     ///< whether `uuid` is known
  uint8_t uuid[16];                  ///< the same in every process, and for every API that drives the device
  int32_t numa_node;                 ///< of the host, next to the device; -1 if unknown or if there are several
  hal_string_view_t architecture;    ///< as compilers name it: "sm_90", "gfx942", "x86-64-v3"
  hal_string_list_t features;        ///< as compilers name them: "avx512f"; also those that `architecture` means
  uint32_t compute_units;            ///< each runs workgroups at the same time as the others
  uint32_t max_clock_khz;            ///< the most that compute units run at, in kHz
  uint32_t min_subgroup_size;        ///< work-items that run in step; a power of two
  uint32_t max_subgroup_size;        ///< the same as `min_subgroup_size` if there is one size only
  uint64_t l1_cache_size;            ///< bytes of data, of each compute unit
  uint64_t l2_cache_size;            ///< bytes: of each compute unit of a CPU, of all together of a GPU
  uint64_t l3_cache_size;            ///< bytes, shared by some or all compute units
  hal_data_types_t data_types;       ///< what kernels can compute with
  hal_string_list_t formats;         ///< of executables that it takes, see hal_device_query_format(), the best first
  hal_device_extension_list_t extensions;  ///< what hal_device_query_interface() answers to
} hal_device_properties_t;

/// What a device is made of.
///
/// A driver that is older than this function leaves everything unknown. Formats and extensions can still be queried by
/// name.
/// @return INVALID_ARGUMENT (a NULL argument, no `struct_size`). Thread-safe, does not block.
HAL_API hal_status_t hal_device_query_properties(hal_device_t* device, hal_device_properties_t* out_properties);

/// How a device reaches the memory of another one.
typedef enum hal_peer_relation_t {
  HAL_PEER_RELATION_NONE = 0,    ///< not at all: data goes through the host
  HAL_PEER_RELATION_ACCESS = 1,  ///< its kernels can be given access to the other's memory
  HAL_PEER_RELATION_SAME = 2,    ///< both are the same hardware
  HAL_PEER_RELATION_FORCE_32 = HAL_ENUM_FORCE_32
} hal_peer_relation_t;

/// How hal_device_queue_copy() copies between memory of two devices.
typedef enum hal_copy_route_t {
  HAL_COPY_ROUTE_UNKNOWN = 0,  ///< the library does not tell
  HAL_COPY_ROUTE_DIRECT = 1,   ///< one copy of the device, which reaches both memories
  HAL_COPY_ROUTE_STAGED = 2,   ///< through memory of the host, in pieces: one device fills it, the other empties it
  HAL_COPY_ROUTE_HOST = 3,     ///< one memory is the host's, and the other device reads or writes it
  HAL_COPY_ROUTE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_copy_route_t;

/// What lies between two devices.
typedef enum hal_peer_link_t {
  HAL_PEER_LINK_UNKNOWN = 0,  ///< the driver does not tell
  HAL_PEER_LINK_SAME = 1,     ///< nothing: both are the same hardware
  HAL_PEER_LINK_FABRIC = 2,   ///< a link of the vendor's between accelerators: NVLink, xGMI
  HAL_PEER_LINK_PCIE = 3,     ///< the PCI Express bus
  HAL_PEER_LINK_HOST = 4,     ///< one of them is the processors of the host
  HAL_PEER_LINK_FORCE_32 = HAL_ENUM_FORCE_32
} hal_peer_link_t;

/// What memory hal_buffer_share() gives a device of another one.
typedef enum hal_peer_share_t {
  HAL_PEER_SHARE_NONE = 0,  ///< none, or not known
  HAL_PEER_SHARE_HOST = 1,  ///< memory of the other that is HOST_VISIBLE and HOST_COHERENT
  HAL_PEER_SHARE_ALL = 2,   ///< all of it
  HAL_PEER_SHARE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_peer_share_t;

/// What connects two devices. `struct_size` is that of the caller.
typedef struct hal_peer_properties_t {
  size_t struct_size;            ///< sizeof(hal_peer_properties_t)
  hal_peer_relation_t relation;  ///< how the first reaches the other's memory
  bool native_atomics;           ///< atomics of the one are indivisible for the other, across the connection
  int32_t performance_rank;      ///< compares connections of one driver, 0 is the fastest; -1 if unknown
  hal_copy_route_t copy_route;   ///< how a copy between memory of the two goes, in either direction
  hal_peer_link_t link;          ///< what lies between them
  /// Whether work of the first waits for semaphores of the other on the device itself. Otherwise the host waits, and
  /// submits the work afterwards.
  bool native_waits;
  hal_peer_handles_t memory_handles;     ///< by which the first imports memory that the other exports
  hal_peer_handles_t semaphore_handles;  ///< the same of semaphores
  hal_peer_share_t share;                ///< what the first can be given of the other's memory
  uint32_t reserved;                     ///< 0
} hal_peer_properties_t;

/// What connects a device to another one, of any driver.
///
/// Devices of different drivers are SAME if both have one UUID or one PCI address, and else NONE. A driver that is
/// older than the fields from `copy_route` on leaves `native_waits` false, the handles NONE and the link to what the
/// properties of the devices tell.
/// @return INVALID_ARGUMENT (a NULL argument, no `struct_size`). Thread-safe, does not block.
HAL_API hal_status_t hal_device_query_peer(hal_device_t* device, hal_device_t* other,
                                           hal_peer_properties_t* out_properties);

HAL_EXTERN_C_END

#endif  // HALYARD_DEVICE_PROPERTIES_H_
