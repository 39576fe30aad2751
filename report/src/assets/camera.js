'use strict';
// From where scenes are seen. All scenes of a page share one direction, distance and shift, so that
// runs side by side are seen alike; each adds its own centre and size.
softdock.camera = (() => {
  const DEGREE = Math.PI / 180;
  const HALF_ANGLE = 14 * DEGREE; // half the field of view
  const VIEWS = {
    Iso: [-52, 20],
    Front: [-90, 0],
    Side: [0, 0],
    Top: [-90, 90],
  };
  const state = { azimuth: VIEWS.Iso[0] * DEGREE, elevation: VIEWS.Iso[1] * DEGREE, zoom: 1, shift: [0, 0, 0] };
  const listeners = [];
  const changed = () => { for (const listener of listeners) listener(); };
  const limited = zoom => Math.min(12, Math.max(0.3, zoom));

  const turn = (azimuth, elevation) => {
    state.azimuth += azimuth;
    state.elevation = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, state.elevation + elevation));
    changed();
  };
  const zoom = factor => { state.zoom = limited(state.zoom * factor); changed(); };

  // Unit vectors to the right, up and into the picture.
  const directions = () => {
    const [sa, ca] = [Math.sin(state.azimuth), Math.cos(state.azimuth)];
    const [se, ce] = [Math.sin(state.elevation), Math.cos(state.elevation)];
    return { right: [-sa, ca, 0], up: [-se * ca, -se * sa, ce], into: [-ce * ca, -ce * sa, -se] };
  };
  // Moves the scene by fractions of its radius, to the right and up in the picture.
  const pan = (right, up) => {
    const d = directions();
    for (let i = 0; i < 3; i++) state.shift[i] -= (right * d.right[i] + up * d.up[i]) / state.zoom;
    changed();
  };

  // Goes to a view, on the short way round; at once where motion is not wanted.
  let flight = 0;
  const go = name => {
    const token = ++flight;
    const from = { ...state, shift: [...state.shift] };
    const turns = x => Math.atan2(Math.sin(x), Math.cos(x));
    const azimuth = turns(VIEWS[name][0] * DEGREE - from.azimuth);
    const elevation = VIEWS[name][1] * DEGREE - from.elevation;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const start = performance.now();
    const step = now => {
      if (token !== flight) return;
      const part = still ? 1 : Math.min(1, Math.max(0, (now - start) / 300));
      const eased = part * part * (3 - 2 * part);
      state.azimuth = from.azimuth + eased * azimuth;
      state.elevation = from.elevation + eased * elevation;
      state.zoom = from.zoom * (1 / from.zoom) ** eased;
      state.shift = from.shift.map(s => s * (1 - eased));
      changed();
      if (part < 1) requestAnimationFrame(step);
    };
    if (still) step(start); else requestAnimationFrame(step);
  };
  const stop = () => { flight++; };

  // What takes points of the world to a picture of `width` by `height` pixels that shows the ball
  // around `centre`.
  const projection = (centre, radius, width, height) => {
    const { right, up, into } = directions();
    const distance = radius / Math.sin(HALF_ANGLE);
    const eye = [0, 1, 2].map(i => centre[i] + state.shift[i] * radius - distance * into[i]);
    const scale = state.zoom * Math.min(width, height) / 2 / Math.tan(HALF_ANGLE);
    const along = v => eye[0] * v[0] + eye[1] * v[1] + eye[2] * v[2];
    const [atRight, atUp, atInto] = [along(right), along(up), along(into)];
    // Pixel position and depth of a point, into `out` at `at`.
    const project = (x, y, z, out, at) => {
      const depth = x * into[0] + y * into[1] + z * into[2] - atInto;
      const factor = scale / depth;
      out[at] = width / 2 + factor * (x * right[0] + y * right[1] + z * right[2] - atRight);
      out[at + 1] = height / 2 - factor * (x * up[0] + y * up[1] + z * up[2] - atUp);
      out[at + 2] = depth;
    };
    return { project, right, up, into, eye, near: 0.05 * distance, pixelsPerMetre: scale / distance };
  };

  return { state, VIEWS, listeners, turn, zoom, pan, go, stop, projection };
})();
