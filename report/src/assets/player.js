'use strict';
// Play, pause, speed, a slider and moments to jump to. All players of a page that do not loop share
// one clock.
softdock.player = (node, { times, loops = false, moments = [], start = null, extra = null, show }) => {
  const { element, clock } = softdock;
  const SPEEDS = [[4, '4×'], [1, '1×'], [0.5, '½×'], [0.25, '¼×'], [0.1, '1⁄10×'], [0.02, '1⁄50×']];
  const begin = times.length ? times[0] : 0;
  const end = times.length ? times[times.length - 1] : 0;
  const still = !(end > begin);
  const step = still ? 1 : (end - begin) / Math.max(200, Math.min(2000, times.length - 1));
  const digits = still ? 3 : Math.max(1, Math.min(5, 4 - Math.ceil(Math.log10(end - begin))));

  const controls = element('div', { class: 'controls' });
  const play = element('button', { type: 'button', class: 'play' });
  const slider = element('input', { type: 'range', min: begin, max: still ? begin + 1 : end, step, value: begin, 'aria-label': 'time' });
  const clockText = element('output', { class: 'time' });
  const speed = element('select', { 'aria-label': 'speed', title: 'speed' });
  for (const [factor, text] of SPEEDS) speed.append(element('option', { value: factor }, text));
  speed.value = '1';
  controls.append(play, slider);
  if (!loops) controls.append(clockText, speed);
  play.disabled = still;
  slider.disabled = still;
  node.append(controls);

  let time = begin;
  let playing = false;
  let before = null;
  // A picture that opens somewhere in the middle plays from its beginning.
  let fresh = false;

  const seek = (to, tell = true) => {
    time = Math.min(end, Math.max(begin, to));
    fresh = false;
    slider.value = String(time);
    const text = `${time.toFixed(digits)} s`;
    clockText.textContent = text;
    slider.setAttribute('aria-valuetext', text);
    show(time);
    if (tell && !loops) softdock.setTime(time);
  };
  const setPlaying = on => {
    playing = on && !still;
    play.textContent = playing ? '❚❚ Pause' : '▶ Play';
    play.setAttribute('aria-pressed', String(playing));
    before = null;
    if (!playing) return;
    if (!loops) clock.player = api;
    requestAnimationFrame(advance);
  };
  const advance = now => {
    if (!playing) return;
    if (!loops && clock.player !== api) { setPlaying(false); return; }
    let to = time;
    // A page that was out of sight does not jump.
    if (before !== null) to += Math.min(0.1, (now - before) / 1000) * (loops ? 1 : Number(speed.value));
    before = now;
    if (loops && to >= end) to = begin;
    if (to !== time) seek(to);
    if (!loops && time >= end) { setPlaying(false); return; }
    requestAnimationFrame(advance);
  };
  const toggle = () => {
    if (!playing && (time >= end || fresh)) seek(begin);
    setPlaying(!playing);
  };
  // Frames, not slider steps: what was computed is what is shown.
  const stepFrames = count => {
    setPlaying(false);
    let index = softdock.nearest(times, time) + count;
    index = Math.min(times.length - 1, Math.max(0, index));
    seek(times[index]);
  };
  const api = { toggle, stepFrames, seek, pause: () => setPlaying(false), playing: () => playing, begin, end };

  play.addEventListener('click', toggle);
  slider.addEventListener('input', () => { setPlaying(false); seek(Number(slider.value)); });
  const known = moments.filter(m => m.time !== null && m.time >= begin && m.time <= end);
  if (known.length) {
    const list = element('div', { class: 'moments' });
    for (const moment of known) {
      const button = element('button', { type: 'button' }, `${moment.label} `);
      button.append(element('small', {}, `${moment.time.toFixed(digits)} s`));
      button.addEventListener('click', () => { setPlaying(false); seek(moment.time); });
      list.append(button);
    }
    node.append(list);
  }
  if (extra) node.append(extra);
  if (!loops) {
    clock.players = (clock.players || 0) + 1;
    clock.listeners.push(to => { if (to !== time) seek(to, false); });
  }
  setPlaying(false);
  seek(start === null ? begin : start, false);
  fresh = start !== null && time > begin;
  return api;
};

// Numbers below a moving picture; returns what shows frame `index`.
softdock.readings = (node, list) => {
  const { element, minus, withUnit } = softdock;
  const box = element('dl', { class: 'readings' });
  const values = list.map(reading => {
    const entry = element('div');
    const value = element('dd');
    entry.append(element('dt', {}, reading.label), value);
    box.append(entry);
    return value;
  });
  if (list.length) node.append(box);
  return index => list.forEach((reading, k) => {
    const value = reading.values[index];
    const known = value !== null && value !== undefined;
    values[k].textContent = known ? withUnit(minus(value.toFixed(reading.digits)), reading.unit) : '–';
  });
};
