// See clock.h. Nodes are never freed: a run is a process, and short.
#include "tools/shipped/explore/clock.h"

#include "tools/laboratory/virtual/machine.h"

namespace explore {

namespace {
constexpr int kLeafBits = 4, kInnerBits = 3; // a node is one cache line
constexpr uint32_t kLeaf = 1 << kLeafBits, kInner = 1 << kInnerBits;
} // namespace

struct ClockNode {
  union {
    uint32_t epochs[kLeaf];
    const ClockNode* children[kInner];
  };
};

namespace {

ClockNode* new_node(const ClockNode* from) {
  auto* node = static_cast<ClockNode*>(virtual_machine::permanent(sizeof(ClockNode)));
  if (from != nullptr) *node = *from;
  return node;
}

uint32_t child_of(uint32_t strand, int level) {
  return strand >> (kLeafBits + (level - 1) * kInnerBits) & (kInner - 1);
}
bool fits(uint32_t strand, int height) { return uint64_t{strand} >> (kLeafBits + height * kInnerBits) == 0; }

const ClockNode* set(const ClockNode* node, int level, uint32_t strand, uint32_t epoch) {
  ClockNode* changed = new_node(node);
  if (level == 0) {
    changed->epochs[strand % kLeaf] = epoch;
  } else {
    const ClockNode*& child = changed->children[child_of(strand, level)];
    child = set(child, level - 1, strand, epoch);
  }
  return changed;
}

// Nodes that both have are one node: that is where most of the time is saved.
const ClockNode* joined(const ClockNode* a, const ClockNode* b, int level) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  ClockNode both;
  bool is_a = true, is_b = true;
  if (level == 0) {
    for (uint32_t i = 0; i < kLeaf; ++i) {
      both.epochs[i] = a->epochs[i] > b->epochs[i] ? a->epochs[i] : b->epochs[i];
      is_a = is_a && both.epochs[i] == a->epochs[i];
      is_b = is_b && both.epochs[i] == b->epochs[i];
    }
  } else {
    for (uint32_t i = 0; i < kInner; ++i) {
      both.children[i] = joined(a->children[i], b->children[i], level - 1);
      is_a = is_a && both.children[i] == a->children[i];
      is_b = is_b && both.children[i] == b->children[i];
    }
  }
  return is_a ? a : is_b ? b : new_node(&both);
}

const ClockNode* raised(const ClockNode* root, int from, int to) {
  for (; from < to; ++from) {
    if (root == nullptr) return nullptr;
    ClockNode* above = new_node(nullptr);
    above->children[0] = root;
    root = above;
  }
  return root;
}

} // namespace

Clock::Known Clock::known_[kKept];

uint32_t Clock::look_up(uint32_t strand) const {
  if (!fits(strand, height_)) return 0;
  const ClockNode* node = root_;
  for (int level = height_; node != nullptr && level > 0; --level) node = node->children[child_of(strand, level)];
  return node != nullptr ? node->epochs[strand % kLeaf] : 0;
}

Clock Clock::with(uint32_t strand, uint32_t epoch) const {
  Clock changed = *this;
  while (!fits(strand, changed.height_)) ++changed.height_;
  changed.root_ = set(raised(root_, height_, changed.height_), changed.height_, strand, epoch);
  return changed;
}

void Clock::join(Clock other) {
  if (other.height_ > height_) {
    root_ = raised(root_, height_, other.height_);
    height_ = other.height_;
  }
  root_ = joined(root_, raised(other.root_, other.height_, height_), height_);
}

} // namespace explore
