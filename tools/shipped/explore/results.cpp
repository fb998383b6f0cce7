// See results.h.
#include "tools/shipped/explore/results.h"

#include <stdio.h>
#include <string.h>

namespace explore {
namespace {

struct Kept {
  Finding finding;
  char order[1000];
};
constexpr int kMost = 64;
Kept all[kMost];
int count = 0;

bool same(const Finding& a, const Finding& b) {
  return strcmp(a.kind, b.kind) == 0 && a.line[0] == b.line[0] && a.line[1] == b.line[1] &&
         strcmp(a.file[0], b.file[0]) == 0;
}

void put_xml(FILE* to, const char* text) {
  for (; *text != 0; ++text) switch (*text) {
    case '<': fputs("&lt;", to); break;
    case '>': fputs("&gt;", to); break;
    case '&': fputs("&amp;", to); break;
    case '"': fputs("&quot;", to); break;
    default: // XML has no other control characters; a word that was cut may end within a character
      fputc((static_cast<unsigned char>(*text) < ' ' && *text != '\n' && *text != '\t') || *text < 0 ? '?' : *text, to);
    }
}

void put_json(FILE* to, const char* text) {
  fputc('"', to);
  for (; *text != 0; ++text) {
    auto byte = static_cast<unsigned char>(*text);
    if (byte == '"' || byte == '\\')
      fprintf(to, "\\%c", byte);
    else if (byte < ' ')
      fprintf(to, "\\u%04x", byte);
    else
      fputc(byte < 128 ? byte : '?', to); // a text that was cut may end within a character
  }
  fputc('"', to);
}

void put_place(FILE* to, const Finding& finding, int which) {
  fputs("{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", to);
  put_json(to, finding.file[which]);
  fprintf(to, "}, \"region\": {\"startLine\": %d}}}", finding.line[which]);
}

bool close_file(FILE* file) {
  bool failed = ferror(file) != 0;
  return fclose(file) == 0 && !failed;
}

} // namespace

static bool is_known(const Finding& finding) {
  for (int k = 0; k < count; ++k)
    if (same(all[k].finding, finding)) return true;
  return false;
}

bool all_known(const Findings& of_run) {
  for (uint32_t i = 0; i < of_run.count && i < Findings::kMost; ++i)
    if (!is_known(of_run.list[i])) return false;
  return true;
}

void keep(const Findings& of_run, const char* order) {
  for (uint32_t i = 0; i < of_run.count && i < Findings::kMost; ++i) {
    if (count == kMost || is_known(of_run.list[i])) continue;
    all[count].finding = of_run.list[i];
    snprintf(all[count++].order, sizeof all->order, "%s", order);
  }
}

bool write_junit(const char* path, const char* command) {
  FILE* file = fopen(path, "we");
  if (file == nullptr) return false;
  fprintf(
      file,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"chomp explore\" tests=\"1\" failures=\"%d\">\n",
      count > 0);
  fputs("  <testcase classname=\"chomp explore\" name=\"", file);
  put_xml(file, command);
  fputs("\">\n", file);
  for (int i = 0; i < count; ++i) {
    fprintf(file, "    <failure type=\"%s\" message=\"seed %s\">", all[i].finding.kind, all[i].order);
    put_xml(file, all[i].finding.text);
    fputs("</failure>\n", file);
  }
  fputs("  </testcase>\n</testsuite>\n", file);
  return close_file(file);
}

bool write_sarif(const char* path, const char* command) {
  FILE* file = fopen(path, "we");
  if (file == nullptr) return false;
  fputs("{\"version\": \"2.1.0\",\n \"runs\": "
        "[{\"tool\": "
        "{\"driver\": {\"name\": \"chomp explore\"}}, \"results\": [",
        file);
  for (int i = 0; i < count; ++i) {
    const Finding& finding = all[i].finding;
    fprintf(file, "%s\n  {\"ruleId\": ", i > 0 ? "," : "");
    put_json(file, finding.kind);
    fputs(", \"level\": \"error\", \"message\": {\"text\": ", file);
    char text[sizeof finding.text + sizeof finding.kind + sizeof all->order + 4200];
    snprintf(text, sizeof text, "%s: %s\nAgain: chomp explore --replay %s %.4000s", finding.kind, finding.text,
             all[i].order, command);
    put_json(file, text);
    fputs("}, \"locations\": [", file);
    if (finding.line[0] > 0) put_place(file, finding, 0);
    fputs("], \"relatedLocations\": [", file);
    if (finding.line[1] > 0) put_place(file, finding, 1);
    fputs("]}", file);
  }
  fputs("]}]}\n", file);
  return close_file(file);
}

} // namespace explore
