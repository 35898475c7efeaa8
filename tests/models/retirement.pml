// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread retires a submission (src/submission/retirement.h). One that a thread waits for is retired without a
// doze of the completion thread, once, in order, and by one thread at a time. README.md says how to run it.
//
// One queue; the device completes epochs in order. A submission is retired no earlier than its submitter has published
// it; the submitter looks again afterwards.
//
// Broken on purpose: with -DLOOK_FIRST the submitter looks for the end of the work before it publishes. With -DNO_NOTE a
// thread that finds another one retiring leaves no note. With -DLATE_LOOK the completion thread looks for unfinished work
// only after it has retired, so it misses work that ends in between. With -DNO_HAND_OVER a thread that has retired often
// enough in a row does not ask the completion thread.

#ifndef SUBMISSIONS
#define SUBMISSIONS 2
#endif

byte issued = 0;               // epochs count from 1
byte counted = 0;              // by the device
bit published[SUBMISSIONS + 1];
bit wanted[SUBMISSIONS + 1];
byte first = 1;                // the oldest that is not retired
byte notes = 0;                // Retirement::requests_
bit at_work = 0;
byte asked = 0;                // requests to the completion thread

// Retirement::Pass(). What is done is looked at once, at its beginning.
inline Pass() {
  assert(!at_work);
  at_work = 1;
  done = counted;
  do
  :: first <= done && published[first] -> first++
  :: else -> break
  od;
  at_work = 0
}

// Retirement::Run().
inline Run() {
  d_step { old = notes; notes = notes + 1 };
  if
  :: old != 0
#ifdef NO_NOTE
     -> notes = notes - 1
#endif
  :: else ->
     do
     :: old = notes;
        Pass();
        d_step { left = notes - old; notes = left };
        if
        :: left == 0 -> break
        :: else
        :: left != 0 ->  // often enough in a row: the completion thread takes over
           notes = 0;
#ifndef NO_HAND_OVER
           asked++;
#endif
           break
        fi
     od
  fi
}

inline Arm(e) {
  if
  :: e >= first -> wanted[e] = 1; asked++
  :: else
  fi
}

active [SUBMISSIONS] proctype Submitter() {
  byte old, left, done, epoch;
  d_step { issued++; epoch = issued };  // with issue_mutex_
  if
  :: Arm(epoch)
  :: skip
  fi;
#ifdef LOOK_FIRST
  done = counted;
  published[epoch] = 1;
#else
  published[epoch] = 1;
  done = counted;
#endif
  if
  :: done >= epoch -> Run()
  :: else
  fi
}

active proctype Device() {
end_idle:
  do
  :: counted < issued -> counted++
  od
}

active proctype CompletionThread() {
  byte old, left, done, epoch, seen_asked;
end_rest:
  do
  :: seen_asked != asked ->
     seen_asked = asked;
serve:
#ifdef LATE_LOOK
     Run();
     epoch = first;
#else
     epoch = counted + 1;  // all before it is done, and retired now or by the thread that publishes it
     Run();
#endif
     do
     :: epoch <= issued && !wanted[epoch] -> epoch++
     :: else -> break
     od;
     if
#ifdef LATE_LOOK
     :: epoch <= issued && counted < epoch ->
#else
     :: epoch <= issued ->
#endif
        counted >= epoch;  // sleeps on the event
        goto serve
     :: else
     fi
  od
}

active proctype Judge() {
  byte e = 1;
  timeout ->
  assert(counted == issued && notes == 0);
  do
  :: e <= issued -> assert(!wanted[e] || first > e); e++
  :: else -> break
  od
}
