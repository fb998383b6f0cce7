// What the standard library's classes and algorithms do is seen, by Clang's code and GCC's. Each number is one beside a
// task that uses the same object; number -1 is all of them in turn, with objects of their own, without a fault.
// RUN: %each-call %t %s
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

struct Objects {
  std::string text = "some text that is longer than the small buffer of a string";
  std::ostringstream out;
  std::istringstream in{"17 18 19 20 21"};
  std::vector<int> list = std::vector<int>(32, 5);
  std::vector<std::string> texts = {"c", "b", "a"};
  std::shared_ptr<std::string> shared = std::make_shared<std::string>("shared text");
  std::wstring wide = L"wide";
};

static __attribute__((noinline)) bool call(int number, Objects& o) {
  int value = 0;
  switch (number) {
  case 0: o.text += "more"; return true;
  case 1: o.text.append(20, 'x'); return true;
  case 2: o.out << 17 << " and " << 2.5; return true;
  case 3: o.in >> value; return true;
  case 4: std::copy(o.list.begin() + 16, o.list.end(), o.list.begin()); return true;
  case 5: std::sort(o.list.begin(), o.list.end()); return true;
  case 6: o.list.push_back(3); return true;
  case 7: std::sort(o.texts.begin(), o.texts.end()); return true;
  case 8: o.texts.emplace_back("d"); return true;
  case 9: o.shared = std::make_shared<std::string>("another"); return true;
  case 10: o.wide += L" and longer than before"; return true;
  case 11: std::fill(o.list.begin(), o.list.end(), 1); return true;
  case 12: o.text = std::to_string(12345) + o.text; return true;
  default: return false;
  }
}

static volatile bool seen;

// The same object, seen by another task.
static __attribute__((noinline)) bool look(int number, const Objects& o) {
  switch (number) {
  case 0:
  case 1:
  case 12: return o.text.empty();
  case 2: return o.out.str().empty();
  case 3: return const_cast<std::istringstream&>(o.in).get() == 'x';
  case 7:
  case 8: return o.texts[0].empty() || o.texts.empty();
  case 9: return o.shared == nullptr;
  case 10: return o.wide.empty();
  default: return o.list[0] == 7 || o.list.empty();
  }
}

int main(int count, char** arguments) {
  if (count > 1) {
    int number = std::atoi(arguments[1]);
    Objects objects;
    bool known = false;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
      known = call(number, objects);
#pragma omp section
      seen = look(number, objects);
    }
    return known ? 0 : 77;
  }
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 13; ++i) {
#pragma omp task firstprivate(i)
    {
      Objects own;
      call(i, own);
      if (look(i, own)) std::cout << "seen\n";
      std::cout << "line" << std::endl;
      std::cerr << 17 << std::flush;
    }
  }
}
