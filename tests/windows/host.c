/* The smallest host of an FMU of FMI 2.0: loads a library, makes steps, prints outputs bit by bit. The same
 * source runs on Linux and, compiled by MinGW, on Windows.
 *
 * host LIBRARY GUID STEPS LENGTH INPUT AMPLITUDE OUTPUT...
 *
 * LENGTH in seconds; INPUT is the value reference of a real input that gets AMPLITUDE times the number of the
 * step, mod 7; the OUTPUTs are value references of reals. The state is saved half way, and the second half
 * made twice: the lines of both must be the same. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#define OPEN(path) ((void *)LoadLibraryA(path))
#define FIND(library, name) ((void *)GetProcAddress((HMODULE)(library), name))
#else
#include <dlfcn.h>
#define OPEN(path) dlopen(path, RTLD_NOW | RTLD_LOCAL)
#define FIND(library, name) dlsym(library, name)
#endif

typedef void *component;
typedef int status;
typedef struct {
  void (*logger)(void *, const char *, status, const char *, const char *, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, status);
  void *environment;
} callbacks;

static void told(void *environment, const char *instance, status level, const char *category,
                 const char *message, ...) {
  (void)environment;
  fprintf(stderr, "%s [%d] %s: %s\n", instance, level, category, message);
}

static void *find(void *library, const char *name) {
  void *found = FIND(library, name);
  if (!found) {
    fprintf(stderr, "%s is missing\n", name);
    exit(1);
  }
  return found;
}

static void must(status result, const char *what, int step) {
  if (result != 0) {
    fprintf(stderr, "%s: status %d in step %d\n", what, result, step);
    exit(1);
  }
}

int main(int count, char **words) {
  if (count < 8) {
    fprintf(stderr, "too few arguments\n");
    return 2;
  }
  void *library = OPEN(words[1]);
  if (!library) {
    fprintf(stderr, "%s cannot be loaded\n", words[1]);
    return 1;
  }
  int steps = atoi(words[3]);
  double length = atof(words[4]), amplitude = atof(words[6]);
  unsigned input = (unsigned)atoi(words[5]);
  size_t outputs = (size_t)(count - 7);
  unsigned *references = calloc(outputs, sizeof *references);
  double *values = calloc(outputs, sizeof *values);
  for (size_t i = 0; i < outputs; i++) references[i] = (unsigned)atoi(words[7 + i]);

  component (*instantiate)(const char *, int, const char *, const char *, const callbacks *, int, int) =
      find(library, "fmi2Instantiate");
  status (*setup)(component, int, double, double, int, double) = find(library, "fmi2SetupExperiment");
  status (*enter)(component) = find(library, "fmi2EnterInitializationMode");
  status (*leave)(component) = find(library, "fmi2ExitInitializationMode");
  status (*set)(component, const unsigned *, size_t, const double *) = find(library, "fmi2SetReal");
  status (*get)(component, const unsigned *, size_t, double *) = find(library, "fmi2GetReal");
  status (*advance)(component, double, double, int) = find(library, "fmi2DoStep");
  status (*save)(component, void **) = find(library, "fmi2GetFMUstate");
  status (*restore)(component, void *) = find(library, "fmi2SetFMUstate");
  status (*forget)(component, void **) = find(library, "fmi2FreeFMUstate");
  status (*terminate)(component) = find(library, "fmi2Terminate");
  void (*release)(component) = find(library, "fmi2FreeInstance");

  callbacks functions = {told, calloc, free, NULL, NULL};
  component fmu = instantiate("host", 1, words[2], NULL, &functions, 0, 0);
  if (!fmu) {
    fprintf(stderr, "it cannot be instantiated\n");
    return 1;
  }
  must(setup(fmu, 0, 0.0, 0.0, 0, 0.0), "fmi2SetupExperiment", 0);
  must(enter(fmu), "fmi2EnterInitializationMode", 0);
  must(leave(fmu), "fmi2ExitInitializationMode", 0);
  void *state = NULL;
  for (int turn = 0; turn < 2; turn++) {
    for (int step = turn ? steps / 2 : 0; step < steps; step++) {
      if (!turn && step == steps / 2) must(save(fmu, &state), "fmi2GetFMUstate", step);
      double value = amplitude * (step % 7);
      must(set(fmu, &input, 1, &value), "fmi2SetReal", step);
      must(advance(fmu, step * length, length, 1), "fmi2DoStep", step);
      must(get(fmu, references, outputs, values), "fmi2GetReal", step);
      printf("%d", step);
      for (size_t i = 0; i < outputs; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        printf(" %08lx%08lx", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
      }
      printf("\n");
    }
    if (!turn) must(restore(fmu, state), "fmi2SetFMUstate", steps);
  }
  must(forget(fmu, &state), "fmi2FreeFMUstate", steps);
  must(terminate(fmu), "fmi2Terminate", steps);
  release(fmu);
  return 0;
}
