// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lists of kinds, HALYARD_COMMANDS and HALYARD_OPERATIONS, are made into: the cases of a switch.
#ifndef HALYARD_DRIVER_KIT_QUEUE_KINDS_H_
#define HALYARD_DRIVER_KIT_QUEUE_KINDS_H_

#define HALYARD_RETURN_NAME(type, name, ...) \
  case type:                                 \
    return name;
/// Of what stands at the end of an entry.
#define HALYARD_RETURN_VISIT(type, name, ...) \
  case type:                                  \
    return visitor(__VA_ARGS__);

#endif  // HALYARD_DRIVER_KIT_QUEUE_KINDS_H_
