# Energies and gradients of three water molecules by xtb, in two methods.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > waters.xyz <<'EOF'
9

O  0.0  0.0000  0.1173
H  0.0  0.7572 -0.4692
H  0.0 -0.7572 -0.4692
O  2.9  0.1000  0.2000
H  3.4  0.8000 -0.2000
H  3.3 -0.7000 -0.1500
O  0.1  2.8000 -1.4000
H  0.6  3.4000 -0.8500
H -0.6  3.2500 -1.8000
EOF
for method in 1 2; do
  xtb waters.xyz --gfn $method --grad 2>"$folder/messages" | grep -E 'TOTAL ENERGY|GRADIENT NORM|HOMO-LUMO GAP'
done
