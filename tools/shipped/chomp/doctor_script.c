// chomp doctor SCRIPT: the programs behind a start script, as Debian has them before programs with a variant for each
// processor, or before R: those with OpenMP calls in its folder, or in one that it names, whose names begin with its
// own; what begins like a path that it builds of variables; and what it becomes (exec). Its text is read line by line
// and no command is run, so what depends on tests and loops is guessed: all variants are named.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

enum { kMostPrograms = 16, kMostVariables = 32, kLongest = 2 * PATH_MAX };

static char programs[kMostPrograms][PATH_MAX];
static int program_count;

static struct {
  char name[64], value[PATH_MAX];
} variables[kMostVariables];
static int variable_count;

// `becomes`: the script becomes it, so its libraries may make the calls.
static int note(const char* path, int becomes) {
  struct ElfFile file;
  char real[PATH_MAX];
  if (program_count == kMostPrograms || realpath(path, real) == NULL) return 0;
  read_elf(real, &file);
  if (!file.is_elf) return 0;
  if (calls_openmp(&file) == 0 && !(becomes && file.dynamic)) return 0;
  for (int i = 0; i < program_count; ++i)
    if (strcmp(programs[i], real) == 0) return 1;
  strcpy(programs[program_count++], real);
  return 1;
}

static void note_all(const char* folder, const char* beginning) {
  char path[PATH_MAX];
  DIR* entries = *beginning != 0 ? opendir(folder) : NULL;
  if (entries == NULL) return;
  for (struct dirent* entry; (entry = readdir(entries)) != NULL;)
    if (strncmp(entry->d_name, beginning, strlen(beginning)) == 0 &&
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < PATH_MAX)
      note(path, 0);
  closedir(entries);
}

// What begins like a path: "/usr/lib/tool/tool-" of tool-avx2 and tool-sse3. Not in the folders of all programs.
static void note_beginning(const char* path, const char* script) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char* name = strrchr(folder, '/');
  if (name == folder) return;
  *name++ = 0;
  const char* own = strrchr(script, '/') + 1;
  if (strncmp(name, own, strlen(own)) == 0 || strstr(folder, "/lib") != NULL) note_all(folder, name);
}

static const char* value_of(const char* name, size_t length) {
  for (int i = 0; i < variable_count; ++i)
    if (strlen(variables[i].name) == length && strncmp(variables[i].name, name, length) == 0) return variables[i].value;
  return "";
}

static int is_of_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_';
}

static size_t name_length(const char* text) {
  size_t length = 0;
  while (is_of_name(text[length])) ++length;
  return length;
}

// A line with the variables that are known put in, and without those that are not, as "$1".
static void expand(const char* line, char* text, size_t room) {
  char* end = text + room - 1;
  while (*line != 0 && text < end) {
    if (*line != '$' || line[1] == '(') {
      *text++ = *line++;
      continue;
    }
    int braces = line[1] == '{';
    const char* name = line + 1 + braces;
    size_t length = name_length(name);
    const char* value = value_of(name, length);
    for (; *value != 0 && text < end; ++value) *text++ = *value;
    line = name + length;
    if (braces) line += strcspn(line, "}\n"), line += *line == '}';
  }
  *text = 0;
}

// Puts `with` for each `what` in a text that has so much room.
static void replace(char* text, size_t room, const char* what, const char* with) {
  char rest[kLongest];
  for (char* at = text; (at = strstr(at, what)) != NULL; at += strlen(with)) {
    if (strlen(text) + strlen(with) >= room) return;
    snprintf(rest, sizeof rest, "%s", at + strlen(what));
    snprintf(at, room - (size_t)(at - text), "%s%s", with, rest);
  }
}

// "NAME=value", whatever stands before it; false if it is something else. The first value stays unless the new one is a
// path that is there.
static int note_variable(const char* line, const char* folder, const char* real_folder) {
  const char* equals = strchr(line, '=');
  if (equals == NULL) return 0;
  const char* name = equals;
  while (name > line && is_of_name(name[-1])) --name;
  size_t length = (size_t)(equals - name);
  if (length == 0 || length >= sizeof variables->name) return 0;
  char value[kLongest];
  const char* text = equals + 1;
  int own_folder =
      strstr(text, "dirname") != NULL && (strstr(text, "$0") != NULL || strstr(text, "BASH_SOURCE") != NULL);
  if (own_folder) {
    strcpy(value, strstr(text, "readlink") != NULL || strstr(text, "realpath") != NULL ? real_folder : folder);
  } else {
    expand(text, value, sizeof value);
    for (char* at = value; (at = strpbrk(at, "\"'")) != NULL;) memmove(at, at + 1, strlen(at));
    for (const char* const* each = (const char* const[]){"$(realpath ", "$(readlink -f ", NULL}; *each != NULL; ++each)
      replace(value, sizeof value, *each, "");
    value[strcspn(value, " \t\n;)`")] = 0;
  }
  int index = 0;
  while (index < variable_count &&
         !(strlen(variables[index].name) == length && strncmp(variables[index].name, name, length) == 0))
    ++index;
  if (index == kMostVariables || (index < variable_count && access(value, F_OK) != 0)) return 1;
  snprintf(variables[index].name, sizeof variables[index].name, "%.*s", (int)length, name);
  snprintf(variables[index].value, sizeof variables[index].value, "%.*s", PATH_MAX - 1, value);
  variable_count += index == variable_count;
  return 1;
}

static void read_line(char* line, const char* script, const char* folder, const char* real_folder) {
  const char* own = strrchr(script, '/') + 1;
  char text[kLongest];
  if (line[strspn(line, " \t")] == '#') return;
  for (const char* const* each =
           (const char* const[]){"$(basename \"$0\")", "$(basename -- \"$0\")", "$(basename $0)", "${0##*/}", NULL};
       *each != NULL; ++each)
    replace(line, kLongest, *each, own);
  for (const char* const* each = (const char* const[]){"$(dirname \"$0\")", "$(dirname $0)", "${0%/*}", NULL};
       *each != NULL; ++each)
    replace(line, kLongest, *each, folder);
  int assigns = note_variable(line, folder, real_folder);
  expand(line, text, sizeof text);
  int becomes = strstr(text, "exec ") != NULL;
  char* rest = text;
  for (char* word; (word = strsep(&rest, " \t\n\"'`;=,:$(){}")) != NULL;) {
    if (*word != '/') continue;
    if (note(word, becomes)) becomes = 0;
    note_all(word, own);
    if (!assigns) note_beginning(word, script); // what it is the beginning of is said where it is used
  }
}

void show_programs_behind(const char* script) {
  char folder[PATH_MAX], real_folder[PATH_MAX], line[kLongest];
  if (realpath(script, real_folder) == NULL || strchr(script, '/') == NULL) return;
  snprintf(folder, sizeof folder, "%s", script);
  *strrchr(folder, '/') = *strrchr(real_folder, '/') = 0;
  FILE* text = fopen(script, "re");
  while (text != NULL && fgets(line, PATH_MAX, text) != NULL) read_line(line, script, folder, real_folder);
  if (text != NULL) fclose(text);
  note_all(folder, strrchr(script, '/') + 1);
  if (program_count == 0) note_all(real_folder, strrchr(script, '/') + 1);
  qsort(programs, (size_t)program_count, sizeof *programs, (int (*)(const void*, const void*))strcmp);
  if (program_count > 0) printf("  it starts, as far as its text shows; of those:\n");
  for (int i = 0; i < program_count; ++i) printf("    chomp doctor %s\n", programs[i]);
}
