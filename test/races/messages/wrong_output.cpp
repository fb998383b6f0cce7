// RUN: %each-message %t %s
// OPTIONS: --threads 2
// SAYS: chomp explore: wrong output: line 2 of the output
// SAYS:     in the order (of seed \d+|x2:?): last: (first|second)
// SAYS:     here: last: (first|second)
#include <iostream>
#include <string>
int main() {
  std::string last;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
#pragma omp critical
    last = "first";
#pragma omp section
#pragma omp critical
    last = "second";
  }
  std::cout << "begins\nlast: " << last << "\n";
}
