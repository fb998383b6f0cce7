# Filters of GraphicsMagick that are OpenMP loops, on a picture that it makes itself. A signature is a hash of all
# pixels.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
gm convert -size 320x240 gradient:tomato-steelblue "$folder/from.miff"
gm convert "$folder/from.miff" -swirl 200 -wave 5x40 -resize 320x240! "$folder/picture.miff"
i=0
for filter in "-blur 0x3" "-resize 55%" "-rotate 33" "-sharpen 0x2" "-median 2" "-charcoal 2" "-emboss 2" "-normalize" \
  "-colorspace HSL" "-modulate 80,120,90" "-implode 0.4" "-swirl 90" "-edge 2" "-paint 3" "-colors 24" \
  "-equalize" "-despeckle" "-gamma 1.7" "-negate" "-threshold 40%"; do
  i=$((i + 1))
  # shellcheck disable=SC2086: an option and its argument
  gm convert "$folder/picture.miff" $filter "$folder/out.miff"
  echo "$i $(gm identify -format '%wx%h %#' "$folder/out.miff")"
done
gm composite -dissolve 40 "$folder/picture.miff" "$folder/from.miff" "$folder/out.miff"
echo "dissolve $(gm identify -format '%#' "$folder/out.miff")"
