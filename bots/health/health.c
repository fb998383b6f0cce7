// bots-health: simulates the health system of Colombia, a tree of villages with a hospital each, step by step: a task
// for every village in every step. ../README.md has the publications; the tasks are in health_tasks.h. Invariants: a
// person is in one list of one village, the own one or one above it in the tree; work_hospital() touches nothing but
// its village, and exchange_patients() runs when the step is over in all villages below. So no lock is needed, no list
// depends on who came first, and, each village drawing its own random numbers, the answer is the same for every
// schedule.
#include "common/benchmark.h"
#include "common/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// Where a person may be. The last two are empty when a step is over.
enum place { HOME, WAITING, ASSESSMENT, TREATMENT, REFERRED, DISCHARGED, PLACES };

enum { ASSESSMENT_STEPS = 3, TREATMENT_STEPS = 10, MAXIMUM_VILLAGES = 1 << 24 };

static const double illness_probability = 0.002; // in a step, of a person who is at home
static const double referral_probability = 0.1;  // after the assessment, to the hospital above
static const double treatment_probability = 0.3; // after the assessment, unless referred

struct village;

struct person {
  struct person *next, *previous; // in the list of the place
  struct village* home;
  int64_t remaining_steps; // of assessment or treatment
};

struct list {
  struct person *first, *last;
  int64_t length;
};

struct village {
  struct village *parent, *first_child, *next_sibling;
  uint64_t random_state;
  int64_t staff, free_staff; // each looks after one patient, from the beginning of the assessment on
  struct list at[PLACES];
  int64_t illnesses, waiting_steps, treatments, referrals, discharges; // counted so far
};

static int64_t level_count = 7;
static int64_t branch_count = 4;
static int64_t population = 100;
static int64_t step_count = 365;
static int64_t seed = 1;
static int64_t cutoff = 4;

static int64_t village_count;
static struct village* villages; // by levels, the one at the top first
static struct person* persons;
static uint64_t* kept; // digests of the villages

static void append(struct list* list, struct person* person) {
  person->next = NULL;
  person->previous = list->last;
  if (list->last != NULL) {
    list->last->next = person;
  } else {
    list->first = person;
  }
  list->last = person;
  list->length++;
}

static void take_out(struct list* list, struct person* person) {
  if (person->previous != NULL) {
    person->previous->next = person->next;
  } else {
    list->first = person->next;
  }
  if (person->next != NULL) {
    person->next->previous = person->previous;
  } else {
    list->last = person->previous;
  }
  list->length--;
}

static void move(struct person* person, struct list* from, struct list* to) {
  take_out(from, person);
  append(to, person);
}

static void treat(struct village* village) {
  struct list* const treated = &village->at[TREATMENT];
  for (struct person *patient = treated->first, *next; patient != NULL; patient = next) {
    next = patient->next;
    if (--patient->remaining_steps > 0) continue;
    village->free_staff++;
    move(patient, treated, &village->at[DISCHARGED]);
  }
}

static void assess(struct village* village) {
  struct list* const assessed = &village->at[ASSESSMENT];
  for (struct person *patient = assessed->first, *next; patient != NULL; patient = next) {
    next = patient->next;
    if (--patient->remaining_steps > 0) continue;
    const bool refer = village->parent != NULL && random_unit(&village->random_state) < referral_probability;
    if (!refer && random_unit(&village->random_state) < treatment_probability) {
      patient->remaining_steps = TREATMENT_STEPS;
      village->treatments++;
      move(patient, assessed, &village->at[TREATMENT]); // by the same member of the staff
    } else {
      village->free_staff++;
      village->referrals += refer;
      move(patient, assessed, &village->at[refer ? REFERRED : DISCHARGED]);
    }
  }
}

static void admit(struct village* village) {
  struct list* const waiting = &village->at[WAITING];
  while (village->free_staff > 0 && waiting->first != NULL) {
    struct person* const patient = waiting->first;
    village->free_staff--;
    patient->remaining_steps = ASSESSMENT_STEPS;
    move(patient, waiting, &village->at[ASSESSMENT]);
  }
  village->waiting_steps += waiting->length;
}

static void fall_ill(struct village* village) {
  struct list* const home = &village->at[HOME];
  for (struct person *person = home->first, *next; person != NULL; person = next) {
    next = person->next;
    if (random_unit(&village->random_state) >= illness_probability) continue;
    village->illnesses++;
    move(person, home, &village->at[WAITING]);
  }
}

/// A step of one village by itself; may run while the step of the villages below does.
static void work_hospital(struct village* village) {
  treat(village);
  assess(village);
  admit(village);
  fall_ill(village);
}

/// Ends a step: takes the patients whom the villages below refer, and sends the discharged home, here or below.
static void exchange_patients(struct village* village) {
  for (struct village* child = village->first_child; child != NULL; child = child->next_sibling) {
    struct list* const referred = &child->at[REFERRED];
    while (referred->first != NULL) move(referred->first, referred, &village->at[WAITING]);
  }
  struct list* const discharged = &village->at[DISCHARGED];
  village->discharges += discharged->length;
  while (discharged->first != NULL) move(discharged->first, discharged, &discharged->first->home->at[HOME]);
}

static void simulate_serial(struct village* village) {
  for (struct village* child = village->first_child; child != NULL; child = child->next_sibling) simulate_serial(child);
  work_hospital(village);
  exchange_patients(village);
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "health_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "health_tasks.h"

static void run_serial(void) {
  for (int64_t step = 0; step < step_count; step++) simulate_serial(villages);
}

/// How many villages the tree has, or more than MAXIMUM_VILLAGES.
static int64_t count_villages(void) {
  int64_t total = 0, on_level = 1;
  for (int64_t level = 0; level < level_count && total <= MAXIMUM_VILLAGES; level++) {
    total += on_level;
    on_level *= branch_count;
  }
  return total;
}

/// A village without inhabitants. Hospitals have two members of staff on the lowest level, and twice as many on each
/// level as on the one below.
static struct village make_village(int64_t index) {
  int64_t level = 0;
  for (int64_t ancestor = index; ancestor != 0; ancestor = (ancestor - 1) / branch_count) level++;
  const int64_t staff = (int64_t)1 << (level_count - level);
  uint64_t random_state = ((uint64_t)seed << 32) + (uint64_t)index;
  random_state = random_bits(&random_state); // neighbours' sequences must not overlap
  return (struct village){.random_state = random_state, .staff = staff, .free_staff = staff};
}

/// Child and parent must both be made; the children of a village are linked in the order of the calls, reversed.
static void link_village(struct village* parent, struct village* child) {
  child->parent = parent;
  child->next_sibling = parent->first_child;
  parent->first_child = child;
}

static void prepare(void) {
  if (villages == NULL) {
    village_count = count_villages();
    villages = allocate_or_exit((uint64_t)village_count * sizeof *villages);
    persons = allocate_or_exit((uint64_t)(village_count * population) * sizeof *persons);
  }
  for (int64_t i = 0; i < village_count; i++) villages[i] = make_village(i);
  for (int64_t i = village_count - 1; i > 0; i--) link_village(&villages[(i - 1) / branch_count], &villages[i]);
  for (int64_t i = 0; i < village_count * population; i++) {
    struct village* const home = &villages[i / population];
    persons[i] = (struct person){.home = home};
    append(&home->at[HOME], &persons[i]);
  }
}

static bool is_at_or_above(const struct village* village, const struct village* home) {
  while (home != NULL && home != village) home = home->parent;
  return home == village;
}

/// The list is linked consistently, and everybody in it may be there. Marks the persons found; nobody may be found
/// twice.
static bool list_is_right(const struct village* village, enum place place, bool* found) {
  const struct list* const list = &village->at[place];
  const int64_t longest = place == ASSESSMENT ? ASSESSMENT_STEPS : TREATMENT_STEPS;
  const struct person* previous = NULL;
  int64_t length = 0;
  for (const struct person* person = list->first; person != NULL; person = person->next) {
    if (found[person - persons] || person->previous != previous) return false;
    if (place == HOME ? person->home != village : !is_at_or_above(village, person->home)) return false;
    const bool busy = place == ASSESSMENT || place == TREATMENT;
    if (busy && (person->remaining_steps < 1 || person->remaining_steps > longest)) return false;
    found[person - persons] = true;
    previous = person;
    length++;
  }
  return list->last == previous && list->length == length;
}

static struct village sum_of_counts(void) {
  struct village sum = {0};
  for (int64_t i = 0; i < village_count; i++) {
    const struct village* const village = &villages[i];
    sum.illnesses += village->illnesses;
    sum.waiting_steps += village->waiting_steps;
    sum.treatments += village->treatments;
    sum.referrals += village->referrals;
    sum.discharges += village->discharges;
    for (int place = 0; place < PLACES; place++) sum.at[place].length += village->at[place].length;
  }
  return sum;
}

/// What must hold whatever the random numbers were: everybody is in exactly one place, where they may be; the staff is
/// busy or free; a person who fell ill has been discharged or is still in some hospital.
static enum verification verify(void) {
  const int64_t everybody = village_count * population;
  bool* const found = allocate_or_exit((uint64_t)everybody * sizeof *found);
  memset(found, 0, (size_t)everybody * sizeof *found);
  bool right = true;
  for (int64_t i = 0; i < village_count && right; i++) {
    const struct list* const at = villages[i].at;
    for (int place = 0; place < PLACES && right; place++) right = list_is_right(&villages[i], (enum place)place, found);
    right = right && at[REFERRED].length == 0 && at[DISCHARGED].length == 0 &&
            villages[i].free_staff + at[ASSESSMENT].length + at[TREATMENT].length == villages[i].staff;
  }
  for (int64_t i = 0; i < everybody && right; i++) right = found[i];
  free(found);
  const struct village sum = sum_of_counts();
  right = right && sum.illnesses == sum.discharges + everybody - sum.at[HOME].length;
  return right ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void digest(uint64_t* state, int64_t value) {
  *state ^= (uint64_t)value;
  *state = random_bits(state);
}

/// A number that differs, but for a chance of 2^-64, if anything in the village does: persons, their order, counts,
/// state.
static uint64_t digest_of(const struct village* village) {
  uint64_t state = village->random_state;
  const int64_t numbers[] = {village->free_staff, village->illnesses, village->waiting_steps,
                             village->treatments, village->referrals, village->discharges};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) digest(&state, numbers[i]);
  for (int place = 0; place < PLACES; place++) {
    digest(&state, village->at[place].length);
    for (const struct person* person = village->at[place].first; person != NULL; person = person->next) {
      digest(&state, person - persons);
      digest(&state, person->remaining_steps);
    }
  }
  return state;
}

static void keep_answer(void) {
  kept = allocate_or_exit((uint64_t)village_count * sizeof *kept);
  for (int64_t i = 0; i < village_count; i++) kept[i] = digest_of(&villages[i]);
}

static bool is_kept_answer(void) {
  for (int64_t i = 0; i < village_count; i++)
    if (kept[i] != digest_of(&villages[i])) return false;
  return true;
}

static void report_answer(void) {
  const struct village sum = sum_of_counts();
  report_text("Answer",
              "%" PRId64 " illnesses, %" PRId64 " steps waited, %" PRId64 " treatments, %" PRId64 " referrals, %" PRId64
              " discharges",
              sum.illnesses, sum.waiting_steps, sum.treatments, sum.referrals, sum.discharges);
}

static const char* complaint(void) {
  if (count_villages() > MAXIMUM_VILLAGES) return "-n and -b make too many villages";
  return NULL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "levels of the tree of villages", &level_count, 1, 24},
      {'b', "villages below each village", &branch_count, 1, 1024},
      {'p', "persons in a village", &population, 1, 4096},
      {'t', "time steps", &step_count, 0, INT32_MAX},
      {'r', "seed of the random events", &seed, 0, INT32_MAX},
      {'x', "depth from which no tasks are made, for -if, -final, -manual", &cutoff, 0, 24},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      VERSIONS_BY_CUTOFF,
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-health",
      .summary = "simulates a tree of villages and their hospitals, a task for every village in every step",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied",
      .complaint = complaint,
      .prepare = prepare,
      .verify = verify,
      .keep_answer = keep_answer,
      .is_kept_answer = is_kept_answer,
      .report_answer = report_answer,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(villages);
  free(persons);
  free(kept);
  return status;
}
