'use strict';
// An axis per value, a line per run. Dragging along an axis chooses the runs in that range; a click
// on the axis lets go.
softdock.kinds.parallel = (node, block) => {
  const { element, readable, withUnit, onResize } = softdock;
  const { dimensions } = block;
  const rows = dimensions.length ? dimensions[0].values.length : 0;
  const bar = element('div', { class: 'legend' });
  const chosen = element('output', { class: 'at' });
  const clear = element('button', { type: 'button' }, 'choose all');
  const scale = element('span', { class: 'at scale' });
  const scroll = element('div', { class: 'scroll' });
  const field = element('div', { class: 'parallel' });
  const canvas = element('canvas', { role: 'img', 'aria-label': softdock.words(node) });
  const names = element('div', { class: 'names' });
  const open = element('div', { class: 'legend' });
  field.style.minWidth = `${Math.max(1, dimensions.length) * 4.4}rem`;
  field.append(names, canvas);
  scroll.append(field);
  bar.append(scale, chosen, clear);
  node.append(bar, scroll, open);

  const axes = dimensions.map(dimension => {
    const [low, high] = softdock.range([dimension.values], 0);
    const label = element('div', { class: dimension.result ? 'result' : '' });
    label.append(element('span', {}, dimension.axis.label));
    if (dimension.axis.unit) label.append(element('small', {}, ` [${dimension.axis.unit}]`));
    names.append(label);
    return { ...dimension, low, high, brush: null, x: 0 };
  });
  const by = axes[block.colour_by];

  // From blue by grey to vermilion, told apart with any kind of colour vision, on light and dark.
  const STOPS = [[0, 114, 178], [86, 160, 206], [150, 158, 166], [226, 140, 74], [213, 84, 0]];
  const gradient = part => {
    const at = Math.min(0.9999, Math.max(0, part)) * (STOPS.length - 1);
    const [a, b] = [STOPS[Math.floor(at)], STOPS[Math.floor(at) + 1]];
    return a.map((v, i) => Math.round(v + (at - Math.floor(at)) * (b[i] - v)));
  };
  if (by) {
    const steps = STOPS.map((_, i) => `rgb(${gradient(i / (STOPS.length - 1)).join(',')})`);
    scale.append(
      element('span', {}, `${by.axis.label} ${readable(by.low, 3)}`),
      element('span', { class: 'ramp', style: `background: linear-gradient(to right, ${steps.join(',')})` }),
      element('span', {}, withUnit(readable(by.high, 3), by.axis.unit)),
    );
  }

  const TOP = 22;
  const BOTTOM = 24;
  let height = 0;
  let waiting = false;
  let picked = -1;
  const yOf = (axis, value) => height - BOTTOM - (value - axis.low) / (axis.high - axis.low) * (height - TOP - BOTTOM);
  const valueOf = (axis, y) => axis.low + (height - BOTTOM - y) / (height - TOP - BOTTOM) * (axis.high - axis.low);
  const passes = i => axes.every(({ brush, values }) => !brush || (values[i] !== null && values[i] >= brush[0] && values[i] <= brush[1]));

  const line = (context, i) => {
    let pen = false;
    context.beginPath();
    for (const axis of axes) {
      const value = axis.values[i];
      if (value === null) { pen = false; continue; }
      const y = yOf(axis, value);
      if (pen) context.lineTo(axis.x, y); else context.moveTo(axis.x, y);
      pen = true;
    }
    context.stroke();
  };

  const drawAxes = (context, style) => {
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'center';
    for (const axis of axes) {
      context.strokeStyle = style.getPropertyValue('--muted');
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(axis.x, TOP);
      context.lineTo(axis.x, height - BOTTOM);
      context.stroke();
      context.fillStyle = style.getPropertyValue('--muted');
      context.fillText(readable(axis.high, 3), axis.x, TOP - 8);
      context.fillText(readable(axis.low, 3), axis.x, height - BOTTOM + 16);
      if (!axis.brush) continue;
      const [a, b] = axis.brush.map(v => yOf(axis, v));
      context.fillStyle = style.getPropertyValue('--accent');
      context.globalAlpha = 0.35;
      context.fillRect(axis.x - 8, b, 16, Math.max(2, a - b));
      context.globalAlpha = 1;
      context.strokeStyle = style.getPropertyValue('--accent');
      context.strokeRect(axis.x - 8, b, 16, Math.max(2, a - b));
    }
  };

  const draw = () => {
    waiting = false;
    const width = canvas.clientWidth;
    height = canvas.clientHeight;
    if (width < 40 || height < 40) return;
    const fine = Math.min(2, window.devicePixelRatio || 1);
    canvas.width = Math.round(width * fine);
    canvas.height = Math.round(height * fine);
    axes.forEach((axis, k) => { axis.x = (k + 0.5) * width / axes.length; });
    const context = canvas.getContext('2d');
    const style = getComputedStyle(node);
    context.setTransform(fine, 0, 0, fine, 0, 0);
    context.lineWidth = rows > 500 ? 0.7 : 1.1;
    const inside = [];
    context.strokeStyle = style.getPropertyValue('--grid');
    for (let i = 0; i < rows; i++) {
      if (passes(i)) inside.push(i); else line(context, i);
    }
    // Large values last, on top.
    if (by) inside.sort((a, b) => by.values[a] - by.values[b]);
    context.globalAlpha = Math.min(0.85, Math.max(0.18, 60 / Math.max(1, inside.length)));
    for (const i of inside) {
      const value = by ? by.values[i] : null;
      const rgb = value === null ? [128, 128, 128] : gradient((value - by.low) / (by.high - by.low));
      context.strokeStyle = `rgb(${rgb.join(',')})`;
      line(context, i);
    }
    context.globalAlpha = 1;
    if (picked >= 0) {
      context.strokeStyle = style.getPropertyValue('--c1');
      context.lineWidth = 2.5;
      line(context, picked);
    }
    drawAxes(context, style);
    const thinned = block.total > rows ? ` (${block.total} runs, every ${Math.round(block.total / rows)}th drawn)` : '';
    chosen.textContent = `${inside.length} of ${rows} chosen${thinned}`;
    clear.hidden = inside.length === rows && axes.every(a => !a.brush);
  };
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(draw);
  };

  // The run whose line passes nearest to a place.
  const near = (px, py) => {
    let best = null;
    for (let i = 0; i < rows; i++) {
      if (!passes(i)) continue;
      for (let k = 0; k + 1 < axes.length; k++) {
        const [a, b] = [axes[k], axes[k + 1]];
        if (px < a.x || px > b.x || a.values[i] === null || b.values[i] === null) continue;
        const y = yOf(a, a.values[i]) + (px - a.x) / (b.x - a.x) * (yOf(b, b.values[i]) - yOf(a, a.values[i]));
        const d = Math.abs(y - py);
        if (d < 10 && (!best || d < best.d)) best = { d, i };
      }
    }
    return best ? best.i : -1;
  };
  const pick = i => {
    if (i === picked) return;
    picked = i;
    open.replaceChildren();
    if (i >= 0) {
      const link = block.links[i];
      const name = block.labels[i] || `run ${i + 1}`;
      const entry = element('span', { class: 'at' });
      entry.append(link ? element('a', { href: link }, name) : name);
      if (by) entry.append(`: ${by.axis.label} ${withUnit(readable(by.values[i], 4), by.axis.unit)}`);
      open.append(entry);
    }
    redraw();
  };

  let drag = null;
  const under = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener('pointerdown', event => {
    const [px, py] = under(event);
    const axis = axes.reduce((a, b) => (Math.abs(b.x - px) < Math.abs(a.x - px) ? b : a));
    if (Math.abs(axis.x - px) > 16) { pick(near(px, py)); return; }
    drag = { axis, from: py, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    const [px, py] = under(event);
    if (!drag) {
      const onAxis = axes.some(axis => Math.abs(axis.x - px) <= 16);
      canvas.style.cursor = onAxis ? 'ns-resize' : '';
      if (!onAxis && event.pointerType === 'mouse') pick(near(px, py));
      return;
    }
    if (Math.abs(py - drag.from) > 4) drag.moved = true;
    if (!drag.moved) return;
    const ends = [drag.from, py].map(y => Math.min(drag.axis.high, Math.max(drag.axis.low, valueOf(drag.axis, y))));
    drag.axis.brush = [Math.min(...ends), Math.max(...ends)];
    redraw();
  });
  const release = () => {
    if (drag && !drag.moved) { drag.axis.brush = null; redraw(); }
    drag = null;
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', () => { drag = null; });
  clear.addEventListener('click', () => {
    for (const axis of axes) axis.brush = null;
    pick(-1);
    redraw();
  });
  softdock.savable(node, field, {
    over: () => canvas,
    csv: () => softdock.csv([['run', block.labels], ...dimensions.map(d => [softdock.title(d.axis), d.values])]),
  });
  softdock.onColours(redraw);
  onResize(canvas, draw);
};
