// Writing a graph as a recording, as a team of one worker would have run it: every task where it is made. For tests.
#include "graph.h"

#include <cstring>
#include <fstream>
#include <set>

#include "runtime/observe/record_format.h"

namespace chomp::simulate {
namespace {

class Writer {
public:
  Writer(const Graph& graph, const std::string& path) : graph_(graph), out_(path, std::ios::binary) {
    if (!out_) throw Error(path + ": cannot be written");
    begin_chunk();
    for (const Awaited& each : graph.awaited) written_.insert(each.tasks.begin(), each.tasks.end());
    for (const auto& [task, heirs] : graph.heirs) {
      written_.insert(task);
      for (TaskId heir : heirs) reads_[heir].push_back(task);
    }
  }

  void write() {
    begin_implicit(kInitial, 0, 0);
    for (const Region& region : graph_.regions) {
      event(RecordKind::kRegionBegin,
            [&](RecordEncoder& out) { out.number(static_cast<uint64_t>(region.size)).number(0); });
      for (size_t member = 0; member < region.implicit.size(); ++member) {
        begin_implicit(id_of(region.implicit[member]), kInitial, member);
        body(region.implicit[member]);
        event(RecordKind::kImplicitEnd);
      }
      event(RecordKind::kRegionEnd);
    }
    flush();
    RecordHeader header{};
    std::memcpy(header.magic, kRecordMagic, sizeof header.magic);
    header.version = kRecordVersion;
    std::strncpy(header.program, graph_.program.c_str(), sizeof header.program - 1);
    header.ended_ns = 1;
    header.ns_per_tick = 1.0 / kPerNs;
    header.events = events_;
    out_.seekp(0);
    out_.write(reinterpret_cast<const char*>(&header), sizeof header);
  }

private:
  struct Frame {
    TaskId task;
    uint32_t next;
  };

  template <class Fill> void event(RecordKind kind, Fill fill) {
    if (buffer_.size() + kLongestRecord > kRecordSlotBytes) flush();
    uint8_t bytes[kLongestRecord];
    RecordEncoder out(cursor_, bytes);
    out.kind(kind, now_);
    fill(out);
    buffer_.insert(buffer_.end(), bytes, out.end());
    ++events_;
  }
  void event(RecordKind kind) {
    event(kind, [](RecordEncoder&) {});
  }

  void begin_implicit(uint64_t id, uint64_t encountering, uint64_t member) {
    event(RecordKind::kImplicitBegin, [&](RecordEncoder& out) { out.id(id).id(encountering).number(member); });
  }

  // Begins a new chunk, too.
  void flush() {
    std::memcpy(buffer_.data(), &chunk_, sizeof chunk_);
    auto* chunk = reinterpret_cast<RecordChunk*>(buffer_.data());
    chunk->bytes = static_cast<uint32_t>(buffer_.size() - sizeof chunk_);
    buffer_.resize(kRecordSlotBytes);
    out_.seekp(static_cast<std::streamoff>(kRecordHeaderBytes + (chunk_.number - 1) * kRecordSlotBytes));
    out_.write(reinterpret_cast<const char*>(buffer_.data()), static_cast<std::streamsize>(buffer_.size()));
    begin_chunk();
  }

  void begin_chunk() {
    ++chunk_.number;
    chunk_.began_ticks = now_;
    buffer_.assign(sizeof chunk_, 0);
    cursor_ = {};
    cursor_.ticks = now_;
  }

  static uint64_t id_of(TaskId task) { return uint64_t{1} << 48 | (task + 2); }
  static constexpr uint64_t kInitial = uint64_t{1} << 48 | 1;
  static uint64_t address_of(TaskId task) { return (uint64_t{task} + 1) * 64; }
  void access(TaskId task, RecordAccess mode) {
    event(RecordKind::kDependence,
          [&](RecordEncoder& out) { out.number(static_cast<uint64_t>(mode)).address(address_of(task)); });
  }

  void create(TaskId task, bool called) {
    uint64_t flags = called ? kRecordUndeferred : 0;
    uint8_t properties = graph_.properties[task];
    if (properties & kUntied) flags |= kRecordUntied;
    if (properties & kDetached) flags |= kRecordDetachable;
    if (properties & kPrioritised) flags |= kRecordPriority;
    if (auto found = reads_.find(task); found != reads_.end())
      for (TaskId before : found->second) access(before, RecordAccess::kIn);
    if (written_.count(task) != 0) access(task, RecordAccess::kOut);
    if (flags == 0)
      event(RecordKind::kCreateTied, [&](RecordEncoder& out) { out.id(id_of(task)).number(0); });
    else
      event(RecordKind::kCreate, [&](RecordEncoder& out) {
        out.id(id_of(task)).number(0).number(flags);
        if (flags & kRecordPriority) out.number(static_cast<uint64_t>(graph_.priorities.at(task)));
      });
    event(RecordKind::kBegin, [&](RecordEncoder& out) { out.id(id_of(task)); });
  }

  void wait(RecordWait what) {
    event(RecordKind::kWaitBegin, [&](RecordEncoder& out) { out.number(static_cast<uint64_t>(what)).number(0); });
  }

  void body(TaskId implicit) {
    std::vector<Frame> stack{{implicit, graph_.tasks[implicit].first_operation}};
    while (!stack.empty()) {
      Operation operation = graph_.operations[stack.back().next++];
      now_ += operation.before;
      switch (operation.op()) {
      case Op::kNothing: break;
      case Op::kCreate:
      case Op::kCall: {
        TaskId task = operation.argument();
        create(task, operation.op() == Op::kCall);
        stack.push_back({task, graph_.tasks[task].first_operation});
        break;
      }
      case Op::kWait:
        wait(RecordWait::kChildren);
        event(RecordKind::kWaitEnd);
        break;
      case Op::kWaitTasks:
        wait(RecordWait::kDependences);
        for (TaskId task : graph_.awaited[operation.argument()].tasks) access(task, RecordAccess::kIn);
        event(RecordKind::kWaitEnd);
        break;
      case Op::kGroupBegin: event(RecordKind::kGroupBegin); break;
      case Op::kGroupEnd:
        wait(RecordWait::kGroup);
        event(RecordKind::kWaitEnd);
        break;
      case Op::kBarrier:
        wait(RecordWait::kBarrier);
        event(RecordKind::kWaitEnd);
        break;
      case Op::kFulfil:
        event(RecordKind::kFulfil, [&](RecordEncoder& out) { out.id(id_of(operation.argument())); });
        break;
      case Op::kEnd:
        stack.pop_back();
        if (!stack.empty()) event(RecordKind::kEnd);
        break;
      }
    }
  }

  const Graph& graph_;
  std::ofstream out_;
  std::vector<uint8_t> buffer_; // begins with room for the chunk's header
  RecordChunk chunk_{};
  RecordCursor cursor_;
  uint64_t now_ = 0, events_ = 0;
  std::set<TaskId> written_;
  std::unordered_map<TaskId, std::vector<TaskId>> reads_;
};

} // namespace

void write_recording(const Graph& graph, const std::string& path) { Writer(graph, path).write(); }

} // namespace chomp::simulate
