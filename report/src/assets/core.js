'use strict';
// What all blocks share: elements, numbers as text, axes, the clock. `softdock.show()` draws every
// block into its section; a block's kind names the function in `softdock.kinds` that does it.
// A value that is null is unknown: it is left out, never taken for zero.
const softdock = (() => {
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const COLOURS = 7;
  const kinds = {};
  const clock = { time: null, player: null, listeners: [] };

  const fill = (node, attributes, text) => {
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== null) node.textContent = text;
    return node;
  };
  const element = (name, attributes = {}, text = null) => fill(document.createElement(name), attributes, text);
  const shape = (name, attributes = {}, text = null) => fill(document.createElementNS(NAMESPACE, name), attributes, text);

  const colour = index => `var(--c${index % COLOURS})`;

  // Round values between low and high, about `wanted` of them.
  const ticks = (low, high, wanted, whole = false) => {
    const rough = (high - low) / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(rough));
    const off = m => Math.abs(Math.log(m * power / rough));
    let step = power * [1, 2, 5, 10].reduce((a, b) => (off(b) < off(a) ? b : a));
    if (whole) step = Math.max(1, step);
    const list = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(k * step);
    return { list, step };
  };

  // Some of the values of `list`, at most `most`, and the step that has the digits of all of them.
  const ticksAt = (list, factor, most) => {
    const every = Math.max(1, Math.ceil(list.length / Math.max(1, most)));
    const shown = list.filter((_, i) => i % every === 0).map(v => v / factor);
    let step = 1;
    while (step > 1e-6 && shown.some(v => Math.abs(v / step - Math.round(v / step)) > 1e-6)) step /= 10;
    return { list: shown, step };
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
  const readable = (value, digits = 5) => {
    if (value === null || value === undefined) return '–';
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e-3 && size < 1e5) return minus(String(Number(value.toPrecision(digits))));
    const power = Math.floor(Math.log10(size) + 1e-9);
    return minus((value / 10 ** power).toFixed(Math.min(3, digits - 1))) + '·' + powerOfTen(power);
  };
  const title = axis => axis.label + (axis.unit ? ` [${axis.unit}]` : '');
  const withUnit = (text, unit) => (unit ? `${text} ${unit}` : text);

  // Lowest and highest of lists of values, with some air.
  const range = (lists, air) => {
    let low = Infinity;
    let high = -Infinity;
    for (const values of lists) {
      for (const value of values) {
        if (value === null) continue;
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

  // What a picture in `node` shows, in words.
  const words = node => {
    const heading = node.querySelector('h2, h3');
    const sentence = node.querySelector('p');
    return [heading, sentence].filter(Boolean).map(n => n.textContent).join('. ');
  };

  const drawn = [];
  const onResize = (node, draw) => {
    drawn.push(draw);
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

  // Pictures are drawn for the width of the paper before it is printed, and for the window afterwards.
  const onPaper = on => () => {
    document.documentElement.classList.toggle('paper', on);
    for (const draw of drawn) draw();
  };
  addEventListener('beforeprint', onPaper(true));
  addEventListener('afterprint', onPaper(false));

  // Calls back when colours change: dark instead of light, or the page being printed.
  const onColours = draw => {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
    matchMedia('print').addEventListener('change', draw);
  };

  // An empty plot: an SVG with grid, ticks and titles, and what takes values to pixels. Null if
  // there is no room. `names` are texts for the vertical axis instead of numbers; `xAt` and `yAt` are
  // the only values that have a tick.
  const axes = (plot, { node, x, y, xRange, yRange, equal = false, wholeY = false, names = null, xAt = null, yAt = null }) => {
    const { width, height } = plot.getBoundingClientRect();
    if (width < 40 || height < 40) return null;
    let [x0, x1] = xRange;
    let [y0, y1] = yRange;
    const yPower = names ? 0 : scaleOf(Math.max(Math.abs(y0), Math.abs(y1)));
    const factor = 10 ** yPower;
    // Room for the title of the vertical axis and for the buttons that lie beside it.
    const top = names ? 30 : 26;
    const bottom = height - 36;
    const right = width - 14;
    const yTicks = yAt ? ticksAt(yAt, factor, (bottom - top) / 16) : ticks(y0 / factor, y1 / factor, (bottom - top) / 42, wholeY);
    const longest = names
      ? Math.min(0.42 * width, 10 + 6.6 * Math.max(0, ...names.map(t => t.length)))
      : 12 + 7 * Math.max(0, ...yTicks.list.map(v => v.toFixed(digitsFor(yTicks.step)).length));
    const left = Math.max(30, longest);
    if (equal) {
      const perPixel = Math.max((x1 - x0) / (right - left), (y1 - y0) / (bottom - top));
      const [xm, ym] = [(x0 + x1) / 2, (y0 + y1) / 2];
      [x0, x1] = [xm - perPixel * (right - left) / 2, xm + perPixel * (right - left) / 2];
      [y0, y1] = [ym - perPixel * (bottom - top) / 2, ym + perPixel * (bottom - top) / 2];
    }
    const toPixel = {
      x: v => left + (v - x0) / (x1 - x0) * (right - left),
      y: v => bottom - (v - y0) / (y1 - y0) * (bottom - top),
      back: p => x0 + (p - left) / (right - left) * (x1 - x0),
      backY: p => y0 + (bottom - p) / (bottom - top) * (y1 - y0),
      left, right, top, bottom,
    };
    // On paper it is scaled to the room there is.
    const svg = shape('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words(node) });
    const xPower = scaleOf(Math.max(Math.abs(x0), Math.abs(x1)));
    const xTicks = xAt ? ticksAt(xAt, 10 ** xPower, (right - left) / 48) : ticks(x0 / 10 ** xPower, x1 / 10 ** xPower, (right - left) / 80);
    for (const value of xTicks.list) {
      const at = toPixel.x(value * 10 ** xPower);
      const name = names && value === 0 ? 'zero' : 'grid';
      svg.append(shape('line', { class: name, x1: at, x2: at, y1: top, y2: bottom }));
      svg.append(shape('text', { x: at, y: bottom + 16, 'text-anchor': 'middle' }, minus(value.toFixed(digitsFor(xTicks.step)))));
    }
    const shown = equal ? ticks(y0 / factor, y1 / factor, (bottom - top) / 42) : yTicks;
    for (const value of names ? [] : shown.list) {
      const at = toPixel.y(value * factor);
      svg.append(shape('line', { class: value === 0 ? 'zero' : 'grid', x1: left, x2: right, y1: at, y2: at }));
      svg.append(shape('text', { x: left - 6, y: at + 4, 'text-anchor': 'end' }, minus(value.toFixed(digitsFor(shown.step)))));
    }
    svg.append(shape('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }));
    const withPower = (axis, power) => (power ? `${axis.label} [${powerOfTen(power)}${axis.unit ? ' ' + axis.unit : ''}]` : title(axis));
    svg.append(shape('text', { x: right, y: height - 4, 'text-anchor': 'end' }, withPower(x, xPower)));
    if (!names) svg.append(shape('text', { x: 2, y: 12 }, withPower(y, yPower)));
    const before = plot.querySelector(':scope > svg');
    if (before) before.replaceWith(svg); else plot.prepend(svg);
    return { svg, toPixel };
  };

  // Tells every chart over time and every other animation where an animation is.
  const setTime = time => {
    clock.time = time;
    for (const listener of clock.listeners) listener(time);
  };

  const show = () => {
    const blocks = JSON.parse(document.getElementById('data').textContent);
    for (const node of document.querySelectorAll('[data-block]')) {
      const block = blocks[Number(node.dataset.block)];
      kinds[block.kind](node, block);
    }
    offerData();
  };

  // The numbers behind all pictures, for those who want to go on with them.
  const offerData = () => {
    const footer = document.querySelector('footer');
    if (!footer || !softdock.download) return;
    const button = element('button', { type: 'button', class: 'save' }, 'Save the data of this page (JSON)');
    button.addEventListener('click', () => softdock.download('data.json', 'application/json', document.getElementById('data').textContent));
    footer.append(' ', button);
  };

  return {
    show, kinds, clock, setTime, nearest, words, element, shape, onResize, onColours, minus, colour,
    ticks, digitsFor, readable, title, withUnit, range, axes,
  };
})();
