# The energy of a water molecule by psi4: Hartree-Fock, then MP2, with density fitting.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > water.dat <<'EOF'
memory 400 mb
molecule water {
  O 0.0  0.0000  0.1173
  H 0.0  0.7572 -0.4692
  H 0.0 -0.7572 -0.4692
}
set basis cc-pvdz
set scf_type df
energy('mp2')
EOF
PSI_SCRATCH=$folder psi4 water.dat water.out -n "$OMP_NUM_THREADS" >messages 2>&1 || { cat messages; exit 1; }
grep -E 'Final Energy:|Total Energy  .*\[Eh\]' water.out
