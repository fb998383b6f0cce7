// The report as one HTML page, with pictures, that needs nothing but itself.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "tools/shipped/analyse/report.h"

namespace chomp::analyse {
namespace {

// Each goes with white letters on it, and stands out from a white page and from a black one.
const char* const kColours[kCategories] = {"#2e7d32", "#9a6700", "#bc4c00", "#d1242f", "#6639ba",
                                           "#0969da", "#a40e26", "#57707c", "#3d4f58", "#7d5446"};

const char kHead[] = R"(<!DOCTYPE html>
<html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width, initial-scale=1">
<meta name=color-scheme content="light dark"><style>
:root{--page:#fff;--text:#1f2328;--faint:#59636e;--line:#d1d9e0;--bar:#2e7d32}
@media(prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--faint:#9198a1;--line:#3d444d;--bar:#3fb950}}
body{font:15px/1.45 system-ui,sans-serif;max-width:84em;margin:1.5em auto;padding:0 1em;background:var(--page);
color:var(--text)}
h1{font-size:1.4em;overflow-wrap:anywhere}.scroll+h1{margin-top:2.5em}h2{font-size:1.15em;margin-top:1.8em}
table{border-collapse:collapse}td,th{padding:.25em .7em;border-bottom:1px solid var(--line);text-align:left;
vertical-align:top}th{vertical-align:bottom}
.n,th.n{text-align:right}.n{white-space:nowrap}th.n{white-space:normal}li,p{max-width:60em}
.where{overflow-wrap:anywhere;min-width:14em;max-width:26em;position:sticky;left:0;background:var(--page)}
.where small{display:block;color:var(--faint)}.where span{white-space:nowrap}
@media(max-width:60em){.scroll table,.scroll tbody{display:block}.scroll th{display:none}.scroll tr{display:grid;
grid-template-columns:repeat(auto-fit,minmax(11em,1fr));column-gap:1.5em;padding:.6em 0;border-bottom:1px solid var(--line)}
.scroll tr:first-child{display:none}.scroll td{display:flex;justify-content:space-between;border:0;padding:.05em 0}
.scroll td::before{content:attr(data-of);color:var(--faint)}.scroll .where,.scroll .drawn{display:block;grid-column:1/-1;
max-width:32em;position:static}}
.scroll{overflow-x:auto}.scroll:focus-visible,summary:focus-visible{outline:2px solid var(--bar)}
li{margin:.8em 0;overflow-wrap:anywhere}code,.faint,dt,.axis{color:var(--faint)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1em 1em}dd{margin:0;overflow-wrap:anywhere}
.bar{display:flex;height:2.2em;overflow:hidden}.bar span{color:#fff;font-size:.8em;line-height:2.7em;text-align:center;
overflow:hidden;white-space:nowrap}
.axis{display:flex;justify-content:space-between;font-size:.8em;white-space:nowrap}
.swatch{display:inline-block;width:1.2em;height:1.2em;vertical-align:text-bottom}
.lengths{min-width:11em}.lengths .columns{display:flex;align-items:flex-end;height:2.6em;
border-bottom:1px solid var(--faint)}.lengths i{flex:1;margin-right:1px;background:var(--bar)}summary{cursor:pointer}
</style>
)";

std::string escaped(const std::string& text) {
  std::string result;
  for (char c : text) switch (c) {
    case '&': result += "&amp;"; break;
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '"': result += "&quot;"; break;
    default: result += c;
    }
  return result;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

/// `of`: the heading of its column, which a narrow page puts beside it.
std::string cell(const std::string& text, const char* of = "") {
  return std::string("<td class=n data-of=\"") + of + "\">" + escaped(text) + "</td>";
}

/// What tells most, and below it the rest. An address is not broken.
std::string place_cell(const Symbol& symbol) {
  std::string first = escaped(symbol.place()), second = escaped(symbol.function);
  if (first.empty() && second.empty()) return "<td class=where>" + symbol.text() + "</td>";
  if (size_t plus = first.rfind('+'); symbol.line == 0 && plus != std::string::npos)
    first = first.substr(0, plus) + "<span>" + first.substr(plus) + "</span>";
  if (symbol.line == 0 && !second.empty()) std::swap(first, second);
  return "<td class=where>" + first + (first.empty() || second.empty() ? "" : " ") +
         (second.empty() ? "" : "<small>" + second + "</small>") + "</td>";
}

/// A heading, and a table. On a narrow page each row is folded; in between it scrolls by itself, also by the keyboard.
/// Columns of texts begin with a blank.
std::string table(const std::string& title, const std::vector<const char*>& columns, const std::string& rows) {
  if (rows.empty()) return "";
  std::string text =
      "<h2>" + title + "</h2>\n<div class=scroll role=region tabindex=0 aria-label=\"" + title + "\"><table><tr>";
  for (const char* column : columns)
    text += std::string("<th scope=col") + (*column == ' ' ? ">" : " class=n>") + column + "</th>";
  return text + "</tr>\n" + rows + "</table></div>\n";
}

std::string time_bar(const Analysis& of) {
  constexpr double kWideEnough = 0.12; // for letters in it
  std::string bar, legend, label = "Where the time of all threads went:";
  for (int i = 0; i < kCategories; ++i) {
    double share = of.share(static_cast<Category>(i));
    std::string name = kCategoryNames[i], part = percent(share);
    bar += "<span style=\"width:" + number(share * 100) + "%;background:" + kColours[i] + "\" title=\"" + name + " " +
           part + "\">" + (share >= kWideEnough ? part : "") + "</span>";
    if (share > 0) label += " " + name + " " + part + ",";
    legend += std::string("<tr><td><span class=swatch style=\"background:") + kColours[i] + "\"></span> " + name +
              "</td>" + cell(part) + cell(duration(of.time_ns[static_cast<size_t>(i)])) + "</tr>\n";
  }
  label.back() = '.';
  return "<div class=bar role=img aria-label=\"" + label + "\">" + bar +
         "</div><div class=axis aria-hidden=true><span>0 %</span><span>25 %</span><span>50 %</span><span>75 %</span>" +
         "<span>100 %</span></div>\n<table>" + legend + "</table>\n";
}

struct Column {
  std::string lengths;
  double tasks;
};

/// One for each power of two; what is shorter than what recording it takes is in the first.
std::vector<Column> columns_of(const Grain& grain, double event_ns) {
  std::vector<Column> columns{{"", 0}};
  double first = 1;
  for (size_t power = 0; power < Grain::kPowers; ++power) {
    auto tasks = static_cast<double>(grain.with_power(power));
    double from = std::ldexp(1, static_cast<int>(power));
    if (2 * from <= std::max(1.0, event_ns)) {
      columns[0].tasks += tasks;
      first = 2 * from;
    } else if (tasks > 0 || columns.size() > 1) {
      columns.push_back({duration(from) + " to " + duration(2 * from), tasks});
    }
  }
  columns[0].lengths = "below " + duration(first);
  while (columns.size() > 1 && columns.back().tasks == 0) columns.pop_back();
  return columns;
}

/// How long the tasks of a construct are: columns, the axis below, and the numbers.
std::string histogram(const Grain& grain, double event_ns) {
  std::vector<Column> columns = columns_of(grain, event_ns);
  double most = 1;
  std::string drawn, listed, label = "Tasks by length:";
  for (const Column& column : columns) most = std::max(most, column.tasks);
  // Few tasks without a length are such as had no CPU for all of their time.
  constexpr double kFew = 0.05;
  const bool drawn_from_first = columns[0].tasks > kFew * static_cast<double>(grain.count) || columns.size() == 1;
  for (const Column& column : columns) {
    if (column.tasks > 0) {
      std::string line = column.lengths + ": " + grouped(column.tasks) + (column.tasks == 1 ? " task" : " tasks");
      listed += line + "<br>";
      label += " " + line + ",";
    }
    if (&column == &columns[0] && !drawn_from_first) continue;
    double height = column.tasks > 0 ? std::max(2.0, 100 * column.tasks / most) : 0;
    drawn += "<i style=\"height:" + number(height) + "%\"></i>";
  }
  label.back() = '.';
  auto begin = [](const std::string& text) { return text.substr(0, text.find(" to ")); };
  auto end = [](const std::string& text) { return text.substr(text.rfind(" to ") + 4); };
  const std::string& last = columns.back().lengths;
  return "<div class=lengths role=img aria-label=\"" + label + "\"><div class=columns>" + drawn +
         "</div><div class=axis><span>" + begin(columns[drawn_from_first ? 0 : 1].lengths) + "</span><span>" +
         (columns.size() > 1 ? end(last) : "") + "</span></div></div><details><summary>numbers</summary>" + listed +
         "</details>";
}

/// What was run, where, when, with what.
std::string circumstances(const Analysis& of) {
  std::string list;
  auto say = [&](const char* name, const std::string& value) {
    if (!value.empty()) list += std::string("<dt>") + name + "</dt><dd>" + escaped(value) + "</dd>\n";
  };
  char date[64] = "";
  const std::time_t began = of.date;
  if (std::tm when{}; of.date > 0 && localtime_r(&began, &when) != nullptr)
    std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S %Z", &when);
  say("command", of.program);
  say("began", date);
  say("host", of.host + (of.cpus > 0 ? ", " + std::to_string(of.cpus) + " CPUs for it" : ""));
  say("chomp", of.runtime);
  say("threads", std::to_string(of.threads));
  say("scheduler", of.scheduler);
  say("time", duration(of.elapsed_ns) + " from the first region to the end");
  say("a part of it", of.missing);
  return "<dl>\n" + list + "</dl>\n";
}

std::string constructs(const Report& report) {
  const Analysis& of = report.analysis;
  auto at = [&](uint64_t site) { return place_cell(report.symbols->at(site)); };
  auto count = [](uint64_t value, const char* of) { return cell(grouped(static_cast<double>(value)), of); };
  auto time = [](double ns, const char* of) { return cell(duration(ns), of); };
  std::string regions, tasks, loops, locks;
  for (const auto& [site, region] : by_time(of.regions))
    regions += "<tr>" + at(site) + count(region.count, "times") + count(region.threads, "threads") +
               time(region.time_ns, "time") + time(region.work_ns, "work") + time(region.span_ns, "span") +
               cell(number(region.span_ns > 0 ? region.work_ns / region.span_ns : 0), "parallelism") +
               count(region.tasks, "tasks") + "</tr>\n";
  for (const auto& [site, task] : by_time(of.tasks))
    tasks += "<tr>" + at(site) + count(task.grain.count, "tasks") + time(task.grain.mean_ns(), "mean") +
             cell(about(task.grain.median_ns()), "median") + time(task.grain.sum_ns, "sum") + count(task.held, "held") +
             count(task.moved, "run elsewhere") + "<td class=drawn>" + histogram(task.grain, of.costs.event_ns) +
             "</td></tr>\n";
  for (const auto& [site, loop] : by_time(of.loops))
    loops += "<tr>" + at(site) + cell(name_of_loop(loop.kind), "kind") + count(loop.count, "times") +
             count(loop.iterations, "iterations") +
             time(loop.longest_ns / static_cast<double>(loop.count), "slowest thread") +
             time(loop.sum_ns / static_cast<double>(loop.count * loop.threads), "mean thread") +
             time(loop.lost.sum(), "lost") + "</tr>\n";
  for (const auto& [site, lock] : by_time(of.locks))
    locks += "<tr>" + at(site) + count(lock.count, "taken") + time(lock.wait_ns, "waited") +
             time(lock.held_ns, "held") + "</tr>\n";
  return table("Regions", {" where", "times", "threads", "time", "work", "span", "parallelism", "tasks"}, regions) +
         table("Tasks",
               {" where", "tasks", "mean", "median", "sum", "held by dependences", "run elsewhere", " lengths"},
               tasks) +
         table("Loops", {" where", "kind", "times", "iterations", "slowest thread", "mean thread", "lost"}, loops) +
         table("Locks", {" where", "taken", "waited", "held"}, locks);
}

} // namespace

std::string html_page(const std::vector<Report>& reports) {
  std::string page =
      std::string(kHead) + "<title>chomp report: " + escaped(reports.front().analysis.program) + "</title>\n<main>\n";
  for (const Report& report : reports) {
    const Analysis& of = report.analysis;
    page += "<h1>" + escaped(of.program) + "</h1>\n" + circumstances(of) + "<h2>What holds it back</h2>\n";
    if (report.advice.empty()) page += "<p>Nothing stands out that would make it faster.</p>\n";
    page += "<ol>\n";
    for (const Advice& each : report.advice)
      page += "<li><b>" + escaped(each.where.empty() ? "the program" : each.where) + "</b> <code>" + each.code +
              "</code><br>" + escaped(each.finding) + ".<br>" + escaped(each.remedy) + "</li>\n";
    page += "</ol>\n<h2>Where the time of all threads went</h2>\n" + time_bar(of) + constructs(report);
  }
  return page + "</main></html>\n";
}

} // namespace chomp::analyse
