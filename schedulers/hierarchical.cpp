// The hierarchical scheduler, the default. While a member of its domain (chip) is requesting, each member keeps its
// oldest tasks on offer, in a list of its own. From its list a member takes the newest task; the others of the domain
// take the oldest, one at a time. (Where a domain has more than kMostLists members, some share a list, since idle
// members look at all lists.) When a domain has no tasks left, one of its members steals for all, oldest first, from
// the nearest other domain that has some. CHOMP_STEAL chooses how much.
//
// This is `mts` with the domain's LIFO in parts, one for each member. So members do not all write to one line. And
// while others may not run what one member offers (the scheduling constraint), another still offers its own.
#include <bit>
#include <algorithm>

#include "schedulers/domains.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "schedulers/queues/locked_lifo.h"

namespace chomp {
namespace {

constexpr int kMostLists = 64; // a bit of a word for each

/// Where a requesting member gets tasks directly from an owner: a cache line that the member alone reads until tasks
/// come. The member says here again and again that it is present. While it has lost its CPU it gets none.
class alignas(kCacheLine) Mailbox {
public:
  /// The member alone calls all of these but give().
  void open() {
    received_ = refuses_ = false;
    open_ = now();
    word_.store(open_, std::memory_order_release); // release: pairs with acquire in give(); the member is counted
  }
  /// Opens it for owners that have claimed the bit already. The member refuses what has come, and asks for no more.
  void open_without_asking() {
    open();
    refuses_ = true;
  }
  /// Says that the member is still present. Returns whether an owner may have taken it for absent since it last said
  /// so.
  bool renew(uint64_t longest_absence) {
    uint64_t before = open_;
    open_ = now();
    bool missed = !refuses_ && open_ - before > longest_absence / 2;
    // release: pairs with acquire in give(), as in open(). relaxed: take() follows.
    return word_.compare_exchange_strong(before, open_, std::memory_order_release, std::memory_order_relaxed) && missed;
  }
  /// False: it is closed, a hand-off has come already, or the member has been away for `longest_absence` cycles.
  bool give(TaskBatch hand_off, int giver, uint64_t longest_absence) {
    uint64_t at = now();                                   // before the word is read: this thread may lose its CPU, too
    giver_.store(giver, std::memory_order_relaxed);        // relaxed: a hint. A write first, as in take()
    uint64_t open = word_.load(std::memory_order_relaxed); // relaxed: the exchange follows
    uint64_t word = reinterpret_cast<uint64_t>(hand_off.oldest) | (hand_off.count << kCountShift);
    if (!is_open(open) || static_cast<int64_t>(at - open) > static_cast<int64_t>(longest_absence)) return false;
    // acq_rel: release pairs with acquire in take(); the tasks, which are linked through `next`. Acquire as in open().
    while (!word_.compare_exchange_strong(open, word, std::memory_order_acq_rel, std::memory_order_relaxed))
      if (!is_open(open)) return false;
    return true;
  }
  bool has_tasks() const {
    fetch_for_write(&word_);                               // if a hand-off has come, it is written soon
    uint64_t word = word_.load(std::memory_order_relaxed); // relaxed: take() follows
    return !received_ && word != kClosed && !is_open(word);
  }
  TaskBatch take() {
    received_ = true;
    uint64_t word = word_.load(std::memory_order_acquire); // acquire: pairs with release in give()
    TaskBatch hand_off;
    hand_off.oldest = hand_off.newest = reinterpret_cast<QueueHook*>(word & ~kCount);
    hand_off.oldest->prev = nullptr; // a write first: then the line of the task comes once
    unsigned count = (word & kCount) >> kCountShift;
    for (hand_off.count = 1; hand_off.count < count; ++hand_off.count) hand_off.newest = hand_off.newest->next;
    return hand_off;
  }
  /// False: a hand-off has come.
  bool close() {
    // relaxed, both: nothing is handed over. take() gets what has come.
    return word_.compare_exchange_strong(open_, kClosed, std::memory_order_relaxed, std::memory_order_relaxed);
  }
  /// Of the member, who has opened it and not closed it.
  bool accepts() const { return open_ != kClosed; }
  /// Called after close(), or when a hand-off was received: the member accepts no more.
  void forget() { open_ = kClosed; }
  bool received() const { return received_; }
  /// The member that gave last, once; -1: nobody.
  int forget_giver() {
    int giver = giver_.load(std::memory_order_relaxed); // relaxed, both: a hint
    if (giver >= 0) giver_.store(-1, std::memory_order_relaxed);
    return giver;
  }

private:
  // While the mailbox is open the word is odd: when the member was there last, by the cycle counter. Tasks are aligned
  // to 64 bytes.
  static constexpr uint64_t kClosed = 0, kCount = 62;
  static constexpr unsigned kCountShift = 1;
  static bool is_open(uint64_t word) { return (word & 1) != 0; }
  static uint64_t now() { return cycle_counter() | 1; }

  atomic<uint64_t> word_{kClosed}; // closed, open, or the oldest task of a hand-off and how many there are
  atomic<int> giver_{-1};
  // The member's own:
  alignas(kCacheLine) bool received_ = false; // a hand-off, since the mailbox was opened
  bool refuses_ = false;                      // what comes
  uint64_t open_ = kClosed;                   // the word as long as nothing comes
};
static_assert(policy::kPerRequest > 1 && policy::kPerRequest < 32);

/// What one member has on offer, or several that share a list.
struct Offered {
  LockedLifo tasks;
  // Where in its domain the member, as a thief, found a task last.
  atomic<int> last_victim{0}; // relaxed, always: a hint
  // How often the member looked in vain for descendants of the task in which it waits (take_descendant()).
  atomic<unsigned> looks{0}; // relaxed, always: the member's own, unless members share the list
};

/// The lists of one domain.
struct Lists {
  int first, count;
};

class Offers : public SchedulerState {
public:
  static SchedulerState* make(const TeamShape& shape, const SchedulerSettings& settings, StateMemory memory) {
    auto* offers = make_array<Offers>(memory, 1);
    offers->domains_.init(offers, shape, memory);
    offers->amount_ = settings.steal;
    offers->lists_ = make_array<Lists>(memory, shape.domain_count);
    for (int domain = 0, first = 0; domain < shape.domain_count; ++domain) {
      int count = std::min<int>(shape.domain_size[domain], kMostLists);
      offers->lists_[domain] = {first, count};
      offers->list_count_ = first += count;
    }
    offers->offered_ = make_array<Offered>(memory, offers->list_count_);
    offers->mailboxes_ = make_array<Mailbox>(memory, offers->list_count_);
    offers->list_of_member_ = make_array<uint16_t>(memory, shape.size);
    offers->member_of_list_ = make_array<uint16_t>(memory, offers->list_count_);
    for (int domain = 0; domain < shape.domain_count; ++domain) offers->share_lists(shape, domain);
    return offers;
  }

  static bool publish(SchedulerState* state, int member, TaskBatch batch) {
    batch = of(state).give(member, batch);
    if (batch.count == 0) return false; // the members that got the tasks are awake
    of(state).offered(member).push(batch);
    return true;
  }

  static Acquired acquire(SchedulerState* state, int member, const Eligible& eligible, SchedulerCounts& counts) {
    Offers& offers = of(state);
    if (offers.gets_hand_offs(member) && offers.mailbox(member).has_tasks()) {
      Acquired hand_off = offers.take_hand_off(member, eligible);
      if (hand_off.task != nullptr) counts.acquired_local.add();
      return hand_off;
    }
    QueueHook* task = offers.offered(member).pop(eligible);
    bool came_earlier = task != nullptr;
    if (task == nullptr && eligible.only_descendants && eligible.in_passing) {
      task = offers.take_descendant(member, eligible);
      if (task == nullptr && !offers.looks_everywhere(member)) return {};
    }
    int emptied_owner = -1;
    if (task != nullptr && offers.offered(member).size() == 0 && !refuses(eligible))
      emptied_owner = offers.mailbox(member).forget_giver();
    if (task == nullptr) task = offers.take_from_own_domain(member, eligible, emptied_owner);
    if (task != nullptr) {
      counts.acquired_local.add();
      return {.task = task, .came_earlier = came_earlier, .emptied_owner = emptied_owner};
    }
    return offers.domains_.as_thief(member, eligible.other_domains, refuses(eligible),
                                    [&] { return offers.steal_for_domain(member, eligible, counts); });
  }

  static bool set_request(SchedulerState* state, int member, StealRequest requests) {
    Offers& offers = of(state);
    if (requests == StealRequest::kPresent) {
      offers.show_presence(member);
      return false;
    }
    Mailbox& mailbox = offers.mailbox(member);
    if (requests == StealRequest::kNone && offers.gets_hand_offs(member) && mailbox.accepts()) {
      HandOffs came = offers.refuse_hand_offs(member);
      mailbox.forget();
      if (came != HandOffs::kNone) return came == HandOffs::kPublic; // who gave it counts the member no more
    }
    offers.domains_.set_requesting(member, requests == StealRequest::kRequesting);
    return false;
  }

  static int thief(SchedulerState* state, int member, int index) {
    static_assert(Scheduler::kThieves <= LockedLifo::kThieves);
    return of(state).offered(member).thief(index);
  }

  /// Each member keeps some tasks on offer, whatever others offer: perhaps no requesting member may run those.
  static unsigned wanted(SchedulerState* state, int member) {
    Offers& offers = of(state);
    if (offers.offered(member).size() != 0) return 0;
    int domain = offers.domains_.of(member);
    unsigned wanted = policy::kPerRequest * offers.domains_.requesting_members(domain) +
                      (offers.domains_.others_ask(domain) ? static_cast<unsigned>(offers.lists_[domain].count) : 0);
    return wanted > policy::kPerRequest ? wanted : policy::kPerRequest;
  }

  static bool has_tasks(SchedulerState* state) {
    Offers& offers = of(state);
    for (int list = 0; list < offers.list_count_; ++list)
      if (offers.offered_[list].tasks.size() > 0) return true;
    return false;
  }

private:
  static Offers& of(SchedulerState* state) { return *static_cast<Offers*>(state); }

  // Whether the member waits in a task, and so may not run every task.
  static bool refuses(const Eligible& eligible) { return eligible.refused != nullptr; }

  // Puts older tasks back before a batch.
  static void put_first(TaskBatch older, TaskBatch& batch) {
    older.newest->next = batch.oldest;
    if (batch.count > 0) batch.oldest->prev = older.newest;
    batch = {older.oldest, batch.count > 0 ? batch.newest : older.newest, older.count + batch.count};
  }

  // Cuts the oldest tasks off a batch.
  static TaskBatch take_first(TaskBatch& batch, unsigned count) {
    TaskBatch first{batch.oldest, batch.oldest, count};
    for (unsigned left = count; left > 1; --left) first.newest = first.newest->next;
    batch.oldest = first.newest->next;
    batch.count -= count;
    (batch.count > 0 ? batch.oldest->prev : batch.newest) = nullptr;
    first.newest->next = nullptr;
    return first;
  }

  // Gives the members of a domain its lists in turn.
  void share_lists(const TeamShape& shape, int domain) {
    auto [first, count] = lists_[domain];
    for (int list = 0; list < count; ++list)
      offered_[first + list].last_victim.store(list, std::memory_order_relaxed); // relaxed: nobody else knows it yet
    for (int member = 0, members = 0; member < shape.size; ++member) {
      if (shape.domain_of_member[member] != domain) continue;
      int list = first + members % count;
      list_of_member_[member] = static_cast<uint16_t>(list);
      if (members++ < count) member_of_list_[list] = static_cast<uint16_t>(member);
    }
  }

  // For how long a member counts as present after it has said so, in cycles.
  static uint64_t longest_absence() { return policy::kAnswerFences * heavy_fence_cycles(); }

  void show_acceptance(int member) {
    // release: pairs with acquire in give(): an owner that sees the bit sees the mailbox open.
    accepting(member).fetch_or(bit_of(member), std::memory_order_release);
  }

  void show_presence(int member) {
    if (!gets_hand_offs(member)) return;
    Mailbox& own = mailbox(member);
    bool opens = !own.accepts();
    if (opens) own.open();
    // An owner that took the member for absent has cleared the member's bit.
    if (opens || own.renew(longest_absence())) show_acceptance(member);
  }

  // What has come to a member that accepts hand-offs.
  enum class HandOffs : uint8_t {
    kNone,
    kAcquired, // by the member
    kPublic,   // it came too late, and is for all
  };
  HandOffs refuse_hand_offs(int member) {
    Mailbox& own = mailbox(member);
    if (own.received()) return HandOffs::kAcquired;
    // relaxed: nothing is handed over. An owner that has just claimed the bit keeps its hand-off if the mailbox is
    // closed first.
    accepting(member).fetch_and(~bit_of(member), std::memory_order_relaxed);
    if (own.close()) return HandOffs::kNone;
    offered(member).push(own.take());
    return HandOffs::kPublic;
  }

  LockedLifo& offered(int member) { return offered_[list_of_member_[member]].tasks; }

  atomic<uint64_t>& accepting(int member) { return domains_.accepting(domains_.of(member)); }
  Mailbox& mailbox(int member) { return mailboxes_[list_of_member_[member]]; }
  // Of members that share a list only the first gets hand-offs.
  bool gets_hand_offs(int member) const { return member_of_list_[list_of_member_[member]] == member; }
  uint64_t bit_of(int member) const {
    static_assert(kMostLists <= 64);
    return uint64_t{1} << (list_of_member_[member] - lists_[domains_.of(member)].first);
  }

  // Hands tasks to members of the owner's domain that accept hand-offs, kPerRequest to each at most; returns what is
  // left.
  TaskBatch give(int owner, TaskBatch batch) {
    int domain = domains_.of(owner);
    atomic<uint64_t>& accepting = domains_.accepting(domain);
    while (batch.count > 0) {
      uint64_t all = accepting.load(std::memory_order_relaxed); // relaxed: claimed below
      if (all == 0) break;
      uint64_t bit = all & -all;
      // acquire: pairs with release in show_acceptance().
      if ((accepting.fetch_and(~bit, std::memory_order_acquire) & bit) == 0) continue;
      auto receivers = static_cast<unsigned>(std::popcount(all));
      unsigned share = (batch.count + receivers - 1) / receivers;
      TaskBatch hand_off = take_first(batch, std::min(share, policy::kPerRequest));
      int list = lists_[domain].first + std::countr_zero(bit);
      if (!mailboxes_[list].give(hand_off, owner, longest_absence())) {
        put_first(hand_off, batch);
        continue;
      }
      domains_.fed(domain);
      offered(owner).note_thief(member_of_list_[list]);
    }
    return batch;
  }

  // Takes the hand-off out of the member's mailbox. The member gets the oldest task; others may take the rest.
  Acquired take_hand_off(int member, const Eligible& eligible) {
    TaskBatch hand_off = mailbox(member).take();
    Acquired acquired{.task = hand_off.oldest};
    if (eligible.may_run(eligible.context, acquired.task))
      take_first(hand_off, 1);
    else
      acquired.task = nullptr;
    acquired.handed_on = hand_off.count > 0;
    if (acquired.handed_on) offered(member).push(hand_off);
    if (acquired.task == nullptr) { // the member is requesting still, and gets no more of what it refuses
      domains_.set_requesting(member, true);
      mailbox(member).open_without_asking();
    }
    return acquired;
  }

  // A member that waits in a tied task may run only descendants of that task. These are with the member that took a
  // child of it, or with the member that took from that member, and so on. So it follows the thieves; and each
  // kFullLook-th look goes everywhere, since only the last few thieves are remembered.
  QueueHook* take_descendant(int member, const Eligible& eligible) {
    int at = member;
    for (int left = policy::kLooksInPassing; left > 0; --left) {
      at = offered(at).thief(0);
      if (at < 0 || at == member) return nullptr;
      if (QueueHook* task = offered(at).steal_one(eligible)) {
        offered(at).note_thief(member);
        return task;
      }
    }
    return nullptr;
  }

  bool looks_everywhere(int member) {
    atomic<unsigned>& looks = offered_[list_of_member_[member]].looks;
    unsigned before = looks.load(std::memory_order_relaxed); // relaxed, both: its own
    looks.store(before + 1, std::memory_order_relaxed);
    return before % policy::kFullLook == policy::kFullLook - 1;
  }

  // Begins with the last victim, which may have more tasks. Each look in vain begins one further. `emptied_owner`: the
  // member whose list has lost its last task.
  QueueHook* take_from_own_domain(int member, const Eligible& eligible, int& emptied_owner) {
    const Lists& lists = lists_[domains_.of(member)];
    int own = list_of_member_[member] - lists.first;
    atomic<int>& last_victim = offered_[list_of_member_[member]].last_victim;
    int start = last_victim.load(std::memory_order_relaxed), index = start; // relaxed: a hint
    for (int left = lists.count; left > 0; --left, index = index + 1 < lists.count ? index + 1 : 0) {
      LockedLifo& victim = offered_[lists.first + index].tasks;
      if (index == own || victim.size() == 0) continue;
      if (QueueHook* task = victim.steal_one(eligible)) {
        victim.note_thief(member);
        last_victim.store(index, std::memory_order_relaxed); // relaxed: a hint
        if (victim.size() == 0 && !refuses(eligible)) emptied_owner = member_of_list_[lists.first + index];
        return task;
      }
    }
    last_victim.store(start + 1 < lists.count ? start + 1 : 0, std::memory_order_relaxed); // relaxed: a hint
    return nullptr;
  }

  // Called by the thief of the member's domain.
  Acquired steal_for_domain(int member, const Eligible& eligible, SchedulerCounts& counts) {
    int domain = domains_.of(member);
    unsigned most = most_to_steal(amount_, domains_.requesting_members(domain));
    Acquired acquired;
    domains_.visit_victims(domain, eligible.in_passing, [&](int other) {
      const Lists& victims = lists_[other];
      for (int at = 0; at < victims.count && acquired.task == nullptr; ++at)
        if (LockedLifo& victim = offered_[victims.first + at].tasks; victim.size() > 0)
          steal_from(victim, member, most, eligible, acquired, counts);
      return acquired.task != nullptr;
    });
    return acquired;
  }

  // A thief that refuses some tasks takes only one task, which it runs: no other would come nearer to members that may
  // run it.
  void steal_from(LockedLifo& victim, int member, unsigned most, const Eligible& eligible, Acquired& acquired,
                  SchedulerCounts& counts) {
    unsigned stolen = 0;
    if (refuses(eligible)) {
      acquired.task = victim.steal_one(eligible);
      stolen = acquired.task != nullptr;
    } else if (TaskBatch batch = victim.steal(most, eligible); batch.count > 0) {
      stolen = batch.count;
      offered(member).push(batch);
      acquired.task = offered(member).pop(eligible);
      acquired.handed_on |= acquired.task == nullptr || stolen > 1;
    }
    if (stolen == 0) return counts.failed_steals.add();
    victim.note_thief(member);
    acquired.from_elsewhere = stolen;
    counts.stolen_operations.add();
    counts.stolen_tasks.add(stolen);
  }

  Domains domains_;
  StealAmount amount_ = StealAmount::kIdle;
  int list_count_ = 0;
  Offered* offered_ = nullptr; // the lists of domain 0, of domain 1, …
  Lists* lists_ = nullptr;     // by domain
  uint16_t* list_of_member_ = nullptr;
  uint16_t* member_of_list_ = nullptr; // the first of those that share a list
  Mailbox* mailboxes_ = nullptr;       // by list: of its first member
};

} // namespace

extern const Scheduler hierarchical_scheduler; // list.def
constinit const Scheduler hierarchical_scheduler = {
    .hands_over = true,
    .make = Offers::make,
    .publish = Offers::publish,
    .acquire = Offers::acquire,
    .set_request = Offers::set_request,
    .wanted = Offers::wanted,
    .has_tasks = Offers::has_tasks,
    .thief = Offers::thief,
};

} // namespace chomp
