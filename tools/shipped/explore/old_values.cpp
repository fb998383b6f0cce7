// Older values of atomic objects, which loads that are not seq_cst may return still (C11, 5.1.2.4 and 7.17.3): any that
// is not older than a store which happens before the load, or which was read by what happens before it. An object keeps
// its last four stores. Stricter than C11: an operation that is seq_cst is a fence, too, and a load that is returns the
// newest value. So no program is blamed for what C11 does not allow.
#include <new>

#include "tools/shipped/explore/strand.h"

namespace explore {

struct OldValues {
  struct Store {
    uint64_t value;
    uint32_t strand, epoch; // 0, 0: it was there before all
    Clock handed;           // what a load that acquires it knows
  };
  static constexpr uint32_t kKept = 4, kReaders = 8;
  unsigned size;
  uint32_t newest = 0; // number of the last store
  uint32_t oldest = 0; // the first that anybody may return
  Store stores[kKept];
  struct {
    uint32_t strand, epoch, number;
  } readers[kReaders] = {};

  Store& at(uint32_t number) { return stores[number % kKept]; }
};

namespace {

bool seen = false; // an operation that is not seq_cst: before that nothing is kept
Clock fences;      // what was known at the last of them

bool keeps_values() {
  return !determinacy && !virtual_machine::current->elsewhere &&
         virtual_machine::settings.strategy != virtual_machine::Strategy::kOrders;
}

// Every later load of the strand sees that store.
bool must_be_seen(const OldValues::Store& store, const Strand* now) {
  return happened_before(store.strand, store.epoch, now) || store.epoch <= now->fences.of(store.strand);
}

uint32_t oldest_for(OldValues& values, const Strand* now) {
  uint32_t oldest = values.oldest;
  for (const auto& reader : values.readers)
    if (reader.number > oldest && happened_before(reader.strand, reader.epoch, now)) oldest = reader.number;
  for (uint32_t number = values.newest; number > oldest; --number)
    if (must_be_seen(values.at(number), now)) return number;
  return oldest;
}

// Where nobody keeps room for a reader, its store is the oldest for all.
void note_reader(OldValues& values, const Strand* now, uint32_t number) {
  auto* place = &values.readers[0];
  for (auto& reader : values.readers) {
    if (reader.number == number && happened_before(reader.strand, reader.epoch, now)) return;
    if (reader.number < place->number) place = &reader;
  }
  if (place->number > values.oldest) values.oldest = place->number;
  *place = {now->id, now->epoch, number};
}

// How many stores a load goes back, of so many that it may. In a quarter of the runs none does.
uint32_t back_by(Strand* now, uint32_t most) {
  static constexpr uint32_t kOneOf[] = {2, 4, 16, 0};
  constexpr uint8_t kInARow = 8; // then it is time that the store arrives
  uint32_t one_of = kOneOf[virtual_machine::settings.seed / 2 % 4];
  uint64_t draw = virtual_machine::own_random();
  bool goes_back = one_of != 0 && now->in_a_row < kInARow && draw % one_of == 0;
  now->in_a_row = goes_back ? static_cast<uint8_t>(now->in_a_row + 1) : uint8_t{0};
  return goes_back ? 1 + static_cast<uint32_t>(draw >> 32) % most : 0;
}

} // namespace

void fence_of_all(Strand* strand) {
  if (!seen) return;
  fences.join(release(strand));
  strand->fences = fences;
}

Loaded load_of(Handover& object, uint64_t newest, unsigned size, bool seq_cst, const void* pc) {
  OldValues* values = object.values;
  seen = seen || !seq_cst;
  if (values == nullptr || !keeps_values()) return {newest, object.clock};
  if (values->size != size || values->at(values->newest).value != newest) { // something else has changed it
    object.values = nullptr;
    return {newest, object.clock};
  }
  Strand* now = running();
  uint32_t number = values->newest, oldest = seq_cst ? number : oldest_for(*values, now);
  if (oldest < number) number -= back_by(now, number - oldest);
  if (number < values->newest && virtual_machine::note_unusual != nullptr)
    virtual_machine::note_unusual("a load that is not seq_cst may return an older value than the newest", pc);
  note_reader(*values, now, number);
  const OldValues::Store& store = values->at(number);
  return {store.value, store.handed};
}

void note_store(Handover& object, const Store& before, uint64_t value, unsigned size, bool seq_cst) {
  seen = seen || !seq_cst;
  if (!seen || !keeps_values()) return;
  OldValues* values = object.values;
  if (values == nullptr || values->size != size || values->at(values->newest).value != before.value) {
    if (values == nullptr) values = static_cast<OldValues*>(virtual_machine::permanent(sizeof(OldValues)));
    object.values = new (values) OldValues();
    values->size = size;
    values->stores[0] = {before.value, 0, 0, before.handed};
  }
  Strand* now = running();
  uint32_t number = ++values->newest;
  values->at(number) = {value, now->id, before.epoch, object.clock};
  if (number - values->oldest >= OldValues::kKept) values->oldest = number - OldValues::kKept + 1;
}

} // namespace explore
