# The contigs that megahit assembles from reads of a made-up genome. It relies on a thread's iterations of a dynamic loop
# coming in increasing order.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
awk 'BEGIN {
  x = 12345
  for (i = 0; i < 30000; i++) { x = (x * 1103515 + 12345) % 2147483648; genome = genome substr("ACGT", int(x / 65536) % 4 + 1, 1) }
  for (i = 0; i < 9000; i++) { x = (x * 1103515 + 12345) % 2147483648; print ">" i; print substr(genome, x % 29900 + 1, 100) }
}' > reads.fa
megahit -r reads.fa -t "$OMP_NUM_THREADS" -o out > messages 2>&1 || { cat messages; exit 1; }
# Each contig in the one of its two directions that comes first.
grep -v '>' out/final.contigs.fa | while read -r line; do
  { echo "$line"; echo "$line" | rev | tr ACGT TGCA; } | sort | head -1
done | sort
