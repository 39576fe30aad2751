'use strict';
// What a chart lets people do with it: zoom (drag, wheel, keys, buttons), pan, reset, save as picture
// or table. Charts over time share one window, so that all of them show the same seconds.
// `softdock.view(node, plot, chart)` gives `window()`, the part that is shown: [low, high] or null for
// all of it. `chart` tells `toPixel()`, `redraw()`, `read(fraction)`, `svg()`, `csv()` and `linked`.
softdock.view = (node, plot, chart) => {
  const { element, shape, clock } = softdock;
  const SMALLEST = 1e-9; // part of the whole that can be looked at
  const own = { x: null, y: null };
  clock.windows = clock.windows || [];
  let whole = null;
  let drag = null;
  let box = null;

  const shown = () => ({ x: chart.linked ? clock.window || null : own.x, y: own.y });
  const setX = to => {
    if (chart.linked) {
      clock.window = to;
      for (const listener of clock.windows) listener();
    } else {
      own.x = to;
      chart.redraw();
    }
  };
  const reset = () => { own.y = null; setX(null); chart.redraw(); };
  const inside = ([low, high], [from, to]) => {
    const size = Math.min(high - low, to - from);
    if (!(size > SMALLEST * (to - from))) return null;
    const start = Math.min(to - size, Math.max(from, low));
    return size >= (to - from) * (1 - 1e-9) ? null : [start, start + size];
  };
  const current = () => shown().x || whole.x;
  // Zooms by `factor` about the place `part` (0 left, 1 right) of what is shown.
  const zoom = (factor, part = 0.5) => {
    const [low, high] = current();
    const size = (high - low) / factor;
    const at = low + part * (high - low);
    const to = [at - part * size, at + (1 - part) * size];
    if (size > SMALLEST * (whole.x[1] - whole.x[0])) setX(inside(to, whole.x));
  };
  const pan = part => {
    const [low, high] = current();
    const by = part * (high - low);
    setX(inside([low + by, high + by], whole.x));
  };

  // Buttons.
  const tools = element('div', { class: 'tools', role: 'group', 'aria-label': 'zoom and save' });
  const button = (text, label, act) => {
    const made = element('button', { type: 'button', title: label, 'aria-label': label }, text);
    made.addEventListener('click', event => { event.stopPropagation(); act(); });
    tools.append(made);
    return made;
  };
  button('+', 'zoom in', () => zoom(1.6));
  button('−', 'zoom out', () => zoom(1 / 1.6));
  const back = button('⟲', 'show everything', reset);
  softdock.savers(node, tools, chart);
  plot.append(tools);

  // Keys: a chart is chosen like a button.
  const words = softdock.words(node);
  for (const [key, value] of Object.entries({ tabindex: 0, role: 'group', 'aria-label': `${words} Plus and minus zoom, Shift with arrow keys moves, 0 shows everything, arrow keys read values.` })) plot.setAttribute(key, value);
  let reading = 0.5;
  const KEYS = {
    '+': () => zoom(1.6),
    '=': () => zoom(1.6),
    '-': () => zoom(1 / 1.6),
    0: reset,
    Escape: reset,
    'Shift+ArrowLeft': () => pan(-0.2),
    'Shift+ArrowRight': () => pan(0.2),
    ArrowLeft: () => { reading = Math.max(0, reading - 0.01); chart.read(reading); },
    ArrowRight: () => { reading = Math.min(1, reading + 0.01); chart.read(reading); },
  };
  plot.addEventListener('keydown', event => {
    if (event.target !== plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = KEYS[(event.shiftKey && event.key.startsWith('Arrow') ? 'Shift+' : '') + event.key];
    if (!act || !whole) return;
    event.preventDefault();
    act();
  });

  // The wheel belongs to the page until the chart has been chosen.
  plot.addEventListener('wheel', event => {
    const pixel = chart.toPixel();
    if (!pixel || (document.activeElement !== plot && !event.ctrlKey && !event.metaKey)) return;
    event.preventDefault();
    const at = (event.clientX - plot.getBoundingClientRect().left - pixel.left) / (pixel.right - pixel.left);
    zoom(Math.exp(-0.0015 * event.deltaY), Math.min(1, Math.max(0, at)));
  }, { passive: false });

  // Dragging marks what is to be seen; with Shift or the middle button it moves.
  const under = event => {
    const frame = plot.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  };
  plot.addEventListener('pointerdown', event => {
    const pixel = chart.toPixel();
    if (!pixel || event.pointerType === 'touch' || (event.button !== 0 && event.button !== 1) || event.target.closest('.tools')) return;
    const [x, y] = under(event);
    drag = { x, y, to: [x, y], pan: event.shiftKey || event.button === 1, from: current(), moved: false };
    if (event.button === 1) event.preventDefault();
  });
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const corners = pixel => {
    const xs = [drag.x, drag.to[0]].map(v => clamp(v, pixel.left, pixel.right)).sort((a, b) => a - b);
    const ys = [drag.y, drag.to[1]].map(v => clamp(v, pixel.top, pixel.bottom)).sort((a, b) => a - b);
    // A flat box is meant for the horizontal axis alone.
    const flat = ys[1] - ys[0] < 24;
    return { xs, ys: flat ? [pixel.top, pixel.bottom] : ys, flat };
  };
  addEventListener('pointermove', event => {
    const pixel = chart.toPixel();
    if (!drag || !pixel) return;
    drag.to = under(event);
    drag.moved = drag.moved || Math.hypot(drag.to[0] - drag.x, drag.to[1] - drag.y) > 6;
    if (!drag.moved) return;
    if (drag.pan) {
      const by = (drag.x - drag.to[0]) / (pixel.right - pixel.left) * (drag.from[1] - drag.from[0]);
      setX(inside([drag.from[0] + by, drag.from[1] + by], whole.x));
      return;
    }
    const { xs, ys } = corners(pixel);
    if (!box) { box = shape('rect', { class: 'marked' }); chart.svg().append(box); }
    for (const [key, value] of Object.entries({ x: xs[0], y: ys[0], width: xs[1] - xs[0], height: ys[1] - ys[0] })) box.setAttribute(key, value);
  });
  const end = () => {
    const pixel = chart.toPixel();
    const done = drag;
    if (done && done.moved && !done.pan && pixel) {
      const { xs, ys, flat } = corners(pixel);
      if (xs[1] - xs[0] > 8) {
        if (!flat) own.y = [pixel.backY(ys[1]), pixel.backY(ys[0])];
        setX(inside(xs.map(pixel.back), whole.x));
        chart.redraw();
      }
    }
    if (box) box.remove();
    box = null;
    drag = null;
    return Boolean(done && done.moved);
  };
  let wasDrag = false;
  addEventListener('pointerup', () => { if (drag) wasDrag = end(); });
  addEventListener('pointercancel', () => { if (drag) end(); });
  plot.addEventListener('dblclick', event => { if (!event.target.closest('.tools')) reset(); });

  if (chart.linked) clock.windows.push(chart.redraw);
  return {
    // What is shown of `all`: both axes, and whether that is a part.
    window: all => {
      whole = all;
      const { x, y } = shown();
      back.disabled = !x && !y;
      return { x: x || all.x, y, part: Boolean(x || y) };
    },
    tools,
    dragged: () => { const was = wasDrag; wasDrag = false; return was; },
  };
};
