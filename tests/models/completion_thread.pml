// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handshake of src/submission/completion_thread.h: no caller that asks for service is missed. README.md says how
// to run it. Every statement is one step of some thread, in one order for all, as the sequentially consistent operations are.
//
// Broken on purpose: with -DLOOK_FIRST the thread reads the counts before it publishes how it will rest. With
// -DRING_FIRST callers read how it rests before they count.

#define AWAKE 0
#define DOZING 1
#define ASLEEP 2

bit bell = 0;
byte rest = AWAKE;         // `sleep` in the code, which is a word of this language's libraries
byte requests = 0;
byte notices = 0;
bit stop = 0;
byte served_requests = 0;  // how many of each there were when the thread last served
byte served_notices = 0;
bit ended = 0;

inline Request() {
#ifdef RING_FIRST
  seen = rest;
  requests++;
#else
  requests++;
  seen = rest;
#endif
  if
  :: seen != AWAKE -> bell = 1
  :: else
  fi
}

inline Notice() {
  notices++;
  seen = rest;
  if
  :: seen == ASLEEP -> bell = 1
  :: else
  fi
}

active [2] proctype Asker() {
  byte seen;
  Request()
}

active proctype Submitter() {
  byte seen;
  Notice();
  Request()
}

active proctype Closer() {
  if
  :: skip              // stays open
  :: stop = 1; bell = 1
  fi
}

active proctype Thread() {
  byte r;
  byte n;
  byte how;
  bit wanted;
again:
  bell = 0;
  r = requests;
  n = notices;
  if
  :: stop -> goto done
  :: else
  fi;
  d_step { served_requests = requests; served_notices = notices };
  if
  :: stop -> goto done
  :: else
  fi;
  if
  :: goto again        // there is more to do
  :: how = DOZING
  :: how = ASLEEP
  fi;
#ifdef LOOK_FIRST
  wanted = (requests != r);
  wanted = wanted || (how == ASLEEP && notices != n);
  rest = how;
#else
  rest = how;
  wanted = (requests != r);
  wanted = wanted || (how == ASLEEP && notices != n);
#endif
  if
  :: wanted
  :: else ->
end_rest:
     if
     :: bell
     // The time of a doze passes only when no process can take a step: every caller must have been served before.
     :: how == DOZING && timeout -> assert(served_requests == requests && !stop)
     fi
  fi;
  rest = AWAKE;
  goto again;
done:
  ended = 1
}

// When no process can take a step.
active proctype Judge() {
  timeout ->
  assert(!stop || ended);
  assert(ended || served_requests == requests);
  assert(ended || rest != ASLEEP || served_notices == notices)
}
