'use strict';
// What a scene is made of, at any time, as flat pieces in the picture: faces of bodies, pieces of
// strips, lines, each with the place of its corners in the picture and one over their depth.
// `softdock.model(block)` decodes the data once; `pieces` makes the list for a time.
softdock.model = block => {
  const FINE = 1e-4; // unit of corners [m]
  const SUBDIVISIONS = 2; // pieces of a ribbon between two of its points

  // Frames are differences from the frame before; frames left out repeat the last.
  const decode = track => {
    const { width, unit, data } = track;
    const count = width ? data.length / width : 0;
    const values = new Float32Array(data.length);
    const sums = new Array(width).fill(0);
    for (let i = 0; i < data.length; i++) {
      sums[i % width] += data[i];
      values[i] = sums[i % width] * unit;
    }
    return { width, count, values, now: new Float32Array(width) };
  };
  // How much larger motion is drawn, and the frame about which.
  let factor = 1;
  let reference = 0;
  const exaggerate = (to, about) => { factor = to; reference = about; };
  // The frame at place `at`, motion made larger; `turns` where the last four numbers are a rotation.
  const sample = (track, at, turns = false) => {
    const now = plain(track, at);
    if (factor === 1 || !now || track.count < 2) return now;
    const there = [...now];
    const before = [...plain(track, reference)];
    const places = turns ? 3 : track.width;
    for (let k = 0; k < places; k++) now[k] = before[k] + factor * (there[k] - before[k]);
    if (turns) now.set(turned(before.slice(3), there.slice(3)), 3);
    return now;
  };
  // The rotation from a to b, as quaternions, `factor` times as far.
  const turned = (a, b) => {
    const product = ([w, x, y, z], [p, q, r, s]) => [
      w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r,
      w * r - x * s + y * p + z * q, w * s + x * r - y * q + z * p,
    ];
    const unit = q => { const size = Math.hypot(...q) || 1; return q.map(v => v / size); };
    const [from, to] = [unit(a), unit(b)];
    let step = product(to, [from[0], -from[1], -from[2], -from[3]]);
    if (step[0] < 0) step = step.map(v => -v);
    const sine = Math.hypot(step[1], step[2], step[3]);
    if (sine < 1e-12) return to;
    // Half a turn is enough to see that something turns.
    const half = Math.min(Math.PI / 2, factor * Math.atan2(sine, step[0]));
    const scale = Math.sin(half) / sine;
    return product([Math.cos(half), step[1] * scale, step[2] * scale, step[3] * scale], from);
  };
  // The frame at place `at` (a whole number and a fraction), interpolated.
  const plain = (track, at) => {
    const { width, count, values, now } = track;
    if (count === 0) return null;
    const i = Math.min(count - 1, Math.floor(at));
    const j = Math.min(count - 1, i + 1);
    const part = i === j ? 0 : at - Math.floor(at);
    for (let k = 0; k < width; k++) {
      const a = values[i * width + k];
      now[k] = a + part * (values[j * width + k] - a);
    }
    return now;
  };

  const bodies = block.bodies.map(body => {
    const local = Float32Array.from(body.mesh.vertices, v => v * FINE);
    return { ...body, motion: decode(body.motion), local, world: new Float32Array(local.length), view: new Float32Array(local.length) };
  });
  const strips = block.strips.map(strip => ({ ...strip, points: decode(strip.points), across: strip.across ? decode(strip.across) : null }));
  const arrows = block.arrows.map(arrow => ({ ...arrow, points: decode(arrow.points), forces: decode(arrow.forces) }));
  const largestForce = Math.max(0, ...arrows.map(a => a.largest));

  const place = (body, at) => {
    const pose = sample(body.motion, at, true);
    if (!pose) return false;
    const size = Math.hypot(pose[3], pose[4], pose[5], pose[6]) || 1;
    const [w, x, y, z] = [pose[3] / size, pose[4] / size, pose[5] / size, pose[6] / size];
    const r = [
      1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ];
    const { local, world } = body;
    for (let i = 0; i < local.length; i += 3) {
      const [a, b, c] = [local[i], local[i + 1], local[i + 2]];
      world[i] = pose[0] + r[0] * a + r[1] * b + r[2] * c;
      world[i + 1] = pose[1] + r[3] * a + r[4] * b + r[5] * c;
      world[i + 2] = pose[2] + r[6] * a + r[7] * b + r[8] * c;
    }
    return true;
  };

  // Light comes from the upper left behind the viewer; 0 is dark, 1 is full.
  const LIGHT = [-0.37, 0.62, 0.69];
  const shade = (corners, camera, towardViewer) => {
    // Normal by Newell's method, so that faces need not be exactly flat.
    let [nx, ny, nz] = [0, 0, 0];
    const n = corners.length / 3;
    for (let i = 0; i < n; i++) {
      const [a, b] = [3 * i, 3 * ((i + 1) % n)];
      nx += (corners[a + 1] - corners[b + 1]) * (corners[a + 2] + corners[b + 2]);
      ny += (corners[a + 2] - corners[b + 2]) * (corners[a] + corners[b]);
      nz += (corners[a] - corners[b]) * (corners[a + 1] + corners[b + 1]);
    }
    const size = Math.hypot(nx, ny, nz) || 1;
    const dot = v => (nx * v[0] + ny * v[1] + nz * v[2]) / size;
    let seen = [dot(camera.right), dot(camera.up), -dot(camera.into)];
    if (towardViewer && seen[2] < 0) seen = seen.map(v => -v);
    return Math.max(0, seen[0] * LIGHT[0] + seen[1] * LIGHT[1] + seen[2] * LIGHT[2]);
  };

  const addBody = (list, body, camera) => {
    const { world, view, mesh } = body;
    for (let i = 0; i < world.length; i += 3) camera.project(world[i], world[i + 1], world[i + 2], view, i);
    const corners = [];
    mesh.faces.forEach((face, index) => {
      let area = 0;
      let depth = 0;
      for (let k = 0; k < face.length; k++) {
        const [a, b] = [3 * face[k], 3 * face[(k + 1) % face.length]];
        if (view[a + 2] < camera.near) return;
        area += view[a] * view[b + 1] - view[b] * view[a + 1];
        depth += view[a + 2];
      }
      // Pixels count downward: counter-clockwise faces have a negative area.
      if (area >= 0 && !mesh.two_sided) return;
      corners.length = 0;
      const points = [];
      const inverse = [];
      for (const i of face) {
        corners.push(world[3 * i], world[3 * i + 1], world[3 * i + 2]);
        points.push(view[3 * i], view[3 * i + 1]);
        inverse.push(1 / view[3 * i + 2]);
      }
      list.push({ depth: depth / face.length, points, inverse, edges: mesh.edges[index], paint: body.paint, glass: body.glass, light: shade(corners, camera, mesh.two_sided) });
    });
  };

  // A smooth curve through points (Catmull and Rom), `now` holding three numbers each.
  const smooth = (now, count) => {
    const out = [];
    const get = (i, c) => now[3 * Math.min(count - 1, Math.max(0, i)) + c];
    for (let i = 0; i < count - 1; i++) {
      for (let s = 0; s < SUBDIVISIONS; s++) {
        const t = s / SUBDIVISIONS;
        const point = [0, 1, 2].map(c => {
          const [a, b, d, e] = [get(i - 1, c), get(i, c), get(i + 1, c), get(i + 2, c)];
          return b + 0.5 * t * (d - a + t * (2 * a - 5 * b + 4 * d - e + t * (3 * (b - d) + e - a)));
        });
        out.push(point);
      }
    }
    out.push([0, 1, 2].map(c => get(count - 1, c)));
    return out;
  };

  const addRibbon = (list, strip, camera, at) => {
    const count = strip.points.width / 3;
    const middle = smooth(sample(strip.points, at), count);
    const across = smooth(plain(strip.across, at), count);
    const half = strip.width / 2;
    const view = new Float32Array(3);
    const edges = middle.map((p, i) => [1, -1].map(sign => p.map((v, c) => v + sign * half * across[i][c])));
    const projected = edges.map(pair => pair.map(p => { camera.project(p[0], p[1], p[2], view, 0); return [...view]; }));
    for (let i = 0; i + 1 < middle.length; i++) {
      const corners = [...edges[i][0], ...edges[i + 1][0], ...edges[i + 1][1], ...edges[i][1]];
      const four = [projected[i][0], projected[i + 1][0], projected[i + 1][1], projected[i][1]];
      if (four.some(p => p[2] < camera.near)) continue;
      const last = i + 2 === middle.length;
      list.push({
        depth: four.reduce((s, p) => s + p[2], 0) / 4,
        points: four.flatMap(p => [p[0], p[1]]),
        inverse: four.map(p => 1 / p[2]),
        edges: 0b0101 | (last ? 0b0010 : 0) | (i === 0 ? 0b1000 : 0),
        paint: strip.paint,
        light: shade(corners, camera, true),
      });
    }
  };

  const addCable = (list, strip, camera, at) => {
    const now = sample(strip.points, at);
    const view = new Float32Array(3);
    let before = null;
    for (let i = 0; i < strip.points.width; i += 3) {
      camera.project(now[i], now[i + 1], now[i + 2], view, 0);
      const here = [...view];
      if (before && here[2] > camera.near && before[2] > camera.near) {
        list.push({
          depth: (before[2] + here[2]) / 2,
          points: [before[0], before[1], here[0], here[1]],
          inverse: [1 / before[2], 1 / here[2]],
          paint: strip.paint,
          line: true,
        });
      }
      before = here;
    }
  };

  // Place of a time among the frames.
  const placeOf = time => {
    const { times } = block;
    if (times.length < 2) return 0;
    let i = softdock.nearest(times, time);
    if (times[i] > time && i > 0) i--;
    if (i >= times.length - 1) return times.length - 1;
    return i + Math.min(1, Math.max(0, (time - times[i]) / (times[i + 1] - times[i] || 1)));
  };

  const pieces = (time, camera, hidden) => {
    const at = placeOf(time);
    const list = [];
    for (const body of bodies) {
      if (!hidden.has(body.name) && place(body, at)) addBody(list, body, camera);
    }
    for (const strip of strips) {
      if (hidden.has(strip.name) || strip.points.count === 0 || strip.points.width < 6) continue;
      if (strip.across && strip.across.count && strip.width > 0) addRibbon(list, strip, camera, at);
      else addCable(list, strip, camera, at);
    }
    // Glass is laid over what is behind it, from the farthest to the nearest.
    list.sort((a, b) => b.depth - a.depth);
    return list;
  };

  // Forces at a time: point, force and magnitude.
  const forces = (time, hidden) => {
    const at = placeOf(time);
    const list = [];
    for (const arrow of arrows) {
      if (hidden.has(arrow.name)) continue;
      const [point, force] = [sample(arrow.points, at), plain(arrow.forces, at)];
      if (!point || !force) continue;
      const size = Math.hypot(...force);
      if (size > 2e-3 * largestForce) list.push({ arrow, point: [...point], force: [...force], size });
    }
    return list;
  };

  // A ball around everything in some of the frames.
  const ball = () => {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const add = values => {
      for (let i = 0; i < values.length; i++) {
        low[i % 3] = Math.min(low[i % 3], values[i]);
        high[i % 3] = Math.max(high[i % 3], values[i]);
      }
    };
    const frames = Math.max(1, block.times.length);
    for (let k = 0; k <= 8; k++) {
      const at = Math.round(k / 8 * (frames - 1));
      for (const body of bodies) if (place(body, at)) add(body.world);
      for (const strip of strips) add(sample(strip.points, at) || []);
    }
    if (!(low[0] <= high[0])) return { centre: [0, 0, 0], radius: 1 };
    const centre = low.map((l, i) => (l + high[i]) / 2);
    return { centre, radius: Math.max(1e-3, Math.hypot(...low.map((l, i) => high[i] - l)) / 2) };
  };

  return { pieces, forces, ball, largestForce, placeOf, exaggerate };
};
