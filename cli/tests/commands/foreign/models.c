/* Small models that need all that an importer can do, as FMI 2.0 (-DFMI=2) and 3.0 (-DFMI=3); one of
 * -DDAHLQUIST, -DVAN_DER_POL, -DBALL, -DSTAIR, -DRESOURCE, -DFEEDTHROUGH and, in 3.0, -DSTATE_SPACE.
 *
 * Value references: reals below 100, integers from 100, truth values from 200, texts from 300, bytes
 * from 400. Odd variables of FEEDTHROUGH are outputs and equal the even one before them. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR };

typedef struct {
  double time;
  long steps;
  int end;
  double r[64];
  int64_t i[32];
  int b[4];
  char s[4][64];
  unsigned char bytes[2][16];
  size_t lengths[2];
  char folder[1024];
} Model;

static void start(Model *m) {
  m->time = 0;
  m->steps = 0;
  m->end = 0;
  memset(m->r, 0, sizeof m->r);
  memset(m->i, 0, sizeof m->i);
  memset(m->b, 0, sizeof m->b);
  memset(m->s, 0, sizeof m->s);
  memset(m->bytes, 0, sizeof m->bytes);
  memset(m->lengths, 0, sizeof m->lengths);
#if defined DAHLQUIST
  m->r[0] = 1, m->r[1] = 1;
#elif defined VAN_DER_POL
  m->r[0] = 2, m->r[2] = 1;
#elif defined BALL
  m->r[0] = 1, m->r[2] = -9.81, m->r[3] = 0.7, m->r[4] = 0.1;
#elif defined STAIR
  m->i[0] = 1;
#elif defined FEEDTHROUGH
  m->i[2] = 1;
  strcpy(m->s[0], "abc");
  m->bytes[0][1] = 255;
  m->lengths[0] = 2;
#elif defined STATE_SPACE
  double a[] = {0, 1, -4, -0.5}, b[] = {0, 0, 1, 0.5}, c[] = {1, 0, 0, 1}, d[] = {0, 0, 0, 2};
  memcpy(m->r + 20, a, sizeof a);
  memcpy(m->r + 24, b, sizeof b);
  memcpy(m->r + 28, c, sizeof c);
  memcpy(m->r + 32, d, sizeof d);
  m->r[36] = 0.5;
  m->i[20] = m->i[21] = m->i[22] = 2;
#endif
}

static void outputs(Model *m) {
#if defined FEEDTHROUGH
  for (int k = 2; k < 8; k += 2) m->r[k + 1] = m->r[k];
  for (int k = 0; k < 32; k += 2) m->i[k + 1] = m->i[k];
  m->b[1] = m->b[0];
  strcpy(m->s[1], m->s[0]);
  memcpy(m->bytes[1], m->bytes[0], sizeof m->bytes[0]);
  m->lengths[1] = m->lengths[0];
#elif defined STATE_SPACE
  for (int k = 0; k < 2; k++) {
    m->r[42 + k] = 0;
    for (int l = 0; l < 2; l++)
      m->r[42 + k] += m->r[28 + 2 * k + l] * m->r[38 + l] + m->r[32 + 2 * k + l] * m->r[40 + l];
  }
#endif
}

static int initialize(Model *m) {
#if defined RESOURCE
  char path[1100];
  snprintf(path, sizeof path, "%sy.txt", m->folder);
  FILE *file = fopen(path, "r");
  if (!file) return ERROR;
  m->i[0] = fgetc(file);
  fclose(file);
#elif defined STATE_SPACE
  m->r[38] = m->r[36], m->r[39] = m->r[37];
#endif
  outputs(m);
  return OK;
}

/* One internal step of length h [s]. */
static void advance(Model *m, double h) {
  double *r = m->r;
  (void)r;
#if defined DAHLQUIST
  r[0] -= h * r[1] * r[0];
#elif defined VAN_DER_POL
  double v = r[1];
  r[1] += h * (r[2] * (1 - r[0] * r[0]) * r[1] - r[0]);
  r[0] += h * v;
#elif defined BALL
  double v = r[1];
  if (r[0] <= 0 && v < 0) {
    r[0] = 0, v = -v * r[3];
    if (v < r[4]) v = 0, r[2] = 0;
    r[1] = v;
  }
  r[0] += h * v;
  r[1] += h * r[2];
#elif defined STAIR
  if (m->steps % 10 == 0) m->i[0]++;
  if (m->i[0] == 10) m->end = 1;
#elif defined STATE_SPACE
  double x[2] = {r[38], r[39]};
  for (int k = 0; k < 2; k++)
    for (int l = 0; l < 2; l++)
      r[38 + k] += h * (r[20 + 2 * k + l] * x[l] + r[24 + 2 * k + l] * r[40 + l]);
#endif
}

#if defined STAIR || defined DAHLQUIST
#define INTERNAL 0.1
#else
#define INTERNAL 0.01
#endif

/* Internal steps up to a time; true if the model wants to end there. */
static int step_to(Model *m, double time) {
  while (!m->end && (double)(m->steps + 1) * INTERNAL < time + 1e-9) {
    m->steps++;
    advance(m, INTERNAL);
  }
  m->time = m->end ? (double)m->steps * INTERNAL : time;
  outputs(m);
  return m->end;
}

#define EACH for (size_t k = 0; k < n; k++)

#if FMI == 2

const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }
void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const void *callbacks, int visible, int logging) {
  Model *m = calloc(1, sizeof(Model));
  start(m);
  if (resources) {
    /* No other characters than those of a temporary folder. */
    const char *path = strncmp(resources, "file://", 7) ? resources + 5 : resources + 7;
    snprintf(m->folder, sizeof m->folder, "%s/", path);
  }
  return m;
}
void fmi2FreeInstance(void *m) { free(m); }
int fmi2SetDebugLogging(void *m, int on, size_t n, const char *const *names) { return OK; }
int fmi2SetupExperiment(Model *m, int d, double t, double start, int s, double stop) { return OK; }
int fmi2EnterInitializationMode(Model *m) { return OK; }
int fmi2ExitInitializationMode(Model *m) { return initialize(m); }
int fmi2Terminate(Model *m) { return OK; }
int fmi2Reset(Model *m) {
  start(m);
  return OK;
}
int fmi2GetReal(Model *m, const unsigned *v, size_t n, double *x) { EACH x[k] = m->r[v[k]]; return OK; }
int fmi2SetReal(Model *m, const unsigned *v, size_t n, const double *x) { EACH m->r[v[k]] = x[k]; return OK; }
int fmi2GetInteger(Model *m, const unsigned *v, size_t n, int *x) { EACH x[k] = (int)m->i[v[k] - 100]; return OK; }
int fmi2SetInteger(Model *m, const unsigned *v, size_t n, const int *x) { EACH m->i[v[k] - 100] = x[k]; return OK; }
int fmi2GetBoolean(Model *m, const unsigned *v, size_t n, int *x) { EACH x[k] = m->b[v[k] - 200]; return OK; }
int fmi2SetBoolean(Model *m, const unsigned *v, size_t n, const int *x) { EACH m->b[v[k] - 200] = x[k]; return OK; }
int fmi2GetString(Model *m, const unsigned *v, size_t n, const char **x) { EACH x[k] = m->s[v[k] - 300]; return OK; }
int fmi2SetString(Model *m, const unsigned *v, size_t n, const char *const *x) {
  EACH snprintf(m->s[v[k] - 300], sizeof m->s[0], "%s", x[k]);
  return OK;
}
int fmi2DoStep(Model *m, double time, double step, int no_going_back) {
  return step_to(m, time + step) ? DISCARD : OK;
}
int fmi2GetRealStatus(Model *m, int kind, double *value) {
  *value = m->time;
  return kind == 2 ? OK : DISCARD;
}
int fmi2GetBooleanStatus(Model *m, int kind, int *value) {
  *value = m->end;
  return kind == 3 ? OK : DISCARD;
}
#define STATE(name) fmi2##name##FMUstate

#else

const char *fmi3GetVersion(void) { return "3.0"; }
void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  uint8_t visible, uint8_t logging, uint8_t events, uint8_t early,
                                  const unsigned *v, size_t n, void *environment, void *log,
                                  void *update) {
  Model *m = calloc(1, sizeof(Model));
  start(m);
  if (resources) snprintf(m->folder, sizeof m->folder, "%s", resources);
  return m;
}
void fmi3FreeInstance(void *m) { free(m); }
int fmi3SetDebugLogging(void *m, uint8_t on, size_t n, const char *const *names) { return OK; }
int fmi3EnterInitializationMode(Model *m, uint8_t d, double t, double start, uint8_t s, double stop) {
  m->time = start;
  return OK;
}
int fmi3ExitInitializationMode(Model *m) { return initialize(m); }
int fmi3Terminate(Model *m) { return OK; }
int fmi3Reset(Model *m) {
  start(m);
  return OK;
}

/* Number of elements of a real variable; 99 is the time. */
static size_t span(unsigned v) {
#if defined STATE_SPACE
  return v >= 20 && v < 36 ? 4 : v >= 36 && v < 44 ? 2 : 1;
#else
  return 1;
#endif
}

#define REALS(type, name)                                                                   \
  int fmi3Get##name(Model *m, const unsigned *v, size_t n, type *x, size_t values) {        \
    size_t at = 0;                                                                          \
    EACH for (size_t l = 0; l < span(v[k]); l++)                                            \
      x[at++] = (type)(v[k] == 99 ? m->time : m->r[v[k] + l]);                              \
    return at == values ? OK : ERROR;                                                       \
  }                                                                                         \
  int fmi3Set##name(Model *m, const unsigned *v, size_t n, const type *x, size_t values) {  \
    size_t at = 0;                                                                          \
    EACH for (size_t l = 0; l < span(v[k]); l++) m->r[v[k] + l] = x[at++];                  \
    return at == values ? OK : ERROR;                                                       \
  }
REALS(double, Float64)
REALS(float, Float32)

#define INTEGERS(type, name)                                                                \
  int fmi3Get##name(Model *m, const unsigned *v, size_t n, type *x, size_t values) {        \
    EACH x[k] = (type)m->i[v[k] - 100];                                                     \
    return OK;                                                                              \
  }                                                                                         \
  int fmi3Set##name(Model *m, const unsigned *v, size_t n, const type *x, size_t values) {  \
    EACH m->i[v[k] - 100] = (int64_t)x[k];                                                  \
    return OK;                                                                              \
  }
INTEGERS(int8_t, Int8)
INTEGERS(uint8_t, UInt8)
INTEGERS(int16_t, Int16)
INTEGERS(uint16_t, UInt16)
INTEGERS(int32_t, Int32)
INTEGERS(uint32_t, UInt32)
INTEGERS(int64_t, Int64)
INTEGERS(uint64_t, UInt64)

int fmi3GetBoolean(Model *m, const unsigned *v, size_t n, uint8_t *x, size_t values) {
  EACH x[k] = (uint8_t)m->b[v[k] - 200];
  return OK;
}
int fmi3SetBoolean(Model *m, const unsigned *v, size_t n, const uint8_t *x, size_t values) {
  EACH m->b[v[k] - 200] = x[k];
  return OK;
}
int fmi3GetString(Model *m, const unsigned *v, size_t n, const char **x, size_t values) {
  EACH x[k] = m->s[v[k] - 300];
  return OK;
}
int fmi3SetString(Model *m, const unsigned *v, size_t n, const char *const *x, size_t values) {
  EACH snprintf(m->s[v[k] - 300], sizeof m->s[0], "%s", x[k]);
  return OK;
}
int fmi3GetBinary(Model *m, const unsigned *v, size_t n, size_t *sizes, const unsigned char **x,
                  size_t values) {
  EACH sizes[k] = m->lengths[v[k] - 400], x[k] = m->bytes[v[k] - 400];
  return OK;
}
int fmi3SetBinary(Model *m, const unsigned *v, size_t n, const size_t *sizes,
                  const unsigned char *const *x, size_t values) {
  EACH {
    if (sizes[k] > sizeof m->bytes[0]) return ERROR;
    m->lengths[v[k] - 400] = sizes[k];
    memcpy(m->bytes[v[k] - 400], x[k], sizes[k]);
  }
  return OK;
}
int fmi3DoStep(Model *m, double time, double step, uint8_t no_going_back, uint8_t *event,
               uint8_t *end, uint8_t *early, double *reached) {
  *event = *early = 0;
  *end = (uint8_t)step_to(m, time + step);
  *reached = m->time;
  return OK;
}
#define STATE(name) fmi3##name##FMUState

#endif

int STATE(Get)(Model *m, void **state) {
  if (!*state) *state = malloc(sizeof(Model));
  memcpy(*state, m, sizeof(Model));
  return OK;
}
int STATE(Set)(Model *m, const void *state) {
  memcpy(m, state, sizeof(Model));
  return OK;
}
int STATE(Free)(Model *m, void **state) {
  free(*state);
  *state = NULL;
  return OK;
}

/* What these models do not offer; some importers want every function. */
#define REFUSED(name) \
  int name(void) { return ERROR; }
#if FMI == 2
REFUSED(fmi2SerializedFMUstateSize)
REFUSED(fmi2SerializeFMUstate)
REFUSED(fmi2DeSerializeFMUstate)
REFUSED(fmi2GetDirectionalDerivative)
REFUSED(fmi2SetRealInputDerivatives)
REFUSED(fmi2GetRealOutputDerivatives)
REFUSED(fmi2CancelStep)
REFUSED(fmi2GetStatus)
REFUSED(fmi2GetIntegerStatus)
REFUSED(fmi2GetStringStatus)
#else
REFUSED(fmi3InstantiateModelExchange)
REFUSED(fmi3InstantiateScheduledExecution)
REFUSED(fmi3EnterEventMode)
REFUSED(fmi3GetClock)
REFUSED(fmi3SetClock)
REFUSED(fmi3GetNumberOfVariableDependencies)
REFUSED(fmi3GetVariableDependencies)
REFUSED(fmi3SerializedFMUStateSize)
REFUSED(fmi3SerializeFMUState)
REFUSED(fmi3DeserializeFMUState)
REFUSED(fmi3GetDirectionalDerivative)
REFUSED(fmi3GetAdjointDerivative)
REFUSED(fmi3EnterConfigurationMode)
REFUSED(fmi3ExitConfigurationMode)
REFUSED(fmi3GetIntervalDecimal)
REFUSED(fmi3GetIntervalFraction)
REFUSED(fmi3GetShiftDecimal)
REFUSED(fmi3GetShiftFraction)
REFUSED(fmi3SetIntervalDecimal)
REFUSED(fmi3SetIntervalFraction)
REFUSED(fmi3SetShiftDecimal)
REFUSED(fmi3SetShiftFraction)
REFUSED(fmi3EvaluateDiscreteStates)
REFUSED(fmi3UpdateDiscreteStates)
REFUSED(fmi3EnterContinuousTimeMode)
REFUSED(fmi3CompletedIntegratorStep)
REFUSED(fmi3SetTime)
REFUSED(fmi3SetContinuousStates)
REFUSED(fmi3GetContinuousStateDerivatives)
REFUSED(fmi3GetEventIndicators)
REFUSED(fmi3GetContinuousStates)
REFUSED(fmi3GetNominalsOfContinuousStates)
REFUSED(fmi3GetNumberOfEventIndicators)
REFUSED(fmi3GetNumberOfContinuousStates)
REFUSED(fmi3EnterStepMode)
REFUSED(fmi3GetOutputDerivatives)
REFUSED(fmi3ActivateModelPartition)
#endif
