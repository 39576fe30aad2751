'use strict';
// Pieces of a scene in a picture of pixels that knows the depth of each: what is nearer hides what is
// behind it, whatever the order, also where bodies reach into each other. `1/depth` is linear over the
// picture, so it is what is kept and compared; more is nearer.
softdock.raster = () => {
  const BIAS = 1.001; // edges lie before the faces that they belong to
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  let [width, height] = [0, 0];
  let image = null;
  let pixels = null;
  let near = null;

  const begin = (w, h) => {
    if (w !== width || h !== height) {
      [width, height] = [w, h];
      canvas.width = w;
      canvas.height = h;
      image = context.createImageData(w, h);
      pixels = new Uint32Array(image.data.buffer);
      near = new Float32Array(w * h);
    }
    pixels.fill(0);
    near.fill(0);
  };

  // A colour as the bytes of a pixel lie in memory.
  const BYTES = new Uint8Array(4);
  const WORD = new Uint32Array(BYTES.buffer);
  const pack = ([r, g, b], alpha = 255) => { BYTES.set([r, g, b, alpha]); return WORD[0]; };

  // A colour through glass: over what is there.
  const blend = (i, [r, g, b], alpha) => {
    const at = 4 * i;
    const { data } = image;
    const before = data[at + 3] / 255;
    const whole = alpha + before * (1 - alpha);
    const mix = (own, old) => (own * alpha + old * before * (1 - alpha)) / whole;
    data[at] = mix(r, data[at]);
    data[at + 1] = mix(g, data[at + 1]);
    data[at + 2] = mix(b, data[at + 2]);
    data[at + 3] = 255 * whole;
  };

  // Pixels whose centre lies inside; triangles that share an edge leave no gap and no pixel twice.
  const triangle = (x0, y0, w0, x1, y1, w1, x2, y2, w2, colour, glass) => {
    const area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    if (Math.abs(area) < 1e-9) return;
    const across = ((w1 - w0) * (y2 - y0) - (w2 - w0) * (y1 - y0)) / area;
    const down = ((x1 - x0) * (w2 - w0) - (x2 - x0) * (w1 - w0)) / area;
    const most = Math.max(w0, w1, w2);
    const first = Math.max(0, Math.ceil(Math.min(y0, y1, y2) - 0.5));
    const last = Math.min(height - 1, Math.ceil(Math.max(y0, y1, y2) - 0.5) - 1);
    for (let row = first; row <= last; row++) {
      const y = row + 0.5;
      let low = Infinity;
      let high = -Infinity;
      const cut = (xa, ya, xb, yb) => {
        if (ya <= y === yb <= y) return;
        const x = xa + (y - ya) / (yb - ya) * (xb - xa);
        if (x < low) low = x;
        if (x > high) high = x;
      };
      cut(x0, y0, x1, y1);
      cut(x1, y1, x2, y2);
      cut(x2, y2, x0, y0);
      const from = Math.max(0, Math.ceil(low - 0.5));
      const to = Math.min(width, Math.ceil(high - 0.5));
      let w = w0 + across * (from + 0.5 - x0) + down * (y - y0);
      for (let i = row * width + from; i < row * width + to; i++, w += across) {
        // Slivers may reach beyond their corners by rounding.
        const here = w < most ? w : most;
        if (here <= near[i]) continue;
        if (glass) { blend(i, glass, 0.2); continue; }
        near[i] = here;
        pixels[i] = colour;
      }
    }
  };

  // `points` are x, y and `inverse` 1/depth of the corners of a convex face.
  const face = (points, inverse, scale, colour, glass = null) => {
    for (let k = 1; k + 1 < inverse.length; k++) {
      triangle(
        scale * points[0], scale * points[1], inverse[0],
        scale * points[2 * k], scale * points[2 * k + 1], inverse[k],
        scale * points[2 * k + 2], scale * points[2 * k + 3], inverse[k + 1],
        colour, glass,
      );
    }
  };
  const line = (points, inverse, a, b, scale, thick, colour) => {
    const [xa, ya, xb, yb] = [points[2 * a], points[2 * a + 1], points[2 * b], points[2 * b + 1]];
    const size = Math.hypot(xb - xa, yb - ya) || 1;
    const [dx, dy] = [-(yb - ya) / size * thick / 2, (xb - xa) / size * thick / 2];
    const [wa, wb] = [BIAS * inverse[a], BIAS * inverse[b]];
    face([xa + dx, ya + dy, xb + dx, yb + dy, xb - dx, yb - dy, xa - dx, ya - dy], [wa, wb, wb, wa], scale, colour);
  };

  const end = () => { context.putImageData(image, 0, 0); return canvas; };
  return { begin, face, line, pack, end };
};
