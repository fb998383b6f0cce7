"""Pieces of generated programs (right_pieces.py) in C++."""

from right_pieces_c import schedule


def vectors(chance):
    return (
        "static std::vector<std::string> NAME_texts;\n",
        f"""  NAME_texts.assign({chance.randint(2, 6)}, "a text that is longer than the small buffer of a string");
  long sum = 0;
#pragma omp parallel for reduction(+ : sum){schedule(chance)}
  for (std::size_t i = 0; i < NAME_texts.size(); ++i) {{
    NAME_texts[i] += std::to_string(i);
    std::vector<std::string> own(3, NAME_texts[i]);
    std::sort(own.begin(), own.end());
    sum += static_cast<long>(own.back().size());
  }}
  return sum;
""",
    )


def objects(chance):
    return (
        """namespace {
struct NAME_object {
  std::vector<int> list{1, 2, 3};
  NAME_object() = default;
  NAME_object(const NAME_object& other) : list(other.list) { list.push_back(4); }
  ~NAME_object() { list.clear(); }
};
}
static long NAME_list[4];
""",
        f"""  NAME_object object;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < {chance.randint(1, 4)}; ++i) {{
#pragma omp task firstprivate(object)
    {{
      object.list[0] += i;
      NAME_list[i] = object.list[0] + static_cast<long>(object.list.size());
    }}
  }}
  return NAME_list[0] + NAME_list[3];
""",
    )


def thread_and_queue(chance):
    return (
        "",
        f"""  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::unique_ptr<int>> queue;
  long sum = 0;
  std::thread giver([&] {{
    for (int i = 0; i < {chance.randint(1, 5)}; ++i) {{
      std::lock_guard<std::mutex> guard(mutex);
      queue.push_back(std::make_unique<int>(i));
      changed.notify_one();
    }}
    std::lock_guard<std::mutex> guard(mutex);
    queue.push_back(nullptr);
    changed.notify_all();
  }});
  for (;;) {{
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] {{ return !queue.empty(); }});
    auto item = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    if (!item) break;
    sum += *item;
  }}
  giver.join();
  return sum;
""",
    )


def futures(chance):
    return (
        "",
        f"""  std::vector<std::future<long>> later;
  for (long i = 0; i < {chance.randint(1, 3)}; ++i)
    later.push_back(std::async(std::launch::async, [i] {{
      if (i == 1) throw std::runtime_error("a text that is longer than the small buffer");
      return i + 1;
    }}));
  long sum = 0;
  for (auto& each : later) {{
    try {{
      sum += each.get();
    }} catch (const std::runtime_error& error) {{
      sum += error.what()[0];
    }}
  }}
  return sum;
""",
    )


def shared_pointers(chance):
    return (
        "",
        f"""  auto object = std::make_shared<std::map<int, std::string>>();
  (*object)[3] = "a text that is longer than the small buffer of a string";
  std::atomic<long> sum{{0}};
#pragma omp parallel
#pragma omp single
  {{
    for (int i = 0; i < {chance.randint(1, 4)}; ++i) {{
#pragma omp task firstprivate(object)
      sum += static_cast<long>(object->at(3).size());
    }}
    object.reset();
  }}
  return sum;
""",
    )


def thread_locals(chance):
    return (
        "static thread_local std::vector<long> NAME_list;\nstatic thread_local std::string NAME_text;\n",
        f"""  std::atomic<long> sum{{0}};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < {chance.randint(3, 8)}; ++i) {{
#pragma omp task
    {{
      NAME_list.push_back(i);
      NAME_list.back() += 1;
      NAME_text = "text number " + std::to_string(i) + ", which is longer than the buffer";
      sum += NAME_list.back() + static_cast<long>(NAME_text.size());
    }}
  }}
  return sum;
""",
    )


def caught(chance):
    return (
        "",
        f"""  long sum = 0;
#pragma omp parallel for reduction(+ : sum){schedule(chance)}
  for (int i = 0; i < {chance.randint(2, 8)}; ++i) {{
    try {{
      std::vector<int> list(3);
      sum += list.at(static_cast<std::size_t>(i));
    }} catch (const std::out_of_range& error) {{
      sum += error.what()[0] == 'v';
    }}
  }}
  return sum;
""",
    )


def streams(chance):
    return (
        "",
        f"""  long sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads({chance.randint(2, 3)})
  {{
    std::ostringstream out;
    out << std::setw(6) << 17 << ' ' << 2.5 << std::hex << 255;
    std::istringstream in(out.str());
    int value = 0;
    in >> value;
    sum += value + static_cast<long>(out.str().size());
  }}
  return sum > 0;
""",
    )


CXX_PIECES = [vectors, objects, thread_and_queue, futures, shared_pointers, thread_locals, caught, streams]
CXX_HEAD = (
    "#include <algorithm>\n#include <atomic>\n#include <condition_variable>\n#include <deque>\n#include <future>\n#include <iomanip>\n"
    "#include <map>\n#include <memory>\n#include <mutex>\n#include <sstream>\n#include <stdexcept>\n#include <string>\n#include <thread>\n"
    "#include <vector>\n"
)
