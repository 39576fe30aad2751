'use strict';
// Charts: SVG drawn to the width there is, redrawn when it changes. `softdock.show(parent, blocks)`
// makes everything; a block's kind names the function in `softdock.kinds` that draws it.
const softdock = (() => {
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const DASHES = ['', '7 3', '2 3', '9 3 2 3', '12 4', '4 2', '1 2'];
  const COLOURS = 7;
  const kinds = {};
  const clock = { time: null, listeners: [] };

  const element = (name, attributes = {}, text = null) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== null) node.textContent = text;
    return node;
  };

  const shape = (name, attributes = {}, text = null) => {
    const node = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== null) node.textContent = text;
    return node;
  };

  const colour = index => `var(--c${index % COLOURS})`;

  // Round values between low and high, about `wanted` of them.
  const ticks = (low, high, wanted) => {
    const rough = (high - low) / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(rough));
    const off = m => Math.abs(Math.log(m * power / rough));
    const step = power * [1, 2, 5, 10].reduce((a, b) => (off(b) < off(a) ? b : a));
    const list = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(k * step);
    return { list, step };
  };

  // A number as text, with the digits that `step` needs.
  const digitsFor = step => Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9)));
  const scaleOf = largest => {
    if (largest === 0 || (largest >= 1e-3 && largest < 1e5)) return 0;
    return 3 * Math.floor(Math.log10(largest) / 3 + 1e-9);
  };
  const SUPERSCRIPTS = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };
  const powerOfTen = power => '10' + String(power).split('').map(c => SUPERSCRIPTS[c]).join('');
  const minus = text => (Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−'));
  const readable = value => {
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e-3 && size < 1e5) return minus(String(Number(value.toPrecision(5))));
    const power = Math.floor(Math.log10(size) + 1e-9);
    return minus((value / 10 ** power).toFixed(3)) + '·' + powerOfTen(power);
  };
  const title = axis => axis.label + (axis.unit ? ` [${axis.unit}]` : '');

  // Lowest and highest of the visible curves, with some air.
  const range = (series, key, air) => {
    let low = Infinity;
    let high = -Infinity;
    for (const { hidden, [key]: values } of series) {
      if (hidden) continue;
      for (const value of values) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!(low <= high)) return [0, 1];
    if (high === low) {
      const half = Math.abs(low) * 0.1 || 0.5;
      return [low - half, high + half];
    }
    const margin = air * (high - low);
    return [low - margin, high + margin];
  };

  const nearest = (sorted, value) => {
    let low = 0;
    let high = sorted.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (sorted[middle] <= value) low = middle; else high = middle;
    }
    return value - sorted[low] <= sorted[high] - value ? low : high;
  };

  const section = (parent, block) => {
    const node = element('section');
    node.append(element('h2', {}, block.title), element('p', {}, block.sentence));
    parent.append(node);
    return node;
  };

  const onResize = (node, draw) => {
    let width = 0;
    let height = 0;
    new ResizeObserver(() => {
      const box = node.getBoundingClientRect();
      if (Math.abs(box.width - width) < 1 && Math.abs(box.height - height) < 1) return;
      width = box.width;
      height = box.height;
      draw();
    }).observe(node);
  };

  kinds.chart = (parent, block) => {
    const node = section(parent, block);
    if (block.equal) node.classList.add('tall');
    const plot = element('div', { class: 'plot' });
    const legend = element('div', { class: 'legend' });
    node.append(plot, legend);
    const series = block.series.map(s => ({ ...s, hidden: false }));
    const sorted = series.every(s => s.x.every((x, i) => i === 0 || x >= s.x[i - 1]));
    const where = element('span', { class: 'at' });
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
    legend.append(where);
    let toPixel = null;
    let cursor = null;
    let dots = [];

    // The mark of a curve through pixel positions.
    function marks(curve, index, pixels) {
      const list = [];
      const path = pixels.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
      if (curve.mark === 'bar') return [shape('path', { d: path, class: 'bar' })];
      if (curve.mark !== 'dots') {
        list.push(shape('path', { d: path, class: 'curve', stroke: colour(index), 'stroke-dasharray': series.length > 1 ? DASHES[index % DASHES.length] : '' }));
      }
      if (curve.mark !== 'line') {
        for (const [x, y] of pixels) list.push(shape('circle', { cx: x.toFixed(1), cy: y.toFixed(1), r: 2.5, fill: colour(index) }));
      }
      return list;
    }

    function draw() {
      const { width, height } = plot.getBoundingClientRect();
      if (width < 40 || height < 40) return;
      let [x0, x1] = range(series, 'x', block.equal ? 0.06 : 0);
      let [y0, y1] = block.window || range(series, 'y', 0.06);
      const yPower = scaleOf(Math.max(Math.abs(y0), Math.abs(y1)));
      const factor = 10 ** yPower;
      const top = 26;
      const bottom = height - 36;
      const yTicks = ticks(y0 / factor, y1 / factor, (bottom - top) / 42);
      const labels = yTicks.list.map(v => minus(v.toFixed(digitsFor(yTicks.step))));
      const left = Math.max(30, 12 + 7 * Math.max(0, ...labels.map(t => t.length)));
      const right = width - 14;
      if (block.equal) {
        const perPixel = Math.max((x1 - x0) / (right - left), (y1 - y0) / (bottom - top));
        const [xm, ym] = [(x0 + x1) / 2, (y0 + y1) / 2];
        [x0, x1] = [xm - perPixel * (right - left) / 2, xm + perPixel * (right - left) / 2];
        [y0, y1] = [ym - perPixel * (bottom - top) / 2, ym + perPixel * (bottom - top) / 2];
      }
      toPixel = {
        x: v => left + (v - x0) / (x1 - x0) * (right - left),
        y: v => bottom - (v - y0) / (y1 - y0) * (bottom - top),
        back: p => x0 + (p - left) / (right - left) * (x1 - x0),
        backY: p => y0 + (bottom - p) / (bottom - top) * (y1 - y0),
        left, right, top, bottom,
      };
      const svg = shape('svg', { role: 'img', 'aria-label': `${block.title}. ${block.sentence}` });
      const xPower = scaleOf(Math.max(Math.abs(x0), Math.abs(x1)));
      const xTicks = ticks(x0 / 10 ** xPower, x1 / 10 ** xPower, (right - left) / 80);
      for (const value of xTicks.list) {
        const x = toPixel.x(value * 10 ** xPower);
        svg.append(shape('line', { class: 'grid', x1: x, x2: x, y1: top, y2: bottom }));
        svg.append(shape('text', { x, y: bottom + 16, 'text-anchor': 'middle' }, minus(value.toFixed(digitsFor(xTicks.step)))));
      }
      const shown = block.equal ? ticks(y0, y1, (bottom - top) / 42) : yTicks;
      for (const value of shown.list) {
        const y = toPixel.y(value * factor);
        svg.append(shape('line', { class: value === 0 ? 'zero' : 'grid', x1: left, x2: right, y1: y, y2: y }));
        svg.append(shape('text', { x: left - 6, y: y + 4, 'text-anchor': 'end' }, minus(value.toFixed(digitsFor(shown.step)))));
      }
      svg.append(shape('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }));
      const withPower = (axis, power) => (power ? `${axis.label} [${powerOfTen(power)} ${axis.unit}]` : title(axis));
      svg.append(shape('text', { x: right, y: height - 4, 'text-anchor': 'end' }, withPower(block.x, xPower)));
      svg.append(shape('text', { x: 2, y: 12 }, withPower(block.y, yPower)));
      const curves = shape('svg', { x: left, y: top, width: right - left, height: bottom - top, viewBox: `${left} ${top} ${right - left} ${bottom - top}`, overflow: block.window ? 'hidden' : 'visible', class: 'inner' });
      svg.append(curves);
      series.forEach((curve, index) => {
        if (curve.hidden) return;
        curves.append(...marks(curve, index, curve.x.map((x, i) => [toPixel.x(x), toPixel.y(curve.y[i])])));
      });
      cursor = shape('line', { class: 'cursor', y1: top, y2: bottom, visibility: 'hidden' });
      dots = series.map((_, index) => shape('circle', { r: 4, fill: colour(index), visibility: 'hidden' }));
      svg.append(cursor, ...dots);
      plot.replaceChildren(svg);
      if (block.over_time && clock.time !== null) readAt(clock.time);
    }

    // Shows the values of all curves at x.
    function readAt(x) {
      if (!toPixel) return;
      const at = toPixel.x(x);
      const inside = at >= toPixel.left - 1 && at <= toPixel.right + 1;
      cursor.setAttribute('visibility', inside ? 'visible' : 'hidden');
      cursor.setAttribute('x1', at);
      cursor.setAttribute('x2', at);
      where.textContent = `at ${readable(x)} ${block.x.unit}`;
      series.forEach((curve, index) => {
        const i = nearest(curve.x, x);
        const shown = inside && !curve.hidden && curve.x.length > 0;
        const py = toPixel.y(curve.y[i]);
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
      where.textContent = `${name}: ${readable(x[best.i])} ${block.x.unit}, ${readable(y[best.i])} ${block.y.unit}`;
    }

    function clear() {
      if (cursor) cursor.setAttribute('visibility', 'hidden');
      dots.forEach(dot => dot.setAttribute('visibility', 'hidden'));
      outputs.forEach(output => { output.textContent = ''; });
      where.textContent = '';
      if (block.over_time && clock.time !== null) readAt(clock.time);
    }

    plot.addEventListener('pointermove', event => {
      if (!toPixel) return;
      const box = plot.getBoundingClientRect();
      const [px, py] = [event.clientX - box.left, event.clientY - box.top];
      if (!sorted) { readNear(px, py); return; }
      readAt(toPixel.back(Math.min(toPixel.right, Math.max(toPixel.left, px))));
    });
    plot.addEventListener('pointerleave', clear);
    if (block.over_time) clock.listeners.push(readAt);
    onResize(plot, draw);
  };

  // Tells every chart over time and every other animation where an animation is.
  const setTime = time => {
    clock.time = time;
    for (const listener of clock.listeners) listener(time);
  };

  const show = (parent, blocks) => {
    for (const block of blocks) kinds[block.kind](parent, block);
  };

  return { show, kinds, clock, setTime, nearest, section, element, shape, onResize, minus };
})();
