'use strict';
// Curves: SVG drawn to the width there is, redrawn when it changes. Charts over time follow the
// clock; a click on one sets it.
softdock.kinds.chart = (node, block) => {
  const { element, shape, colour, range, readable, withUnit, nearest, clock } = softdock;
  const DASHES = ['', '7 3', '2 3', '9 3 2 3', '12 4', '4 2', '1 2'];
  const plot = element('div', { class: 'plot' });
  const legend = element('div', { class: 'legend' });
  node.append(plot, legend);
  const series = block.series.map(s => ({ ...s, hidden: false }));
  const levels = block.levels || [];
  const spans = block.spans || [];
  const sorted = series.every(s => s.x.every((x, i) => i === 0 || x >= s.x[i - 1]));
  const where = element('span', { class: 'at', role: 'status' });
  const empty = series.every(s => s.y.every(y => y === null));
  let toPixel = null;
  let picture = null;
  let cursor = null;
  let dots = [];

  const outputs = series.map((curve, index) => {
    const button = element('button', { type: 'button', 'aria-pressed': 'true', title: 'show or hide' });
    const sample = shape('svg', { viewBox: '0 0 24 10', 'aria-hidden': 'true' });
    sample.append(...marks(curve, index, [[1, 5], [12, 5], [23, 5]]));
    const output = element('output');
    button.append(sample, element('span', {}, curve.name), output);
    button.addEventListener('click', () => {
      curve.hidden = !curve.hidden;
      button.setAttribute('aria-pressed', String(!curve.hidden));
      draw();
    });
    legend.append(button);
    return output;
  });
  for (const label of new Set(spans.map(span => span.label))) {
    const entry = element('span', { class: 'at' });
    const sample = shape('svg', { viewBox: '0 0 24 10', 'aria-hidden': 'true' });
    sample.append(shape('rect', { class: 'span', width: 24, height: 10 }));
    entry.append(sample, element('span', {}, label));
    legend.append(entry);
  }
  legend.append(where);

  // The mark of a curve through pixel positions; null is a gap.
  function marks(curve, index, pixels) {
    const list = [];
    let path = '';
    let open = false;
    for (const pixel of pixels) {
      if (pixel) path += `${open ? 'L' : 'M'}${pixel[0].toFixed(1)} ${pixel[1].toFixed(1)}`;
      open = pixel !== null;
    }
    if (curve.mark === 'bar') return [shape('path', { d: path, class: 'bar' })];
    if (curve.mark !== 'dots') {
      list.push(shape('path', { d: path, class: 'curve', stroke: colour(index), 'stroke-dasharray': series.length > 1 ? DASHES[index % DASHES.length] : '' }));
    }
    if (curve.mark !== 'line') {
      for (const pixel of pixels) {
        if (pixel) list.push(shape('circle', { cx: pixel[0].toFixed(1), cy: pixel[1].toFixed(1), r: 2.5, fill: colour(index) }));
      }
    }
    return list;
  }

  function background(svg) {
    const { left, right, top, bottom } = toPixel;
    for (const span of spans) {
      const from = Math.max(left, toPixel.x(span.from));
      const to = Math.min(right, Math.max(toPixel.x(span.to), from + 1));
      if (to > from) svg.prepend(shape('rect', { class: 'span', x: from, y: top, width: to - from, height: bottom - top }));
    }
  }

  // Levels lie behind the curves, their names before them, at the end with more room.
  function drawLevels(svg, curves) {
    const { left, right, top, bottom } = toPixel;
    for (const level of levels) {
      const y = toPixel.y(level.value);
      if (y < top - 1 || y > bottom + 1) continue;
      svg.insertBefore(shape('line', { class: 'level', x1: left, x2: right, y1: y, y2: y }), curves);
      const room = [0, -1].map(at => Math.min(...series.filter(s => !s.hidden).map(s => {
        const value = s.y.filter(v => v !== null).at(at);
        return value === undefined ? Infinity : Math.abs(toPixel.y(value) - y);
      })));
      const atStart = room[1] < 24 && room[0] > room[1];
      svg.append(shape('text', {
        class: 'halo',
        x: atStart ? left + 4 : right - 2,
        y: y < top + 16 ? y + 14 : y - 5,
        'text-anchor': atStart ? 'start' : 'end',
      }, level.label));
    }
  }

  function draw() {
    const visible = series.filter(s => !s.hidden);
    // A level is shown unless it would squeeze the curves into less than a third of the picture.
    const own = range(visible.map(s => s.y), 0);
    const near = levels.map(l => l.value).filter(v => v >= own[0] - 2 * (own[1] - own[0]) && v <= own[1] + 2 * (own[1] - own[0]));
    const shown = view.window({ x: range(visible.map(s => s.x), block.equal ? 0.06 : 0) });
    const [from, to] = shown.x;
    // Seen from near, the vertical axis follows what there is to see.
    const seen = s => s.y.filter((_, i) => s.x[i] >= from && s.x[i] <= to);
    const lists = shown.part ? visible.map(seen) : [...visible.map(s => s.y), near];
    const made = softdock.axes(plot, {
      node,
      x: block.x,
      y: block.y,
      xRange: shown.x,
      yRange: shown.y || (shown.part ? null : block.window) || range(lists, 0.06),
      equal: block.equal,
    });
    if (!made) return;
    const { svg } = made;
    picture = svg;
    toPixel = made.toPixel;
    const { left, right, top, bottom } = toPixel;
    background(svg);
    const curves = shape('svg', { x: left, y: top, width: right - left, height: bottom - top, viewBox: `${left} ${top} ${right - left} ${bottom - top}`, overflow: block.window || shown.part ? 'hidden' : 'visible', class: 'inner' });
    svg.append(curves);
    series.forEach((curve, index) => {
      if (curve.hidden) return;
      const place = (x, i) => (x === null || curve.y[i] === null ? null : [toPixel.x(x), toPixel.y(curve.y[i])]);
      curves.append(...marks(curve, index, curve.x.map(place)));
    });
    drawLevels(svg, curves);
    if (empty) svg.append(shape('text', { x: (left + right) / 2, y: (top + bottom) / 2, 'text-anchor': 'middle' }, 'no data'));
    cursor = shape('line', { class: 'cursor', y1: top, y2: bottom, visibility: 'hidden' });
    dots = series.map((_, index) => shape('circle', { r: 4, fill: colour(index), visibility: 'hidden' }));
    svg.append(cursor, ...dots);
    if (block.over_time && clock.time !== null) readAt(clock.time);
  }

  // Shows the values of all curves at x.
  function readAt(x) {
    if (!toPixel || empty) return;
    const at = toPixel.x(x);
    const inside = at >= toPixel.left - 1 && at <= toPixel.right + 1;
    cursor.setAttribute('visibility', inside ? 'visible' : 'hidden');
    cursor.setAttribute('x1', at);
    cursor.setAttribute('x2', at);
    where.textContent = withUnit(`at ${readable(x)}`, block.x.unit);
    series.forEach((curve, index) => {
      const i = nearest(curve.x, x);
      const known = curve.x.length > 0 && curve.y[i] !== null;
      const shown = inside && !curve.hidden && curve.x.length > 0;
      const py = known ? toPixel.y(curve.y[i]) : NaN;
      const visible = shown && py >= toPixel.top - 1 && py <= toPixel.bottom + 1;
      outputs[index].textContent = shown ? readable(curve.y[i]) : '';
      dots[index].setAttribute('visibility', visible ? 'visible' : 'hidden');
      if (!visible) return;
      dots[index].setAttribute('cx', toPixel.x(curve.x[i]));
      dots[index].setAttribute('cy', py);
    });
  }

  // Shows the point nearest to a place, where x does not grow along the curves.
  function readNear(px, py) {
    let best = null;
    series.forEach((curve, index) => {
      if (curve.hidden) return;
      curve.x.forEach((x, i) => {
        if (x === null || curve.y[i] === null) return;
        const d = (toPixel.x(x) - px) ** 2 + (toPixel.y(curve.y[i]) - py) ** 2;
        if (best === null || d < best.d) best = { d, index, i };
      });
    });
    if (best === null) return;
    dots.forEach(dot => dot.setAttribute('visibility', 'hidden'));
    const { x, y, name } = series[best.index];
    dots[best.index].setAttribute('cx', toPixel.x(x[best.i]));
    dots[best.index].setAttribute('cy', toPixel.y(y[best.i]));
    dots[best.index].setAttribute('visibility', 'visible');
    where.textContent = `${name}: ${withUnit(readable(x[best.i]), block.x.unit)}, ${withUnit(readable(y[best.i]), block.y.unit)}`;
  }

  function clear() {
    if (cursor) cursor.setAttribute('visibility', 'hidden');
    dots.forEach(dot => dot.setAttribute('visibility', 'hidden'));
    outputs.forEach(output => { output.textContent = ''; });
    where.textContent = '';
    if (block.over_time && clock.time !== null) readAt(clock.time);
  }

  const under = event => {
    const box = plot.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  // The numbers of the curves that are shown: one table where they share their axis.
  function csv() {
    const visible = series.filter(s => !s.hidden);
    const same = visible.every(s => s.x.length === visible[0].x.length && s.x.every((x, i) => x === visible[0].x[i]));
    const columns = [];
    visible.forEach((s, i) => {
      if (i === 0 || !same) columns.push([softdock.title(block.x), s.x]);
      columns.push([s.name + (block.y.unit ? ` [${block.y.unit}]` : ''), s.y]);
    });
    return softdock.csv(columns);
  }
  const view = softdock.view(node, plot, {
    linked: block.over_time,
    toPixel: () => toPixel,
    redraw: draw,
    read: part => { if (toPixel && sorted) readAt(toPixel.back(toPixel.left + part * (toPixel.right - toPixel.left))); },
    svg: () => picture,
    csv,
  });
  const valueAt = px => toPixel.back(Math.min(toPixel.right, Math.max(toPixel.left, px)));
  plot.addEventListener('pointermove', event => {
    if (!toPixel) return;
    const [px, py] = under(event);
    if (!sorted) { readNear(px, py); return; }
    readAt(valueAt(px));
  });
  plot.addEventListener('pointerleave', clear);
  if (block.over_time) {
    clock.listeners.push(readAt);
    plot.addEventListener('click', event => {
      if (event.target.closest('.tools') || view.dragged()) return;
      if (toPixel && clock.players) softdock.setTime(valueAt(under(event)[0]));
    });
  }
  softdock.onResize(plot, draw);
};
