// chomp bench --export: what was measured, as JSON (all of it), CSV (a line for each run) or Markdown (a table), by the
// ending of the file's name.
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "command.h"

static const char* const names[2] = {"own", "chomp"};

static void put_text(FILE* out, const char* text) {
  putc('"', out);
  for (; *text != 0; ++text) {
    unsigned char letter = (unsigned char)*text;
    if (letter == '"' || letter == '\\')
      fprintf(out, "\\%c", letter);
    else if (letter < 0x20)
      fprintf(out, "\\u%04x", letter);
    else
      putc(letter, out);
  }
  putc('"', out);
}

static void put_spread(FILE* out, const char* name, struct Spread spread) {
  fprintf(out, "\"%s\": {\"median\": %.6f, \"least\": %.6f, \"most\": %.6f}", name, spread.median, spread.least,
          spread.most);
}

static void put_runs(FILE* out, const char* name, const double* values, int count) {
  fprintf(out, ", \"%s\": [", name);
  for (int i = 0; i < count; ++i) fprintf(out, "%s%.6f", i > 0 ? ", " : "", values[i]);
  putc(']', out);
}

static void put_series(FILE* out, const struct Series* series) {
  fputs("{\"threads\": ", out);
  series->threads != NULL ? put_text(out, series->threads) : (void)fputs("null", out);
  fprintf(out, ", \"rounds\": %d, \"compared\": %s", series->rounds, is_empty(series) ? "false" : "true");
  for (int side = 0; side < 2 && !is_empty(series); ++side) {
    fprintf(out, ",\n  \"%s\": {", names[side]);
    put_spread(out, "time", spread_of(series->seconds[side], series->rounds));
    put_runs(out, "seconds", series->seconds[side], series->rounds);
    put_runs(out, "cpu_seconds", series->cpu[side], series->rounds);
    putc('}', out);
  }
  if (!is_empty(series)) {
    static const char* const words[] = {[kNotSettled] = "not settled", "faster", "slower", "level"};
    struct Verdict verdict = verdict_of(series);
    struct Ratio decides = verdict.by_cpu ? verdict.cpu : verdict.wall;
    fputs(",\n  ", out);
    put_spread(out, "ratio", ratio_of(series->seconds[kOwn], series->seconds[kChomp], series->rounds));
    fprintf(out, ",\n  \"verdict\": {\"word\": \"%s\", \"by\": \"%s time\"", words[verdict.word],
            verdict.by_cpu ? "CPU" : "wall");
    if (decides.high < INFINITY) fprintf(out, ", \"low\": %.6f, \"high\": %.6f", decides.low, decides.high);
    putc('}', out);
  }
  putc('}', out);
}

static void put_json(FILE* out, const struct Bench* bench) {
  fputs("{\"command\": [", out);
  for (int i = 0; bench->words[i] != NULL; ++i) {
    if (i > 0) fputs(", ", out);
    put_text(out, bench->words[i]);
  }
  fputs("], \"own\": ", out);
  put_text(out, bench->own);
  fprintf(out, ", \"cpus\": %d, \"load_before\": %.2f, \"load_after\": %.2f, \"series\": [\n ", bench->cpus,
          bench->load_before, bench->load_after);
  for (int i = 0; i < bench->series_count; ++i) {
    if (i > 0) fputs(",\n ", out);
    put_series(out, &bench->series[i]);
  }
  fputs("]}\n", out);
}

static const char* threads_of(const struct Series* series) { return series->threads != NULL ? series->threads : ""; }

static void put_csv(FILE* out, const struct Bench* bench) {
  fputs("threads,library,round,seconds,cpu_seconds\n", out);
  for (int i = 0; i < bench->series_count; ++i) {
    const struct Series* series = &bench->series[i];
    for (int round = 0; round < series->rounds; ++round)
      for (int side = 0; side < 2; ++side)
        fprintf(out, "\"%s\",%s,%d,%.6f,%.6f\n", threads_of(series), side == kOwn ? bench->own : "chomp", round + 1,
                series->seconds[side][round], series->cpu[side][round]);
  }
}

static void put_markdown(FILE* out, const struct Bench* bench) {
  fputs("| threads | library | median [s] | least [s] | most [s] | CPU time [s] | ratio |\n", out);
  fputs("|---|---|---:|---:|---:|---:|---:|\n", out);
  for (int i = 0; i < bench->series_count; ++i) {
    const struct Series* series = &bench->series[i];
    for (int side = 0; side < 2 && !is_empty(series); ++side) {
      struct Spread time = spread_of(series->seconds[side], series->rounds);
      fprintf(out, "| %s | %s | %.3f | %.3f | %.3f | %.3f |", threads_of(series), side == kOwn ? bench->own : "chomp",
              time.median, time.least, time.most, spread_of(series->cpu[side], series->rounds).median);
      side == kChomp
          ? fprintf(out, " %.2f |\n", ratio_of(series->seconds[kOwn], series->seconds[kChomp], series->rounds).median)
          : fputs(" 1 |\n", out);
    }
  }
}

static const struct {
  const char* ending;
  void (*put)(FILE* out, const struct Bench* bench);
} forms[] = {{".json", put_json}, {".csv", put_csv}, {".md", put_markdown}};
enum { kForms = sizeof forms / sizeof *forms };

static int form_of(const char* path) {
  const char* dot = strrchr(path, '.');
  int form = 0;
  while (form < kForms && (dot == NULL || strcmp(dot, forms[form].ending) != 0)) ++form;
  return form;
}

void check_export(const char* path) {
  if (form_of(path) == kForms) die("--export takes a name that ends in .json, .csv or .md, not \"%s\"", path);
  check_writable(path);
}

void export_bench(const struct Bench* bench, const char* path) {
  FILE* out = fopen(path, "we");
  if (out != NULL) forms[form_of(path)].put(out, bench);
  if (out == NULL || ferror(out) | fclose(out)) die("%s cannot be written: %s", path, strerror(errno));
}
