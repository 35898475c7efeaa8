// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways in which a test copies between two devices.
#ifndef HALYARD_TESTS_CTS_DEVICES_PEER_ROUTES_H_
#define HALYARD_TESTS_CTS_DEVICES_PEER_ROUTES_H_

#include <ostream>

#include "cts/cts.h"

namespace halyard::cts {

/// The other device, which way the bytes go, and which device gets the operation.
struct PeerRoute {
  const char* name;
  bool same_uri;  ///< the other device is the one under test, opened again
  bool to_other;  ///< the bytes go to the other device
  bool by_other;  ///< the operation goes to the other device
};
inline void PrintTo(const PeerRoute& route, std::ostream* out) { *out << route.name; }

inline constexpr PeerRoute kPeerRoutes[] = {
    {"ToOtherByThis", false, true, false},    {"ToOtherByOther", false, true, true},
    {"FromOtherByThis", false, false, false}, {"FromOtherByOther", false, false, true},
    {"FromTwinByThis", true, false, false},
};

class PeerTest : public DeviceTestWith<PeerRoute> {
 protected:
  Device other_ = GetParam().same_uri ? OpenDevice(options().device) : OpenSecondDevice();
  Device from_ = GetParam().to_other ? device() : other_;
  Device to_ = GetParam().to_other ? other_ : device();
  Device by_ = GetParam().by_other ? other_ : device();
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_DEVICES_PEER_ROUTES_H_
