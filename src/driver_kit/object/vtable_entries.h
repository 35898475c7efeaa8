// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one list of the entries of a driver's vtables: the method of a driver's class that fills each, and the answer of
// the core where a driver has none. A new entry is a line here and a field in halyard/driver_api.h.
#ifndef HALYARD_DRIVER_KIT_OBJECT_VTABLE_ENTRIES_H_
#define HALYARD_DRIVER_KIT_OBJECT_VTABLE_ENTRIES_H_

namespace halyard {

/// Whether a class of a driver must have the method. The core takes a vtable without it, as of an older driver.
enum class Presence { kRequired, kOptional };

}  // namespace halyard

/// X(kind, class): the vtables.
#define HALYARD_VTABLES(X)         \
  X(driver, Driver)                \
  X(device, Device)                \
  X(allocator, Allocator)          \
  X(buffer, Buffer)                \
  X(semaphore, Semaphore)          \
  X(event, Event)                  \
  X(command_buffer, CommandBuffer) \
  X(executable, Executable)

/// X(kind, entry, method, presence, answer): the entries of each. The answers are in core/registry/driver_tables.cpp.
#define HALYARD_ENTRIES_driver(X)                                                        \
  X(driver, list_devices, ListDevices, kRequired, Unimplemented)                         \
  X(driver, create_device, CreateDevice, kRequired, Unimplemented)                       \
  X(driver, create_device_on_executor, CreateDeviceOnExecutor, kOptional, Unimplemented) \
  X(driver, wrap_device, WrapDevice, kOptional, Unimplemented)                           \
  X(driver, query_device, QueryDevice, kOptional, Unimplemented)
#define HALYARD_ENTRIES_device(X)                                                 \
  X(device, query_format, QueryFormat, kOptional, NoFormats)                      \
  X(device, query_health, QueryHealth, kOptional, NothingToDo)                    \
  X(device, query_interface, QueryInterface, kOptional, NoExtensions)             \
  X(device, create_semaphore, CreateSemaphore, kRequired, Unimplemented)          \
  X(device, create_event, CreateEvent, kOptional, Unimplemented)                  \
  X(device, create_command_buffer, CreateCommandBuffer, kOptional, Unimplemented) \
  X(device, create_executable, CreateExecutable, kOptional, Unimplemented)        \
  X(device, submit, Submit, kRequired, Unimplemented)                             \
  X(device, profiling_begin, ProfilingBegin, kOptional, Unimplemented)            \
  X(device, profiling_end, ProfilingEnd, kOptional, Unimplemented)                \
  X(device, query_properties, QueryProperties, kOptional, NothingToDo)            \
  X(device, query_peer, QueryPeer, kOptional, NothingToDo)                        \
  X(device, check_command, CheckCommand, kOptional, NoLaterCommands)              \
  X(device, drain, Drain, kOptional, Unimplemented)                               \
  X(device, check_peer_copy, CheckPeerCopy, kOptional, NoPeerCopies)              \
  X(device, create_engine, CreateEngine, kOptional, Unimplemented)
#define HALYARD_ENTRIES_allocator(X)                                        \
  X(allocator, destroy, Destroy, kOptional, DestroyedByDevice)              \
  X(allocator, query_heaps, QueryHeaps, kRequired, Unimplemented)           \
  X(allocator, query_statistics, QueryStatistics, kRequired, Unimplemented) \
  X(allocator, allocate, Allocate, kRequired, Unimplemented)                \
  X(allocator, import, Import, kOptional, Unimplemented)                    \
  X(allocator, trim, Trim, kOptional, NothingToDo)                          \
  X(allocator, share, Share, kOptional, Unimplemented)
#define HALYARD_ENTRIES_buffer(X)                           \
  X(buffer, map, Map, kOptional, Unimplemented)             \
  X(buffer, unmap, Unmap, kOptional, NothingToDo)           \
  X(buffer, flush, Flush, kOptional, NothingToDo)           \
  X(buffer, invalidate, Invalidate, kOptional, NothingToDo) \
  X(buffer, export_memory, ExportMemory, kOptional, Unimplemented)
#define HALYARD_ENTRIES_semaphore(X)                         \
  X(semaphore, query, Query, kRequired, Unimplemented)       \
  X(semaphore, signal, Signal, kRequired, Unimplemented)     \
  X(semaphore, fail, FailTimeline, kRequired, Unimplemented) \
  X(semaphore, wait, Wait, kRequired, Unimplemented)         \
  X(semaphore, notify, Notify, kRequired, Unimplemented)     \
  X(semaphore, cancel, Cancel, kRequired, Unimplemented)     \
  X(semaphore, wait_with_flags, WaitWithFlags, kOptional, WaitAsDriverDoes)
#define HALYARD_ENTRIES_event(X)
#define HALYARD_ENTRIES_command_buffer(X)                     \
  X(command_buffer, begin, Begin, kRequired, Unimplemented)   \
  X(command_buffer, record, Record, kRequired, Unimplemented) \
  X(command_buffer, end, End, kRequired, Unimplemented)
#define HALYARD_ENTRIES_executable(X)                                                   \
  X(executable, export_info, ExportInfo, kRequired, NoExportInfo)                       \
  X(executable, function, Function, kOptional, Unimplemented)                           \
  X(executable, find_export, FindExport, kOptional, FindExportInOrder)                  \
  X(executable, find_global, FindGlobal, kOptional, Unimplemented)                      \
  X(executable, query_export_properties, QueryExportProperties, kOptional, NothingToDo) \
  X(executable, count_resident, CountResident, kOptional, NothingToDo)

#endif  // HALYARD_DRIVER_KIT_OBJECT_VTABLE_ENTRIES_H_
