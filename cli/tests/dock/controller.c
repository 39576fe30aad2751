/* A controller as an FMU: every motor is a spring and a damper about where it was at the start. */

#include <math.h>
#include <stdlib.h>

enum { MOTORS = 6, OK = 0 };
/* Value references: angles from 0, rates from 6, torques from 20, parameters from 30. */
enum { RATES = 6, TORQUES = 20, STIFFNESS = 30, DAMPING = 31, FAILS_AT = 32 };

typedef struct {
  double values[33];
  double first[MOTORS];
  int begun;
} Controller;

const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const void *callbacks, int visible, int logging) {
  Controller *it = calloc(1, sizeof(Controller));
  it->values[STIFFNESS] = 20;
  it->values[DAMPING] = 0.5;
  it->values[FAILS_AT] = 1e9;
  return it;
}
void fmi2FreeInstance(void *it) { free(it); }
int fmi2SetupExperiment(void *it, int defined, double tolerance, double start, int stops, double stop) {
  return OK;
}
int fmi2EnterInitializationMode(void *it) { return OK; }
int fmi2ExitInitializationMode(void *it) { return OK; }
int fmi2Terminate(void *it) { return OK; }
int fmi2Reset(void *it) { return OK; }

int fmi2SetReal(Controller *it, const unsigned *references, size_t count, const double *values) {
  for (size_t i = 0; i < count; i++) it->values[references[i]] = values[i];
  return OK;
}
int fmi2GetReal(Controller *it, const unsigned *references, size_t count, double *values) {
  for (size_t i = 0; i < count; i++) values[i] = it->values[references[i]];
  return OK;
}

int fmi2DoStep(Controller *it, double time, double step, int no_way_back) {
  for (int i = 0; i < MOTORS; i++) {
    if (!it->begun) it->first[i] = it->values[i];
    double away = it->values[i] - it->first[i];
    it->values[TORQUES + i] = -it->values[STIFFNESS] * away - it->values[DAMPING] * it->values[RATES + i];
    if (time >= it->values[FAILS_AT]) it->values[TORQUES + i] = NAN;
  }
  it->begun = 1;
  return OK;
}

/* What importers look for and this controller does not need. */
#define UNUSED(name) int name(void) { return 3; }
UNUSED(fmi2SetDebugLogging) UNUSED(fmi2GetInteger) UNUSED(fmi2GetBoolean) UNUSED(fmi2GetString)
UNUSED(fmi2SetInteger) UNUSED(fmi2SetBoolean) UNUSED(fmi2SetString) UNUSED(fmi2GetFMUstate)
UNUSED(fmi2SetFMUstate) UNUSED(fmi2FreeFMUstate) UNUSED(fmi2SerializedFMUstateSize)
UNUSED(fmi2SerializeFMUstate) UNUSED(fmi2DeSerializeFMUstate) UNUSED(fmi2GetDirectionalDerivative)
UNUSED(fmi2SetRealInputDerivatives) UNUSED(fmi2GetRealOutputDerivatives) UNUSED(fmi2CancelStep)
UNUSED(fmi2GetStatus) UNUSED(fmi2GetRealStatus) UNUSED(fmi2GetIntegerStatus)
UNUSED(fmi2GetBooleanStatus) UNUSED(fmi2GetStringStatus)
