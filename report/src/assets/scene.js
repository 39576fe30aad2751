'use strict';
// A scene in space on a canvas, every pixel with its true depth. Dragging turns, wheel and pinch zoom,
// Shift or two fingers move.
softdock.kinds.scene = (node, block) => {
  const { element, camera, words, readable, onResize } = softdock;
  const model = softdock.model(block);
  const whole = block.focus || model.ball();
  const hidden = new Set();
  const plot = element('div', { class: 'plot' });
  const canvas = element('canvas', { tabindex: 0, role: 'img', 'aria-label': words(node) });
  const views = element('div', { class: 'views', role: 'group', 'aria-label': 'view' });
  const hint = element('div', { class: 'hint' });
  hint.hidden = true;
  plot.append(canvas, views, hint);
  node.append(plot);
  const context = canvas.getContext('2d');
  const momentOf = word => { const found = block.moments.find(m => m.time !== null && m.label.includes(word)); return found ? found.time : null; };
  let time = block.times.length ? block.times[0] : 0;
  let waiting = false;
  let colours = null;
  const raster = softdock.raster();
  const FINE = 2; // pixels of the picture per pixel of the page
  // Where drawing takes longer, motion is drawn coarser.
  const PATIENCE_MS = 40;
  let slow = false;

  // Colours of the style sheet as numbers, and their shades as text.
  const PAINTS = ['base', 'link', 'leaf', 'cable', 'effector', 'target', 'interface', 'force'];
  const readColours = () => {
    const style = getComputedStyle(node);
    const value = name => style.getPropertyValue(name).trim();
    const parts = name => [1, 3, 5].map(i => parseInt(value(name).slice(i, i + 2), 16));
    const dark = parts('--page')[0] < 128;
    const paints = {};
    for (const name of PAINTS) {
      const base = parts(`--s-${name}`);
      const shades = [];
      for (let k = 0; k <= 24; k++) {
        const level = (dark ? 0.5 : 0.66) + (dark ? 0.6 : 0.46) * k / 24;
        shades.push(base.map(v => Math.round(level > 1 ? Math.min(255, v + (255 - v) * (level - 1) * 1.6) : v * level)));
      }
      const edge = raster.pack(base.map(v => Math.round(v * (dark ? 0.44 : 0.56))));
      paints[name] = { shades, packed: shades.map(shade => raster.pack(shade)), plain: value(`--s-${name}`), line: raster.pack(base), edge };
    }
    return { paints, text: value('--text'), muted: value('--muted'), grid: value('--scene-grid'), halo: value('--card') };
  };

  const drawGround = view => {
    if (!block.ground) return;
    const { height, half, step } = block.ground;
    const count = Math.min(40, Math.floor(half / step + 1e-9));
    const a = [0, 0, 0];
    const b = [0, 0, 0];
    context.strokeStyle = colours.grid;
    context.lineWidth = 1;
    context.beginPath();
    for (let k = -count; k <= count; k++) {
      for (const flip of [false, true]) {
        const [p, q] = [k * step, count * step];
        view.project(flip ? -q : p, flip ? p : -q, height, a, 0);
        view.project(flip ? q : p, flip ? p : q, height, b, 0);
        if (a[2] < view.near || b[2] < view.near) continue;
        context.moveTo(a[0], a[1]);
        context.lineTo(b[0], b[1]);
      }
    }
    context.stroke();
  };

  // Seen from above, the target would hide everything: it becomes glass, too.
  const isGlass = piece => piece.glass || (piece.paint === 'target' && camera.state.elevation > 0.8);

  // Faces first, then glass over them, in a picture `scale` times as fine as the page.
  const drawPieces = (pieces, width, height, scale) => {
    raster.begin(Math.round(width * scale), Math.round(height * scale));
    const shadeOf = ({ light }) => Math.round(24 * Math.min(1, light));
    const drawEdges = ({ points, inverse, edges, paint }) => {
      const n = inverse.length;
      for (let k = 0; k < n; k++) {
        if (edges >> k & 1) raster.line(points, inverse, k, (k + 1) % n, scale, 0.9, colours.paints[paint].edge);
      }
    };
    const glass = pieces.filter(isGlass);
    for (const piece of pieces) {
      const paint = colours.paints[piece.paint];
      if (piece.line) raster.line(piece.points, piece.inverse, 0, 1, scale, 1.6, paint.line);
      else if (!isGlass(piece)) raster.face(piece.points, piece.inverse, scale, paint.packed[shadeOf(piece)]);
    }
    for (const piece of pieces) if (!piece.line && !isGlass(piece)) drawEdges(piece);
    for (const piece of glass) raster.face(piece.points, piece.inverse, scale, 0, colours.paints[piece.paint].shades[shadeOf(piece)]);
    glass.forEach(drawEdges);
    context.imageSmoothingQuality = 'high';
    context.drawImage(raster.end(), 0, 0, width, height);
  };

  // An arrow with a light rim, so that it is seen before anything.
  const drawForce = ({ arrow, point, force, size }, view) => {
    const length = 0.42 * whole.radius / model.largestForce;
    const sign = arrow.anchor === 'head' ? -1 : 1;
    const far = point.map((p, i) => p + sign * length * force[i]);
    const [a, b] = [[0, 0, 0], [0, 0, 0]];
    view.project(...(sign < 0 ? far : point), a, 0);
    view.project(...(sign < 0 ? point : far), b, 0);
    if (a[2] < view.near || b[2] < view.near) return;
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const pixels = Math.hypot(dx, dy) || 1;
    const [ux, uy] = [dx / pixels, dy / pixels];
    const width = arrow.labelled ? 4 : 2;
    const head = Math.min(arrow.labelled ? 15 : 9, Math.max(4, 0.6 * pixels));
    const outline = () => {
      const [mx, my] = [b[0] - head * ux, b[1] - head * uy];
      const [h, w] = [0.48 * head, width / 2];
      context.beginPath();
      context.moveTo(a[0] - w * uy, a[1] + w * ux);
      context.lineTo(mx - w * uy, my + w * ux);
      context.lineTo(mx - h * uy, my + h * ux);
      context.lineTo(b[0], b[1]);
      context.lineTo(mx + h * uy, my - h * ux);
      context.lineTo(mx + w * uy, my - w * ux);
      context.lineTo(a[0] + w * uy, a[1] - w * ux);
      context.closePath();
    };
    outline();
    context.lineJoin = 'round';
    context.strokeStyle = colours.halo;
    context.lineWidth = 3;
    context.stroke();
    context.fillStyle = colours.paints.force.plain;
    context.fill();
    if (!arrow.labelled) return;
    const tail = sign < 0 ? a : b;
    const text = `${readable(size, 3)} N`;
    context.font = '600 14px system-ui, sans-serif';
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.lineWidth = 4;
    context.strokeText(text, tail[0] + 10, tail[1]);
    context.fillText(text, tail[0] + 10, tail[1]);
  };

  // The directions of the world's axes and a length to compare with.
  const drawScale = (view, width, height) => {
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineWidth = 1.5;
    context.strokeStyle = colours.muted;
    context.fillStyle = colours.muted;
    const [x0, y0] = [34, height - 30];
    ['x', 'y', 'z'].forEach((name, i) => {
      const [dx, dy] = [20 * view.right[i], -20 * view.up[i]];
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x0 + dx, y0 + dy);
      context.stroke();
      if (Math.hypot(dx, dy) > 6) context.fillText(name, x0 + dx * 1.45, y0 + dy * 1.45);
    });
    const fits = m => m * view.pixelsPerMetre < width / 4;
    const bar = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5].filter(fits).pop();
    if (!bar) return;
    const right = width - 14;
    const left = right - bar * view.pixelsPerMetre;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left, height - 16);
    context.lineTo(left, height - 11);
    context.lineTo(right, height - 11);
    context.lineTo(right, height - 16);
    context.stroke();
    context.fillText(bar < 1 ? `${Math.round(bar * 1000)} mm` : `${bar} m`, (left + right) / 2, height - 22);
  };

  const draw = () => {
    waiting = false;
    const width = plot.clientWidth;
    const height = plot.clientHeight;
    if (width < 40 || height < 40) return;
    const fine = Math.min(2, window.devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * fine) || canvas.height !== Math.round(height * fine)) {
      canvas.width = Math.round(width * fine);
      canvas.height = Math.round(height * fine);
    }
    if (!colours) colours = readColours();
    context.setTransform(fine, 0, 0, fine, 0, 0);
    context.clearRect(0, 0, width, height);
    const view = camera.projection(whole.centre, whole.radius, width, height);
    drawGround(view);
    const begin = performance.now();
    drawPieces(model.pieces(time, view, hidden), width, height, player.playing() && slow ? 1 : FINE);
    slow = performance.now() - begin > PATIENCE_MS;
    for (const force of model.forces(time, hidden)) drawForce(force, view);
    drawScale(view, width, height);
  };
  const redraw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(draw);
  };

  // Buttons of the view.
  for (const name of Object.keys(camera.VIEWS)) {
    const button = element('button', { type: 'button' }, name);
    button.addEventListener('click', () => camera.go(name));
    views.append(button);
  }
  for (const [text, label, factor] of [['+', 'closer', 1.25], ['−', 'farther', 0.8]]) {
    const button = element('button', { type: 'button', 'aria-label': label, title: label }, text);
    button.addEventListener('click', () => camera.zoom(factor));
    views.append(button);
  }

  const say = text => {
    hint.textContent = text;
    hint.hidden = false;
    clearTimeout(say.timer);
    say.timer = setTimeout(() => { hint.hidden = true; }, 1800);
  };

  // Pointers: one turns, two zoom and move.
  const pointers = new Map();
  const spreadOf = () => {
    const [a, b] = [...pointers.values()];
    return { distance: Math.hypot(a.x - b.x, a.y - b.y) || 1, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };
  canvas.addEventListener('pointerdown', event => {
    camera.stop();
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const half = Math.min(canvas.clientWidth, canvas.clientHeight) / 2;
    const before = pointers.size === 2 ? spreadOf() : null;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    last.x = event.clientX;
    last.y = event.clientY;
    if (before) {
      const after = spreadOf();
      camera.zoom(after.distance / before.distance);
      camera.pan((after.x - before.x) / half, (before.y - after.y) / half);
    } else if (event.shiftKey || event.buttons === 2 || event.buttons === 4) {
      camera.pan(dx / half, -dy / half);
    } else {
      camera.turn(-dx * 0.008, dy * 0.008);
    }
  });
  for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) {
    canvas.addEventListener(name, event => pointers.delete(event.pointerId));
  }
  canvas.addEventListener('contextmenu', event => event.preventDefault());
  // The wheel belongs to the page until the picture has been chosen.
  canvas.addEventListener('wheel', event => {
    if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) {
      say('Click the picture, or hold Ctrl, to zoom');
      return;
    }
    event.preventDefault();
    camera.zoom(Math.exp(-0.0015 * event.deltaY));
  }, { passive: false });

  const help = element('p', { class: 'help' }, 'Drag to turn, pinch or wheel to zoom, Shift-drag to move. Space plays, arrow keys step, Shift with arrow keys turns.');
  const legend = element('div', { class: 'legend' });
  let read = () => {};
  const player = softdock.player(node, {
    times: block.times,
    moments: block.moments,
    start: momentOf('peak'),
    show: to => {
      time = to;
      if (block.times.length) read(softdock.nearest(block.times, to));
      redraw();
    },
  });
  read = softdock.readings(node, block.readings);
  read(block.times.length ? softdock.nearest(block.times, time) : 0);
  // Small motion made large: about where everything is at the first touch, or at the start.
  const extra = element('div', { class: 'legend extra' });
  const larger = element('select', { 'aria-label': 'how much larger motion is drawn' });
  for (const factor of [1, 2, 5, 10, 20, 50]) larger.append(element('option', { value: factor }, factor === 1 ? 'motion to scale' : `motion ${factor} times larger`));
  larger.addEventListener('change', () => {
    const touch = momentOf('touch') ?? momentOf('contact');
    model.exaggerate(Number(larger.value), touch === null ? 0 : model.placeOf(touch));
    redraw();
  });
  extra.append(larger);
  if (canvas.captureStream && window.MediaRecorder) extra.append(recorder());
  node.append(legend, extra, help);

  // Plays the motion once and saves it as a film.
  function recorder() {
    const button = element('button', { type: 'button', class: 'record' }, 'Save as film (WebM)');
    button.addEventListener('click', () => {
      const parts = [];
      const film = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' });
      film.ondataavailable = event => parts.push(event.data);
      film.onstop = () => { softdock.download('docking.webm', 'video/webm', new Blob(parts)); button.disabled = false; };
      button.disabled = true;
      player.pause();
      player.seek(player.begin);
      film.start();
      player.toggle();
      const look = () => { if (player.playing()) setTimeout(look, 100); else film.stop(); };
      setTimeout(look, 100);
    });
    return button;
  }

  // Names that can be hidden.
  const named = [...block.bodies, ...block.strips, ...block.arrows.map(a => ({ ...a, paint: 'force' }))];
  for (const name of new Set(named.map(item => item.name))) {
    if (!name) continue;
    const { paint } = named.find(item => item.name === name);
    const button = element('button', { type: 'button', 'aria-pressed': 'true', title: 'show or hide' });
    button.append(element('span', { class: 'swatch', style: `background: var(--s-${paint})` }), element('span', {}, name));
    button.addEventListener('click', () => {
      if (!hidden.delete(name)) hidden.add(name);
      button.setAttribute('aria-pressed', String(!hidden.has(name)));
      redraw();
    });
    legend.append(button);
  }

  const KEYS = {
    ' ': () => player.toggle(),
    ArrowLeft: () => player.stepFrames(-1),
    ArrowRight: () => player.stepFrames(1),
    Home: () => player.seek(player.begin),
    End: () => player.seek(player.end),
    '+': () => camera.zoom(1.25),
    '-': () => camera.zoom(0.8),
    'Shift+ArrowLeft': () => camera.turn(-0.1, 0),
    'Shift+ArrowRight': () => camera.turn(0.1, 0),
    'Shift+ArrowUp': () => camera.turn(0, 0.1),
    'Shift+ArrowDown': () => camera.turn(0, -0.1),
  };
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = KEYS[(event.shiftKey && event.key.startsWith('Arrow') ? 'Shift+' : '') + event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  camera.listeners.push(redraw);
  softdock.onColours(() => { colours = null; redraw(); });
  onResize(plot, draw);
};
