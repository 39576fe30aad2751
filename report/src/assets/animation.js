'use strict';
// Lines that move in the plane.
softdock.kinds.animation = (node, block) => {
  const { element, shape, words } = softdock;
  const TENTHS = 1e-4; // unit of the coordinates [m]
  const LOOKS = {
    bar: { stroke: 'var(--c6)', 'stroke-width': 5, 'stroke-linecap': 'round' },
    leaf: { stroke: 'var(--c0)', 'stroke-width': 3.5, 'stroke-linecap': 'round' },
    cable: { stroke: 'var(--c1)', 'stroke-width': 1.75, 'stroke-dasharray': '6 4' },
    ghost: { stroke: 'var(--muted)', 'stroke-width': 1.25, 'stroke-dasharray': '2 3' },
  };
  const plot = element('div', { class: 'plot' });
  node.append(plot);
  const legend = element('div', { class: 'legend' });
  legend.hidden = block.loops;
  // More than two bars are told apart by colour, too.
  const bars = block.items.filter(item => item.name && item.look === 'bar');
  const lookOf = item => (bars.length > 2 && bars.includes(item) ? { ...LOOKS.bar, stroke: softdock.colour(bars.indexOf(item)) } : LOOKS[item.look]);
  for (const item of block.items) {
    if (!item.name || !LOOKS[item.look]) continue;
    const entry = element('span', { class: 'at' });
    const sample = shape('svg', { viewBox: '0 0 24 10', 'aria-hidden': 'true' });
    sample.append(shape('line', { x1: 3, x2: 21, y1: 5, y2: 5, ...lookOf(item) }));
    entry.append(sample, element('span', {}, ' ' + item.name));
    legend.append(entry);
  }

  // The box that holds every frame.
  const bounds = [Infinity, -Infinity, Infinity, -Infinity];
  for (const item of block.items) {
    for (const frame of item.frames) {
      for (let i = 0; i < frame.length; i += 2) {
        bounds[0] = Math.min(bounds[0], frame[i]);
        bounds[1] = Math.max(bounds[1], frame[i]);
        bounds[2] = Math.min(bounds[2], frame[i + 1]);
        bounds[3] = Math.max(bounds[3], frame[i + 1]);
      }
    }
  }

  let frame = 0;
  let lines = [];
  let place = null;

  const draw = () => {
    const { width, height } = plot.getBoundingClientRect();
    if (width < 40 || height < 40 || !(bounds[0] <= bounds[1])) return;
    const margin = 26;
    const scale = Math.min(
      (width - 2 * margin) / Math.max(1, bounds[1] - bounds[0]),
      (height - 2 * margin) / Math.max(1, bounds[3] - bounds[2]),
    );
    const x0 = width / 2 - scale * (bounds[0] + bounds[1]) / 2;
    const y0 = height / 2 + scale * (bounds[2] + bounds[3]) / 2;
    place = (x, y) => [x0 + scale * x, y0 - scale * y];
    const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words(node) });
    const bar = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].filter(m => m / TENTHS * scale < width / 4).pop() || 0.01;
    const right = width - 12;
    const left = right - bar / TENTHS * scale;
    svg.append(shape('path', { d: `M${left} ${height - 14}v5H${right}v-5`, fill: 'none', stroke: 'var(--muted)' }));
    svg.append(shape('text', { x: (left + right) / 2, y: height - 16, 'text-anchor': 'middle' }, `${Math.round(bar * 1000)} mm`));
    lines = block.items.map(item => {
      const line = item.look === 'ground' || item.look === 'joint'
        ? shape('g')
        : shape('path', { fill: 'none', 'stroke-linejoin': 'round', ...lookOf(item) });
      svg.append(line);
      return line;
    });
    plot.replaceChildren(svg);
    showFrame(frame);
  };

  const pivots = (item, group, points) => {
    group.replaceChildren();
    for (let i = 0; i < points.length; i += 2) {
      const [x, y] = place(points[i], points[i + 1]);
      if (item.look === 'ground') {
        group.append(shape('path', { d: `M${x} ${y}l-9 15h18z`, fill: 'var(--grid)', stroke: 'var(--muted)' }));
      }
      group.append(shape('circle', { cx: x, cy: y, r: item.look === 'ground' ? 4.5 : 3.5, fill: 'var(--page)', stroke: 'var(--c6)', 'stroke-width': 2 }));
    }
  };

  const showFrame = index => {
    frame = index;
    if (place) {
      block.items.forEach((item, k) => {
        const points = item.frames[Math.min(index, item.frames.length - 1)] || [];
        if (item.look === 'ground' || item.look === 'joint') { pivots(item, lines[k], points); return; }
        let path = '';
        for (let i = 0; i < points.length; i += 2) {
          const [x, y] = place(points[i], points[i + 1]);
          path += `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
        }
        lines[k].setAttribute('d', path);
      });
    }
    read(index);
  };

  let read = () => {};
  softdock.player(node, {
    times: block.times,
    loops: block.loops,
    show: time => showFrame(block.times.length ? softdock.nearest(block.times, time) : 0),
  });
  read = softdock.readings(node, block.readings);
  node.append(legend);
  read(0);
  softdock.onResize(plot, draw);
};
