// The report as one HTML page, with pictures, that needs nothing but itself.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/shipped/analyse/report.h"

namespace chomp::analyse {
namespace {

const char* const kColours[kCategories] = {"#2e7d32", "#f9a825", "#ef6c00", "#d84315", "#5e35b1",
                                           "#3949ab", "#c62828", "#90a4ae", "#455a64", "#6d4c41"};

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

std::string cell(const std::string& text, bool is_number = true) {
  return std::string(is_number ? "<td class=n>" : "<td>") + escaped(text) + "</td>";
}

std::string table(const std::string& title, const std::vector<const char*>& columns, const std::string& rows) {
  if (rows.empty()) return "";
  std::string text = "<h2>" + title + "</h2>\n<table><tr>";
  for (const char* column : columns) text += std::string("<th>") + column + "</th>";
  return text + "</tr>\n" + rows + "</table>\n";
}

std::string time_bar(const Analysis& of) {
  std::string bar = "<svg width=100% height=36 viewBox=\"0 0 1000 36\" preserveAspectRatio=none>", legend = "<table>";
  double at = 0;
  for (int i = 0; i < kCategories; ++i) {
    double share = of.share(static_cast<Category>(i));
    bar += "<rect x=" + number(at * 1000) + " width=" + number(share * 1000) + " height=36 fill=\"" + kColours[i] +
           "\"><title>" + kCategoryNames[i] + " " + percent(share) + "</title></rect>";
    at += share;
    legend += std::string("<tr><td style=\"background:") + kColours[i] + "\">&emsp;</td>" +
              cell(kCategoryNames[i], false) + cell(percent(share)) +
              cell(duration(of.time_ns[static_cast<size_t>(i)])) + "</tr>\n";
  }
  return bar + "</svg>\n" + legend + "</table>\n";
}

/// How long the tasks of a construct are: a bar for each power of two.
std::string histogram(const Grain& grain) {
  size_t first = grain.lengths.size(), last = 0;
  uint64_t most = 1;
  for (size_t i = 0; i < grain.lengths.size(); ++i) {
    if (grain.lengths[i] == 0) continue;
    first = std::min(first, i);
    last = i;
    most = std::max(most, grain.lengths[i]);
  }
  if (first > last) return "";
  std::string text = "<svg width=" + std::to_string((last - first + 1) * 10) + " height=30>";
  for (size_t i = first; i <= last; ++i) {
    double height = 30 * static_cast<double>(grain.lengths[i]) / static_cast<double>(most);
    if (grain.lengths[i] > 0) height = std::max(height, 1.0);
    text += "<rect x=" + std::to_string((i - first) * 10) + " y=" + number(30 - height) +
            " width=9 height=" + number(height) + " fill=\"#2e7d32\"><title>" +
            duration(std::ldexp(1, static_cast<int>(i))) + " to " + duration(std::ldexp(1, static_cast<int>(i) + 1)) +
            ": " + grouped(static_cast<double>(grain.lengths[i])) + " tasks</title></rect>";
  }
  return text + "</svg>";
}

std::string constructs(const Report& report) {
  const Analysis& of = report.analysis;
  auto at = [&](uint64_t site) { return cell(report.symbols->at(site).text(), false); };
  auto count = [](uint64_t value) { return cell(grouped(static_cast<double>(value))); };
  std::string regions, tasks, loops, locks;
  for (const auto& [site, region] : of.regions)
    regions += "<tr>" + at(site) + count(region.count) + count(region.threads) + cell(duration(region.time_ns)) +
               cell(duration(region.work_ns)) + cell(duration(region.span_ns)) +
               cell(number(region.span_ns > 0 ? region.work_ns / region.span_ns : 0)) + count(region.tasks) + "</tr>\n";
  for (const auto& [site, task] : of.tasks)
    tasks += "<tr>" + at(site) + count(task.grain.count) + cell(duration(task.grain.mean_ns())) +
             cell(duration(task.grain.median_ns())) + cell(duration(task.grain.sum_ns)) + count(task.held) +
             count(task.moved) + "<td>" + histogram(task.grain) + "</td></tr>\n";
  for (const auto& [site, loop] : of.loops)
    loops += "<tr>" + at(site) + cell(name_of_loop(loop.kind), false) + count(loop.count) + count(loop.iterations) +
             cell(duration(loop.longest_ns / static_cast<double>(loop.count))) +
             cell(duration(loop.sum_ns / static_cast<double>(loop.count * loop.threads))) +
             cell(duration(loop.lost_ns)) + "</tr>\n";
  for (const auto& [site, lock] : of.locks)
    locks +=
        "<tr>" + at(site) + count(lock.count) + cell(duration(lock.wait_ns)) + cell(duration(lock.held_ns)) + "</tr>\n";
  return table("Regions", {"where", "times", "threads", "time", "work", "span", "parallelism", "tasks"}, regions) +
         table("Tasks", {"where", "tasks", "mean", "median", "sum", "held by dependences", "run elsewhere", "lengths"},
               tasks) +
         table("Loops", {"where", "kind", "times", "iterations", "slowest thread", "mean thread", "lost"}, loops) +
         table("Locks", {"where", "taken", "waited", "held"}, locks);
}

} // namespace

std::string html_page(const std::vector<Report>& reports) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>chomp report</title>\n<style>"
      "body{font:15px sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
      "table{border-collapse:collapse}td,th{padding:.2em .7em;border-bottom:1px solid #ddd;text-align:left}"
      ".n{text-align:right;white-space:nowrap}li{margin:.7em 0}code{color:#555}</style>\n";
  for (const Report& report : reports) {
    const Analysis& of = report.analysis;
    page += "<h1>" + escaped(of.program) + "</h1>\n<p>" + std::to_string(of.threads) + " threads, scheduler " +
            escaped(of.scheduler) + ", " + duration(of.elapsed_ns) + " from the first region to the end" +
            (of.complete ? "" : " (a part of the run)") + ".</p>\n<h2>What holds it back</h2>\n";
    if (report.advice.empty()) page += "<p>Nothing stands out that would make it faster.</p>\n";
    page += "<ol>\n";
    for (const Advice& each : report.advice)
      page += "<li><b>" + escaped(each.where.empty() ? "the program" : each.where) + "</b> <code>" + each.code +
              "</code><br>" + escaped(each.finding) + ".<br>" + escaped(each.remedy) + "</li>\n";
    page += "</ol>\n<h2>Where the time of all threads went</h2>\n" + time_bar(of) + constructs(report);
  }
  return page + "</html>\n";
}

} // namespace chomp::analyse
