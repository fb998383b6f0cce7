// Hand-made graphs as text. One line each:
//
//   region                       begins a parallel region; `implicit` lines follow, one for each member
//   implicit: BODY
//   task NAME [untied] [detach] [priority=N] [after=NAME,…] [in=ADDRESS] [out=ADDRESS]: BODY
//
// BODY is a sequence of: a number (nanoseconds of computing), create NAME, call NAME, wait, group, endgroup, barrier,
// fulfil NAME. Each task is created once. # begins a comment.
#include "graph.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

namespace chomp::simulate {
namespace {

struct Line {
  std::vector<std::string> options, body;
  TaskId task = kNoTask;
};

class TextReader {
public:
  explicit TextReader(const std::string& text) : in_(text) {}

  Graph read() {
    std::vector<std::vector<Line>> regions;
    for (std::string text; std::getline(in_, text);) {
      ++number_;
      text = text.substr(0, text.find('#'));
      std::istringstream words(text.substr(0, text.find(':')));
      std::string word, name;
      if (!(words >> word)) continue;
      if (word == "region") {
        regions.emplace_back();
        continue;
      }
      if (word != "task" && word != "implicit") fail("expected region, implicit or task, not " + word);
      if (text.find(':') == std::string::npos) fail("a colon is missing");
      Line line;
      if (word == "task" && !(words >> name)) fail("a task needs a name");
      for (std::string option; words >> option;) line.options.push_back(option);
      std::istringstream body(text.substr(text.find(':') + 1));
      for (std::string step; body >> step;) line.body.push_back(step);
      if (word == "implicit") {
        if (regions.empty()) fail("implicit before region");
        regions.back().push_back(line);
      } else if (!lines_.emplace(name, line).second) {
        fail("a second task " + name);
      }
    }
    for (auto& lines : regions) {
      Region region;
      region.size = static_cast<int>(lines.size());
      for (Line& line : lines) {
        TaskId task = add(kNoTask, kImplicitTask, "");
        region.implicit.push_back(task);
        write(task, line);
      }
      graph_.regions.push_back(region);
    }
    for (auto& [name, line] : lines_)
      if (line.task == kNoTask) throw Error("task " + name + " is never created");
    for (auto& [task, before] : after_) graph_.add_dependence_with_accesses(named(before).task, task);
    graph_.finish();
    return std::move(graph_);
  }

private:
  [[noreturn]] void fail(const std::string& why) { throw Error("line " + std::to_string(number_) + ": " + why); }

  Line& named(const std::string& name) {
    auto found = lines_.find(name);
    if (found == lines_.end()) throw Error("no task " + name);
    return found->second;
  }

  TaskId add(TaskId parent, uint8_t properties, const std::string& name) {
    TaskId task = graph_.add_task(parent, properties);
    graph_.names.push_back(name);
    return task;
  }

  void apply(const std::string& option, TaskId task, DependenceResolver& siblings) {
    size_t equals = option.find('=');
    std::string key = option.substr(0, equals), value = equals == std::string::npos ? "" : option.substr(equals + 1);
    if (key == "untied")
      graph_.properties[task] |= kUntied;
    else if (key == "detach")
      graph_.properties[task] |= kDetached;
    else if (key == "priority") {
      graph_.properties[task] |= kPrioritised;
      graph_.priorities[task] = std::atoi(value.c_str());
    } else if (key == "in" || key == "out")
      siblings.access(task, std::hash<std::string>{}(value), key == "in" ? Access::kIn : Access::kOut);
    else if (key == "after") {
      std::istringstream names(value);
      for (std::string name; std::getline(names, name, ',');) after_.emplace_back(task, name);
    } else
      throw Error("unknown option " + option);
  }

  void write(TaskId task, Line& line) {
    line.task = task;
    graph_.tasks[task].first_operation = static_cast<uint32_t>(graph_.operations.size());
    DependenceResolver siblings(graph_);
    std::vector<std::pair<TaskId, Line*>> children;
    Time before = 0;
    auto put = [&](Op op, uint32_t argument = 0) {
      graph_.add_operation(before, op, argument);
      before = 0;
    };
    for (size_t at = 0; at < line.body.size(); ++at) {
      const std::string& word = line.body[at];
      char* end = nullptr;
      double ns = std::strtod(word.c_str(), &end);
      bool names_task = word == "create" || word == "call" || word == "fulfil";
      if (names_task && at + 1 == line.body.size()) throw Error(word + " needs a name");
      if (end != word.c_str() && *end == 0)
        before += std::llround(ns * kPerNs);
      else if (word == "create" || word == "call") {
        Line& child = named(line.body[++at]);
        if (child.task != kNoTask) throw Error("task " + line.body[at] + " is created twice");
        child.task = add(task, 0, line.body[at]);
        for (const std::string& option : child.options) apply(option, child.task, siblings);
        put(word == "create" ? Op::kCreate : Op::kCall, child.task);
        children.emplace_back(child.task, &child);
      } else if (word == "fulfil")
        put(Op::kFulfil, named(line.body[++at]).task);
      else if (word == "wait")
        put(Op::kWait);
      else if (word == "group")
        put(Op::kGroupBegin);
      else if (word == "endgroup")
        put(Op::kGroupEnd);
      else if (word == "barrier")
        put(Op::kBarrier);
      else
        throw Error("what is " + word + "?");
    }
    put(Op::kEnd);
    for (auto [child, child_line] : children) write(child, *child_line);
  }

  std::istringstream in_;
  int number_ = 0;
  std::map<std::string, Line> lines_;
  std::vector<std::pair<TaskId, std::string>> after_;
  Graph graph_;
};

void write_body(const Graph& graph, TaskId task, std::ostringstream& out) {
  Time before = 0;
  for (uint32_t at = graph.tasks[task].first_operation;; ++at) {
    Operation operation = graph.operations[at];
    before += operation.before;
    if (operation.op() == Op::kNothing) continue;
    if (before != 0) out << ' ' << to_ns(before);
    before = 0;
    switch (operation.op()) {
    case Op::kCreate: out << " create " << graph.name_of(operation.argument()); break;
    case Op::kCall: out << " call " << graph.name_of(operation.argument()); break;
    case Op::kFulfil: out << " fulfil " << graph.name_of(operation.argument()); break;
    case Op::kWait: out << " wait"; break;
    case Op::kWaitTasks: out << " wait"; break;
    case Op::kGroupBegin: out << " group"; break;
    case Op::kGroupEnd: out << " endgroup"; break;
    case Op::kBarrier: out << " barrier"; break;
    case Op::kEnd: out << '\n'; return;
    case Op::kNothing: break;
    }
  }
}

} // namespace

Graph read_text(const std::string& text) { return TextReader(text).read(); }

std::string write_text(const Graph& graph) {
  std::ostringstream out;
  std::map<TaskId, std::string> after;
  for (TaskId task = 0; task < graph.size(); ++task)
    if (graph.properties[task] & kHasHeirs)
      for (TaskId heir : graph.heirs.at(task)) after[heir] += (after[heir].empty() ? "" : ",") + graph.name_of(task);
  for (const Region& region : graph.regions) {
    out << "region\n";
    for (TaskId task : region.implicit) {
      out << "implicit:";
      write_body(graph, task, out);
    }
  }
  for (TaskId task = 0; task < graph.size(); ++task) {
    uint8_t properties = graph.properties[task];
    if (graph.tasks[task].parent == kNoTask) continue;
    out << "task " << graph.name_of(task);
    if (properties & kUntied) out << " untied";
    if (properties & kDetached) out << " detach";
    if (properties & kPrioritised) out << " priority=" << graph.priorities.at(task);
    if (auto found = after.find(task); found != after.end()) out << " after=" << found->second;
    out << ':';
    write_body(graph, task, out);
  }
  return out.str();
}

} // namespace chomp::simulate
