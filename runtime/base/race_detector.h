// Tells the ThreadSanitizer of a program (Archer's users) that memory of the runtime passes from one thread to another.
// The library itself is not instrumented there, so the detector sees neither its locks nor its counts. It would take
// the next owner's writes for a race with what the last owner did. Without a detector the two functions do not exist,
// and each call is one test. They are for slow paths: memory that stays with its worker needs no call.
#pragma once

namespace chomp {

extern "C" {
__attribute__((weak, visibility("default"))) void AnnotateHappensBefore(const char* file, int line,
                                                                        const volatile void* address);
__attribute__((weak, visibility("default"))) void AnnotateHappensAfter(const char* file, int line,
                                                                       const volatile void* address);
}

/// Whether the program has such a detector. The detector sees races between threads only.
inline bool race_detector_present() { return AnnotateHappensBefore != nullptr && AnnotateHappensAfter != nullptr; }

/// What the calling thread has done to the memory comes before what its next owner does, after memory_taken().
inline void memory_given(const void* memory) {
  if (AnnotateHappensBefore != nullptr) AnnotateHappensBefore(__FILE_NAME__, __LINE__, memory);
}
inline void memory_taken(const void* memory) {
  if (AnnotateHappensAfter != nullptr) AnnotateHappensAfter(__FILE_NAME__, __LINE__, memory);
}

} // namespace chomp
