// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two queues of a device and an edge to another device (src/submission/retirement.cpp, stream_edges.cpp): what depends on
// something is retired after it, and everything is retired without another look. README.md says how to run it.
//
// x and y are submissions to two queues of one device, where y's stream waits for x (a join); z, of another device, waits
// for y's signal on its device and asks for the outcome on the host. A submission is done before it is counted, and
// counts of different queues come in any order. z may end once it is published and its outcome is known, which the
// retirement of y tells.
//
// Broken on purpose: -DNO_RAISE retires y, when its count is seen, without taking x for done; -DLATE_OUTCOME looks at the
// other device before the outcome counts as known; -DNO_LOOK does not look again when z is published.

bit done_x = 0, done_y = 0, done_z = 0;           // on the device
bit counted_x = 0, counted_y = 0, counted_z = 0;  // as the host sees it
bit issued_x = 0, issued_y = 0, issued_z = 0;
bit published_x = 0, published_y = 0, published_z = 0;
bit retired_x = 0, retired_y = 0, retired_z = 0;
bit asks = 0;             // z is registered for y's signal
byte unknown = 0;         // outcomes of z; the first one is the registration's own
bit submitted = 0;
byte notes[2] = 0;        // Retirement::requests_ of each device
bit at_work[2] = 0;

inline Enter(device) {
  d_step { old = notes[device]; notes[device] = notes[device] + 1 }
}

inline Leave(device, taken) {
  d_step { notes[device] = notes[device] - taken; left = notes[device] }
}

// Retirement::Run() of the other device.
inline RunSecond() {
  Enter(1);
  if
  :: old != 0
  :: else ->
     do
     :: taken2 = notes[1];
        assert(!at_work[1]);
        at_work[1] = 1;
        seen_z = counted_z;
        if
        :: seen_z && published_z && unknown == 0 && !retired_z ->
           assert(retired_y);
           retired_z = 1
        :: else
        fi;
        at_work[1] = 0;
        Leave(1, taken2);
        if
        :: left == 0 -> break
        :: else
        fi
     od
  fi
}

// What y signals: StreamAction::OnOutcome() of z, if it has asked. One step with `retired_y`, as the timeline's lock says.
inline TellOutcome() {
  d_step { retired_y = 1; told = asks };
  if
  :: told ->
#ifdef LATE_OUTCOME
     RunSecond();
     unknown = unknown - 1
#else
     unknown = unknown - 1;
     RunSecond()
#endif
  :: else
  fi
}

// Retirement::Run() of the device with two queues.
inline RunFirst() {
  Enter(0);
  if
  :: old != 0
  :: else ->
     do
     :: taken = notes[0];
        assert(!at_work[0]);
        at_work[0] = 1;
        seen_x = counted_x;
        seen_y = counted_y;
#ifndef NO_RAISE
        seen_x = seen_x || seen_y;
#endif
        if
        :: seen_x && !retired_x && published_x -> retired_x = 1
        :: else
        fi;
        if
        :: seen_x && !retired_x  // stands still: x has the earlier ticket
        :: else ->
           if
           :: seen_y && published_y && !retired_y ->
              assert(retired_x);
              TellOutcome()
           :: else
           fi
        fi;
        at_work[0] = 0;
        Leave(0, taken);
        if
        :: left == 0 -> break
        :: else
        fi
     od
  fi
}

active proctype Submitter() {
  byte old, left, taken, taken2;
  bit seen_x, seen_y, seen_z, told;
  issued_x = 1;
  published_x = 1;
  if
  :: counted_x -> RunFirst()
  :: else
  fi;
  issued_y = 1;
  published_y = 1;
  if
  :: counted_x || counted_y -> RunFirst()
  :: else
  fi;
  skip;  // spin wants no loop to end right before a d_step
  d_step {  // StreamSemaphore::Notify()
    if
    :: !retired_y -> asks = 1; unknown = 1
    :: else
    fi
  };
  issued_z = 1;
  published_z = 1;
#ifndef NO_LOOK
  if
  :: counted_z -> RunSecond()
  :: else
  fi;
#endif
  submitted = 1
}

active proctype Devices() {
end_idle:
  do
  :: issued_x && !done_x -> done_x = 1
  :: issued_y && done_x && !done_y -> done_y = 1
  :: issued_z && done_y && !done_z -> done_z = 1
  :: done_x && !counted_x -> counted_x = 1
  :: done_y && !counted_y -> counted_y = 1
  :: done_z && !counted_z -> counted_z = 1
  od
}

// One thread for each queue, which looks when its count moves.
active proctype CompletionX() {
  byte old, left, taken, taken2;
  bit seen_x, seen_y, seen_z, told;
  counted_x -> RunFirst()
}

active proctype CompletionY() {
  byte old, left, taken, taken2;
  bit seen_x, seen_y, seen_z, told;
  counted_y -> RunFirst()
}

active proctype CompletionZ() {
  byte old, left, taken, taken2;
  bit seen_x, seen_y, seen_z, told;
  counted_z -> RunSecond()
}

active proctype Judge() {
  timeout ->
  assert(submitted && notes[0] == 0 && notes[1] == 0);
  assert(retired_x && retired_y && retired_z)
}
