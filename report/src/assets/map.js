'use strict';
// A value over two inputs: a coloured cell for each pair, with a mark that says what became of it.
softdock.kinds.map = (node, block) => {
  const { element, shape, readable, withUnit, title, onResize } = softdock;
  const plot = element('div', { class: 'plot' });
  const legend = element('div', { class: 'legend' });
  const where = element('span', { class: 'at', role: 'status' });
  node.append(plot, legend);
  const { xs, ys, values, marks, kinds } = block;
  const known = values.filter(v => v !== null);
  const low = Math.min(...known);
  const high = Math.max(...known);

  // Dark is much; read in grey, too.
  const STOPS = [[240, 244, 248], [158, 202, 225], [66, 146, 198], [8, 81, 156], [8, 38, 92]];
  const partOf = value => (high > low ? (value - low) / (high - low) : 0.5);
  const colourAt = part => {
    const at = Math.min(0.9999, Math.max(0, part)) * (STOPS.length - 1);
    const [a, b] = [STOPS[Math.floor(at)], STOPS[Math.floor(at) + 1]];
    return a.map((v, i) => Math.round(v + (at - Math.floor(at)) * (b[i] - v)));
  };
  // Shapes tell the marks apart, not colours.
  const MARKS = [
    (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
    (x, y, r) => `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`,
    (x, y, r) => `M${x} ${y - r}L${x + r} ${y + r}H${x - r}Z`,
    (x, y, r) => `M${x - r} ${y}H${x + r}`,
    (x, y, r) => `M${x - r} ${y - r}H${x + r}V${y + r}H${x - r}Z`,
    (x, y, r) => `M${x - r} ${y}H${x + r}M${x} ${y - r}V${y + r}`,
  ];
  const mark = (kind, x, y, r, ink) => shape('path', { d: MARKS[kind % MARKS.length](x, y, r), fill: 'none', style: `stroke: ${ink}`, 'stroke-width': 1.8, 'stroke-linejoin': 'round' });

  kinds.forEach((name, kind) => {
    const count = marks.filter(m => m === kind).length;
    const entry = element('span', { class: 'at' });
    const sample = shape('svg', { viewBox: '0 0 24 10', 'aria-hidden': 'true' });
    sample.append(mark(kind, 12, 5, 3.8, 'var(--text)'));
    entry.append(sample, element('span', {}, `${name} (${count})`));
    legend.append(entry);
  });
  if (known.length) {
    const scale = element('span', { class: 'at' });
    const steps = STOPS.map((_, i) => `rgb(${colourAt(i / (STOPS.length - 1)).join(',')})`);
    scale.append(
      element('span', {}, `${block.value.label} ${readable(low, 3)}`),
      element('span', { class: 'ramp', style: `background: linear-gradient(to right, ${steps.join(',')})` }),
      element('span', {}, withUnit(readable(high, 3), block.value.unit)),
    );
    legend.append(scale);
  }
  legend.append(where);

  // Borders of the cells: half way to the neighbours.
  const borders = list => {
    const step = list.length > 1 ? list[1] - list[0] : Math.abs(list[0]) * 0.2 || 1;
    const inner = list.slice(1).map((v, i) => (v + list[i]) / 2);
    const end = list.length > 1 ? list[list.length - 1] - list[list.length - 2] : step;
    return [list[0] - step / 2, ...inner, list[list.length - 1] + end / 2];
  };
  const [bx, by] = [borders(xs), borders(ys)];
  const span = list => [Math.min(...list), Math.max(...list)];
  let toPixel = null;

  const draw = () => {
    const made = softdock.axes(plot, { node, x: block.x, y: block.y, xRange: span(bx), yRange: span(by), xAt: xs, yAt: ys });
    if (!made) return;
    const { svg } = made;
    toPixel = made.toPixel;
    ys.forEach((_, j) => xs.forEach((_, i) => {
      const [x0, x1] = span([toPixel.x(bx[i]), toPixel.x(bx[i + 1])]);
      const [y0, y1] = span([toPixel.y(by[j]), toPixel.y(by[j + 1])]);
      const at = j * xs.length + i;
      const value = values[at];
      const dark = value !== null && partOf(value) > 0.45;
      const ink = value === null ? 'var(--text)' : dark ? '#ffffff' : '#10263d';
      const fill = value === null ? 'none' : `rgb(${colourAt(partOf(value)).join(',')})`;
      svg.append(shape('rect', { x: x0 + 0.5, y: y0 + 0.5, width: Math.max(1, x1 - x0 - 1), height: Math.max(1, y1 - y0 - 1), style: `fill: ${fill}; stroke: var(--grid)` }));
      const room = Math.min(x1 - x0, y1 - y0);
      const text = value !== null && x1 - x0 > 44 && y1 - y0 > 34;
      const middle = (x0 + x1) / 2;
      if (marks[at] !== null && room > 7) svg.append(mark(marks[at], middle, (y0 + y1) / 2 - (text ? 8 : 0), Math.min(6, room / 4), ink));
      if (text) svg.append(shape('text', { x: middle, y: (y0 + y1) / 2 + 13, 'text-anchor': 'middle', style: `fill: ${ink}` }, readable(value, 3)));
    }));
  };
  const inside = (list, value) => list.slice(1).findIndex((end, i) => (value - list[i]) * (value - end) <= 0);
  plot.addEventListener('pointermove', event => {
    if (!toPixel) return;
    const box = plot.getBoundingClientRect();
    const i = inside(bx, toPixel.back(event.clientX - box.left));
    const j = inside(by, toPixel.backY(event.clientY - box.top));
    if (i < 0 || j < 0) { where.textContent = ''; return; }
    const at = j * xs.length + i;
    const what = marks[at] === null ? 'not run' : kinds[marks[at]];
    where.textContent = `${withUnit(readable(xs[i]), block.x.unit)}, ${withUnit(readable(ys[j]), block.y.unit)}: ${withUnit(readable(values[at], 4), block.value.unit)}, ${what}`;
  });
  plot.addEventListener('pointerleave', () => { where.textContent = ''; });
  const each = of => ys.flatMap((_, j) => xs.map((_, i) => of(i, j)));
  softdock.savable(node, plot, {
    svg: () => plot.querySelector(':scope > svg'),
    csv: () => softdock.csv([
      [title(block.x), each(i => xs[i])],
      [title(block.y), each((_, j) => ys[j])],
      [title(block.value), values],
      ['outcome', marks.map(m => (m === null ? null : kinds[m]))],
    ]),
  });
  onResize(plot, draw);
};
