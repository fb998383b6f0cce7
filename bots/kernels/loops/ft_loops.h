// The loops of ft.c, which includes this file twice (loops/loops.h).

/// The transform of a cube in its place: of its lines in each of the three directions.
static void NAMED(transform)(double complex* cube, bool back) {
  const int64_t plane = side * side;
#pragma omp LOOP collapse(2) schedule(static)
  for (int64_t k = 0; k < side; k++)
    for (int64_t j = 0; j < side; j++) transform_line(cube + k * plane + j * side, back);
#pragma omp LOOP collapse(2) schedule(static)
  for (int64_t k = 0; k < side; k++)
    for (int64_t i = 0; i < side; i++) transform_strided(cube + k * plane + i, side, back);
#pragma omp LOOP collapse(2) schedule(static)
  for (int64_t j = 0; j < side; j++)
    for (int64_t i = 0; i < side; i++) transform_strided(cube + j * side + i, plane, back);
}

static void NAMED(solve)(void) {
  const int64_t plane = side * side, count = plane * side;
#pragma omp LOOP schedule(static)
  for (int64_t i = 0; i < count; i++) waves[i] = input[i];
  NAMED(transform)(waves, false);
  for (int64_t time = 1; time <= times; time++) {
#pragma omp LOOP collapse(2) schedule(static)
    for (int64_t k = 0; k < side; k++)
      for (int64_t j = 0; j < side; j++)
        for (int64_t i = 0; i < side; i++) {
          const int64_t here = k * plane + j * side + i;
          answer[here] = waves[here] * (decay(k, j, i, time) / (double)count);
        }
    NAMED(transform)(answer, true);
  }
}
