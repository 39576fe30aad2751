'use strict';
// Distributions, named values with whiskers, and clouds of points.
softdock.kinds.histogram = (node, block) => {
  const { element, shape, readable, withUnit, onResize } = softdock;
  const plot = element('div', { class: 'plot' });
  const legend = element('div', { class: 'legend' });
  const where = element('span', { class: 'at' });
  node.append(plot, legend);
  const total = block.counts.reduce((a, b) => a + b, 0);
  if (block.left_out) legend.append(element('span', { class: 'at' }, `${block.left_out} without a value`));
  legend.append(where);
  let toPixel = null;

  const draw = () => {
    const most = Math.max(1, ...block.counts);
    const { edges } = block;
    const air = edges.length ? 0.02 * (edges[edges.length - 1] - edges[0]) : 0;
    const lines = block.lines.map(l => l.value);
    const low = Math.min(...edges, ...lines);
    const high = Math.max(...edges, ...lines);
    // The names of the lines stand above the bars.
    const head = Math.min(0.4, (15 * block.lines.length + 8) / Math.max(80, plot.clientHeight - 60));
    const made = softdock.axes(plot, {
      node,
      x: block.x,
      y: { label: block.counted, unit: '' },
      xRange: edges.length ? [low - air, high + air] : [0, 1],
      yRange: [0, most / (1 - head)],
      wholeY: true,
    });
    if (!made) return;
    const { svg } = made;
    toPixel = made.toPixel;
    block.counts.forEach((count, i) => {
      const [a, b] = [toPixel.x(edges[i]), toPixel.x(edges[i + 1])];
      const y = toPixel.y(count);
      svg.append(shape('rect', { class: 'fill', x: a + 0.75, y, width: Math.max(1, b - a - 1.5), height: Math.max(0, toPixel.bottom - y) }));
    });
    block.lines.forEach((line, i) => {
      const x = toPixel.x(line.value);
      const flip = x > (toPixel.left + toPixel.right) / 2;
      svg.append(shape('line', { class: 'level', x1: x, x2: x, y1: toPixel.top, y2: toPixel.bottom }));
      svg.append(shape('text', { class: 'halo', x: flip ? x - 5 : x + 5, y: toPixel.top + 10 + 15 * i, 'text-anchor': flip ? 'end' : 'start' }, line.label));
    });
    if (!total) svg.append(shape('text', { x: (toPixel.left + toPixel.right) / 2, y: (toPixel.top + toPixel.bottom) / 2, 'text-anchor': 'middle' }, 'no data'));
  };
  plot.addEventListener('pointermove', event => {
    if (!toPixel || !total) return;
    const value = toPixel.back(event.clientX - plot.getBoundingClientRect().left);
    const bin = block.edges.findIndex((edge, i) => value >= edge && value < block.edges[i + 1]);
    if (bin < 0) { where.textContent = ''; return; }
    const count = block.counts[bin];
    where.textContent = `${withUnit(`${readable(block.edges[bin], 4)} to ${readable(block.edges[bin + 1], 4)}`, block.x.unit)}: ${count} ${block.counted} (${readable(100 * count / total, 3)} %)`;
  });
  plot.addEventListener('pointerleave', () => { where.textContent = ''; });
  const { edges, counts } = block;
  softdock.savable(node, plot, {
    svg: () => plot.querySelector(':scope > svg'),
    csv: () => softdock.csv([[`${softdock.title(block.x)} from`, edges.slice(0, -1)], ['to', edges.slice(1)], [block.counted, counts]]),
  });
  onResize(plot, draw);
};

softdock.kinds.bars = (node, block) => {
  const { element, shape, colour, readable, onResize } = softdock;
  const plot = element('div', { class: 'plot' });
  node.append(plot);
  const rows = block.rows.length;
  const inRow = Math.max(1, block.series.length);
  plot.style.minHeight = `${Math.max(9.5, 5.5 + rows * (0.7 + 0.85 * inRow))}rem`;
  if (inRow > 1) {
    const legend = element('div', { class: 'legend' });
    block.series.forEach((name, i) => {
      const entry = element('span', { class: 'at' });
      entry.append(element('span', { class: 'swatch', style: `background: ${colour(i)}` }), element('span', {}, name));
      legend.append(entry);
    });
    node.append(legend);
  }
  const draw = () => {
    const numbers = block.rows.flatMap(r => r.values.flatMap(v => [v.value, ...(v.interval || [])])).filter(v => v !== null);
    const low = Math.min(0, ...numbers);
    const high = Math.max(0, ...numbers);
    const air = 0.04 * (high - low) || 0.5;
    const made = softdock.axes(plot, {
      node,
      x: block.x,
      y: { label: '', unit: '' },
      xRange: [low < 0 ? low - air : 0, high + 2.2 * air],
      yRange: [0, Math.max(1, rows)],
      names: block.rows.map(r => r.name),
    });
    if (!made) return;
    const { svg, toPixel } = made;
    const height = (toPixel.bottom - toPixel.top) / Math.max(1, rows);
    const room = Math.floor((toPixel.left - 10) / 6.4);
    block.rows.forEach((row, r) => {
      const middle = toPixel.top + (r + 0.5) * height;
      const short = row.name.length > room ? row.name.slice(0, Math.max(1, room - 1)) + '…' : row.name;
      const name = shape('text', { x: toPixel.left - 8, y: middle + 4, 'text-anchor': 'end' }, short);
      name.append(shape('title', {}, row.name));
      svg.append(name);
      const thick = Math.min(18, 0.72 * height / inRow);
      row.values.forEach((estimate, i) => {
        if (estimate.value === null) return;
        const y = middle + (i - (row.values.length - 1) / 2) * thick * 1.12;
        const [zero, end] = [toPixel.x(0), toPixel.x(estimate.value)];
        const bar = shape('rect', { x: Math.min(zero, end), y: y - thick / 2, width: Math.abs(end - zero), height: thick, fill: colour(i), 'fill-opacity': 0.8 });
        const span = estimate.interval && estimate.interval.every(v => v !== null) ? estimate.interval : null;
        const text = readable(estimate.value, 3) + (span ? ` (${readable(span[0], 3)} to ${readable(span[1], 3)})` : '');
        bar.append(shape('title', {}, `${row.name}, ${block.series[i] || ''}: ${text}`));
        svg.append(bar);
        if (!span) return;
        const [a, b] = span.map(toPixel.x);
        svg.append(shape('path', { class: 'whisker', d: `M${a} ${y - 4}v8m0 -4H${b}m0 -4v8` }));
      });
    });
  };
  softdock.savable(node, plot, {
    svg: () => plot.querySelector(':scope > svg'),
    csv: () => softdock.csv([
      ['name', block.rows.map(r => r.name)],
      ...Array.from({ length: inRow }, (_, i) => {
        const name = block.series[i] || softdock.title(block.x);
        const end = k => block.rows.map(r => (r.values[i] && r.values[i].interval ? r.values[i].interval[k] : null));
        return [[name, block.rows.map(r => (r.values[i] ? r.values[i].value : null))], [`${name}, low`, end(0)], [`${name}, high`, end(1)]];
      }).flat(),
    ]),
  });
  onResize(plot, draw);
};

softdock.kinds.scatter = (node, block) => {
  const { element, range, readable, withUnit, onResize } = softdock;
  const plot = element('div', { class: 'plot' });
  const canvas = element('canvas', { class: 'over', 'aria-hidden': 'true' });
  const legend = element('div', { class: 'legend' });
  const where = element('span', { class: 'at' });
  node.append(plot, legend);
  const groups = block.groups.map(g => ({ ...g, hidden: false }));
  let toPixel = null;
  let marked = null;

  // One shape per group: colour is not all that tells them apart.
  const SHAPES = [
    (c, x, y, r) => c.arc(x, y, r, 0, 7),
    (c, x, y, r) => { c.moveTo(x - r, y - r); c.lineTo(x + r, y + r); c.moveTo(x + r, y - r); c.lineTo(x - r, y + r); },
    (c, x, y, r) => { c.moveTo(x, y - 1.3 * r); c.lineTo(x + 1.2 * r, y + r); c.lineTo(x - 1.2 * r, y + r); c.closePath(); },
    (c, x, y, r) => c.rect(x - r, y - r, 2 * r, 2 * r),
  ];
  const mark = (context, index, x, y, r) => {
    const paint = getComputedStyle(node).getPropertyValue(`--c${index % 7}`).trim();
    context.beginPath();
    SHAPES[index % SHAPES.length](context, x, y, r);
    context.strokeStyle = paint;
    context.fillStyle = paint;
    context.lineWidth = 1.5;
    if (index % SHAPES.length === 1) context.stroke(); else context.fill();
  };
  groups.forEach((group, index) => {
    const button = element('button', { type: 'button', 'aria-pressed': 'true', title: 'show or hide' });
    const sample = element('canvas', { width: 20, height: 20, class: 'sample' });
    mark(sample.getContext('2d'), index, 10, 10, 6);
    const thinned = group.total > group.x.length ? `, ${group.x.length} shown` : '';
    button.append(sample, element('span', {}, `${group.name} (${group.total}${thinned})`));
    button.addEventListener('click', () => {
      group.hidden = !group.hidden;
      button.setAttribute('aria-pressed', String(!group.hidden));
      draw();
    });
    legend.append(button);
  });
  const lines = block.lines || [];
  const strokeOf = (context, line) => {
    context.strokeStyle = getComputedStyle(node).color;
    context.lineWidth = line.dashed ? 1.2 : 2.4;
    context.setLineDash(line.dashed ? [4, 3] : []);
  };
  lines.forEach(line => {
    const entry = element('span', { class: 'at' });
    const sample = element('canvas', { width: 28, height: 20, class: 'sample' });
    const context = sample.getContext('2d');
    strokeOf(context, line);
    context.beginPath();
    context.moveTo(0, 10);
    context.lineTo(28, 10);
    context.stroke();
    entry.append(sample, element('span', {}, line.name));
    legend.append(entry);
  });
  legend.append(where);

  function draw() {
    const visible = groups.filter(g => !g.hidden);
    const shown = [...visible, ...lines];
    const made = softdock.axes(plot, { node, x: block.x, y: block.y, xRange: range(shown.map(g => g.x), 0.04), yRange: range(shown.map(g => g.y), 0.06) });
    if (!made) return;
    toPixel = made.toPixel;
    plot.append(canvas);
    const fine = window.devicePixelRatio || 1;
    canvas.width = Math.round(plot.clientWidth * fine);
    canvas.height = Math.round(plot.clientHeight * fine);
    const context = canvas.getContext('2d');
    context.setTransform(fine, 0, 0, fine, 0, 0);
    const count = visible.reduce((n, g) => n + g.x.length, 0);
    const radius = count > 1500 ? 1.8 : count > 400 ? 2.4 : 3.2;
    context.globalAlpha = count > 400 ? 0.55 : 0.75;
    groups.forEach((group, index) => {
      if (group.hidden) return;
      group.x.forEach((x, i) => mark(context, index, toPixel.x(x), toPixel.y(group.y[i]), radius));
    });
    context.globalAlpha = 1;
    lines.forEach(line => {
      strokeOf(context, line);
      context.beginPath();
      let pen = false;
      line.x.forEach((x, i) => {
        const y = line.y[i];
        if (x === null || y === null) { pen = false; return; }
        if (pen) context.lineTo(toPixel.x(x), toPixel.y(y)); else context.moveTo(toPixel.x(x), toPixel.y(y));
        pen = true;
      });
      context.stroke();
    });
    context.setLineDash([]);
    if (marked) mark(context, marked.index, toPixel.x(marked.group.x[marked.i]), toPixel.y(marked.group.y[marked.i]), 6);
  }

  const find = event => {
    if (!toPixel) return null;
    const box = plot.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    groups.forEach((group, index) => {
      if (group.hidden) return;
      group.x.forEach((x, i) => {
        const d = Math.hypot(toPixel.x(x) - px, toPixel.y(group.y[i]) - py);
        if (d < 24 && (!best || d < best.d)) best = { d, group, index, i };
      });
    });
    return best;
  };
  plot.addEventListener('pointermove', event => {
    marked = find(event);
    where.textContent = '';
    const link = marked && marked.group.links[marked.i];
    plot.style.cursor = link ? 'pointer' : '';
    if (marked) {
      const { group, i } = marked;
      where.textContent = `${group.labels[i]}: ${withUnit(readable(group.x[i], 4), block.x.unit)}, ${withUnit(readable(group.y[i], 4), block.y.unit)}${link ? ' (click to open)' : ''}`;
    }
    draw();
  });
  plot.addEventListener('pointerleave', () => { marked = null; where.textContent = ''; draw(); });
  plot.addEventListener('click', event => {
    const best = find(event);
    const link = best && best.group.links[best.i];
    if (link) location.href = link;
  });
  softdock.savable(node, plot, {
    svg: () => plot.querySelector(':scope > svg'),
    over: () => canvas,
    csv: () => softdock.csv([
      ['kind', groups.flatMap(g => g.x.map(() => g.name))],
      ['run', groups.flatMap(g => g.labels)],
      [softdock.title(block.x), groups.flatMap(g => g.x)],
      [softdock.title(block.y), groups.flatMap(g => g.y)],
    ]),
  });
  softdock.onColours(draw);
  onResize(plot, draw);
};
