# Goroutines that call C code with regions: each of the threads that Go makes for them begins as a caller of its own.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > main.go <<'EOF'
package main

/*
#cgo CFLAGS: -O2 -fopenmp
#cgo LDFLAGS: -fopenmp
static double sum_to(int n) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= n; i++) sum += i;
  return sum;
}
*/
import "C"

import "fmt"

func main() {
  const callers, calls = 100, 50
  sums := make(chan float64)
  for caller := 1; caller <= callers; caller++ {
    go func(n int) {
      sum := 0.0
      for call := 0; call < calls; call++ {
        sum += float64(C.sum_to(C.int(n)))
      }
      sums <- sum
    }(200 * caller)
  }
  total := 0.0
  for caller := 0; caller < callers; caller++ {
    total += <-sums
  }
  fmt.Printf("%.0f\n", total)
}
EOF
export HOME="$folder" GOFLAGS=-mod=mod GO111MODULE=off CGO_ENABLED=1
LD_PRELOAD= CC=gcc go build -o callers main.go
./callers
