// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulated devices say about themselves: the vendor's standard, unless the environment or a test changes
// some of it.
#ifndef HALYARD_TESTS_SIM_STREAM_API_ATTRIBUTES_H_
#define HALYARD_TESTS_SIM_STREAM_API_ATTRIBUTES_H_

#include <optional>

#include "stream_api/call.h"

namespace halyard::sim {

// Fills in every device, and then what HALYARD_SIM_ATTRIBUTES says.
void StartAttributes();
// Nothing if there is no such attribute. Under the runtime's lock.
std::optional<int> AttributeOf(int device, int attribute);

// What the functions about devices answer.
Error DeviceCount(int* count);
Error CurrentDevice(int* device);
Error DeviceAttribute(int device, int attribute, int* value);
Error TotalMemoryOf(int device, size_t* bytes);
// 1 if kernels of one device can reach the other's memory.
Error PeerAccess(int from, int to, int* can);
// Lets a context reach another device's memory that is in no pool.
Error EnablePeer(Context& context, int peer, unsigned int flags);

// "0000:1A:00.0", of a bus number.
Error PciBusIdOf(int bus, char* text, int capacity);
// The device whose attribute for the bus has what the text says.
Error FindByPciBusId(const char* text, int bus_attribute, int* device);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_ATTRIBUTES_H_
