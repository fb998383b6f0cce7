# The Hilbert basis and the multiplicity of a cone by Normaliz: integers, so every digit counts.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > cone.in <<'EOF'
amb_space 6
cone 9
1 0 0 0 2 1
0 3 1 0 1 0
2 1 4 1 0 2
1 5 0 2 3 1
0 1 1 4 1 3
3 0 2 1 5 0
1 2 6 0 1 1
0 0 3 1 2 5
4 1 0 3 1 2
grading
1 1 1 1 1 1
HilbertBasis
Multiplicity
EOF
normaliz -x="$OMP_NUM_THREADS" cone.in >messages 2>&1 || { cat messages; exit 1; }
grep -v '^$' cone.out
