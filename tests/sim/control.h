// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a test can ask of a simulated vendor library, and how it makes it fail. The functions are exported by the
// library itself: find them with dlsym() in the library that the driver under test has loaded.
//
// All are thread-safe, may be called at any time and count as no call of the vendor's API. Numbers of results and
// attributes are the vendor's.
#ifndef HALYARD_TESTS_SIM_CONTROL_H_
#define HALYARD_TESTS_SIM_CONTROL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Forgets reports, counts and planned faults. Objects stay as they are.
void halyardSimReset(void);

// The n-th call from now, counted from 1, returns `result` and does nothing. `name` is the function's exported name;
// NULL counts the calls of all functions. An `nth` of 0 cancels it. A result after which a context does no more work
// (an illegal address and the like) loses the calling thread's.
void halyardSimFail(const char* name, uint64_t nth, int result);
// Calls that were made to fail since the last reset: 0 means that all calls have been tried.
uint64_t halyardSimFailures(void);
// The last of those, by the name that the library exports; NULL if there is none.
const char* halyardSimFailedCall(void);
// Calls since the last reset: of one function, by the name that the library exports, or of all for NULL.
uint64_t halyardSimCalls(const char* name);

// The n-th kernel from now on a device, counted from 1, ends with `result`, and the context with it: nothing that was
// submitted there is carried out any more, and every later call answers the same. 0 calls it off.
void halyardSimLoseDevice(int device, uint64_t nth, int result);

// Writes what was reported since the last reset, one breach a line and ended by NUL, as far as it fits.
// Returns the bytes of all of it, the NUL included; 1 if there is nothing.
size_t halyardSimReport(char* text, size_t capacity);
// How many breaches of one rule, by its name (see README.md), or of all for NULL.
uint64_t halyardSimReports(const char* rule);
// The rules, separated by commas, whose breaches are not reported from now on; all others are.
void halyardSimIgnore(const char* rules);
// Reports everything that exists now as a leak: call it where the program has released everything.
void halyardSimCheckLeaks(void);
// How many objects and allocations exist now: 0 once a program has released everything.
uint64_t halyardSimObjects(void);
// Takes away all of them, waiting for the work that was submitted, and what is current on the calling thread: as if the
// library had just been initialised. Nothing is reported. No other thread may call the library meanwhile.
void halyardSimForget(void);

// Shuts the library down, as it does by itself while the process ends: nothing that was submitted is carried out any
// more, and every call that needs a device answers that the library is shut down. Permanent.
void halyardSimShutDown(void);

// What the library says of its version from now on, with the rules of that version; 0 for the standard one. No other
// thread may call the library meanwhile.
void halyardSimSetVersion(int version);
// What devices say of their architecture from now on, if their code is for one alone: "gfx942:sramecc+:xnack-".
void halyardSimSetArchitecture(const char* architecture);
// The calls of one function return so many milliseconds later from now on; 0 ends it.
void halyardSimReturnLate(const char* name, uint64_t milliseconds);
// How many threads are inside a call of one function now.
uint64_t halyardSimThreadsInside(const char* name);
// How many threads wait for an event now, by its handle.
uint64_t halyardSimEventWaiters(void* event);
// Changes an attribute of a device, with what follows from it. 0 if there is no such device or attribute.
int halyardSimSetAttribute(int device, int attribute, int value);
// Every operation is held up by up to so many microseconds, at random; 0 switches that off.
void halyardSimSetDelay(uint64_t longest);

// What kernels call to change a device-updatable node, by its handle, for a test's host function to call in their
// stead. They answer as there: 0, or the number of an error and nothing has changed.
int halyardSimSetNodeGrid(void* node, uint32_t x, uint32_t y, uint32_t z);
int halyardSimSetNodeEnabled(void* node, int enabled);

#ifdef __cplusplus
}
#endif

#endif  // HALYARD_TESTS_SIM_CONTROL_H_
