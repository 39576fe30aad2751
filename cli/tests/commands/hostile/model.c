/* An FMU that misbehaves as its parameter `behaviour` says, when it has reached the time `at`. */

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  double at, time, last, tolerance;
  int behaviour, final, ended;
  char text[64];
} Model;

enum {
  GOOD, ABORT, SEGFAULT, EXIT, HANG, NOT_A_NUMBER, INFINITE, ASK_TO_END, STAND_STILL, DISCARD, SLOW,
  EXIT_IN_GETTER, ABORT_IN_TERMINATE, HANG_IN_GETTER, HANG_IN_UNLOADING,
  END_SILENTLY, TERMINAL, CRASH_AT_EXIT
};
enum { OK, WARNING, DISCARDED, ERROR };
enum { LAST_SUCCESSFUL_TIME = 2, TERMINATED = 3 };

static int asked(const char *what) {
  const char *given = getenv("HOSTILE");
  return given && strcmp(given, what) == 0;
}

__attribute__((constructor)) static void begin(void) {
  if (asked("load")) abort();
}

int __cxa_atexit(void (*function)(void *), void *argument, void *library);
static void at_exit(void *argument) {}
static void stay(void) { for (;;) pause(); }

const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const void *callbacks, int visible, int logging) {
  if (asked("instantiate")) abort();
  Model *model = calloc(1, sizeof(Model));
  model->at = 0.35;
  model->tolerance = -1;
  return model;
}
void fmi2FreeInstance(void *model) { free(model); }
int fmi2SetupExperiment(Model *model, int defined, double tolerance, double start, int stops,
                        double stop) {
  model->time = model->last = start;
  if (defined) model->tolerance = tolerance;
  return OK;
}
int fmi2EnterInitializationMode(void *model) { return OK; }
int fmi2ExitInitializationMode(void *model) { return OK; }
int fmi2Terminate(Model *model) {
  if (model->behaviour == ABORT_IN_TERMINATE) abort();
  if (model->behaviour == HANG_IN_UNLOADING) atexit(stay);
  /* Called at the end of the process, when it is not there any more. */
  if (model->behaviour == CRASH_AT_EXIT) __cxa_atexit(at_exit, NULL, NULL);
  return OK;
}
int fmi2GetFMUstate(Model *model, void **state) {
  if (!*state) *state = malloc(sizeof(Model));
  memcpy(*state, model, sizeof(Model));
  return OK;
}
int fmi2SetFMUstate(Model *model, const void *state) {
  memcpy(model, state, sizeof(Model));
  return OK;
}
int fmi2FreeFMUstate(Model *model, void **state) {
  free(*state);
  *state = NULL;
  return OK;
}
int fmi2Reset(void *model) { return OK; }

int fmi2GetReal(Model *model, const unsigned *reference, size_t count, double *value) {
  int due = model->time >= model->at;
  if (due && model->behaviour == EXIT_IN_GETTER) exit(0);
  if (due && model->behaviour == HANG_IN_GETTER) stay();
  for (size_t i = 0; i < count; i++) {
    value[i] = reference[i] == 0 ? model->time : reference[i] == 1 ? model->tolerance : 0;
    if (due && model->behaviour == NOT_A_NUMBER) value[i] = NAN;
    if (due && model->behaviour == INFINITE) value[i] = -INFINITY;
  }
  return OK;
}
int fmi2GetInteger(Model *model, const unsigned *reference, size_t count, int *value) {
  for (size_t i = 0; i < count; i++)
    value[i] = reference[i] == 0 ? -2147483647 : reference[i] == 1 ? 2 : (int)getpid();
  return OK;
}
int fmi2GetBoolean(Model *model, const unsigned *reference, size_t count, int *value) {
  for (size_t i = 0; i < count; i++) value[i] = model->final;
  return OK;
}
int fmi2GetString(Model *model, const unsigned *reference, size_t count, const char **value) {
  snprintf(model->text, sizeof model->text, "%s",
           model->behaviour == TERMINAL ? "\033[2J" : "a, \"b\"\nc");
  for (size_t i = 0; i < count; i++) value[i] = model->text;
  return OK;
}
int fmi2SetReal(Model *model, const unsigned *reference, size_t count, const double *value) {
  for (size_t i = 0; i < count; i++)
    if (reference[i] == 10) model->at = value[i];
  return OK;
}
int fmi2SetInteger(Model *model, const unsigned *reference, size_t count, const int *value) {
  for (size_t i = 0; i < count; i++)
    if (reference[i] == 10) model->behaviour = value[i];
  return OK;
}
int fmi2SetBoolean(void *model, const unsigned *reference, size_t count, const int *value) {
  return OK;
}
int fmi2SetString(void *model, const unsigned *reference, size_t count, const char *const *value) {
  return OK;
}

int fmi2DoStep(Model *model, double time, double step, int no_going_back) {
  model->final = no_going_back;
  if (asked("step") || asked(no_going_back ? "final step" : "step to go back from")) abort();
  if (model->behaviour == STAND_STILL && !no_going_back) return OK;
  if (model->behaviour == SLOW) usleep(10000);
  if (time + step > model->at) {
    switch (model->behaviour) {
      case ABORT: abort();
      case SEGFAULT: *(volatile int *)16 = 1; break;
      case EXIT: exit(0);
      case HANG: stay(); break;
      case DISCARD: return DISCARDED;
      case ASK_TO_END:
      case END_SILENTLY:
        model->time = model->last = model->at;
        model->ended = 1;
        return DISCARDED;
    }
  }
  model->time = model->last = time + step;
  return OK;
}
int fmi2GetRealStatus(Model *model, int kind, double *value) {
  if (kind != LAST_SUCCESSFUL_TIME || model->behaviour == END_SILENTLY) return DISCARDED;
  *value = model->last;
  return OK;
}
int fmi2GetBooleanStatus(Model *model, int kind, int *value) {
  if (kind != TERMINATED) return DISCARDED;
  *value = model->ended;
  return OK;
}
