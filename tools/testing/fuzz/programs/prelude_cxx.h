#include <vector>

// Knows its own address, and counts how many there are.
template <int size> struct Object {
  long value;
  long* live;
  Object* self;
  unsigned char bytes[size];
  Object(long* counter, long first) : value(first), live(counter), self(this) { count(1); }
  Object() : value(0), live(0), self(this) {}
  Object(const Object& other) : value(other.value), live(other.live), self(this) { count(1); }
  Object& operator=(const Object& other) {
    value = other.value;
    if (live != other.live) {
      count(-1);
      live = other.live;
      count(1);
    }
    return *this;
  }
  ~Object() {
    count(-1);
    self = 0;
  }
  void count(long by) {
    if (live) __atomic_add_fetch(live, by, __ATOMIC_SEQ_CST);
  }
  bool good(long expected) const { return self == this && value == expected; }
};

// What a user-defined reduction merges.
struct Sum {
  long sum, count;
  Sum* self;
  explicit Sum(long first = 0) : sum(first), count(0), self(this) {}
  Sum(const Sum& other) : sum(other.sum), count(other.count), self(this) {}
  void add(long value) { sum += value, count++; }
  bool is(long s, long c) const { return sum == s && count == c && self == this; }
};
#pragma omp declare reduction(merge:Sum : omp_out.sum += omp_in.sum, omp_out.count += omp_in.count)                    \
    initializer(omp_priv = Sum(0))
