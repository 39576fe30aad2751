'use strict';
// How pictures and their numbers are taken from the page.

// Buttons that save a picture: `svg()` is its drawing, `over()` a canvas that lies on it (or nothing),
// `csv()` its numbers.
softdock.savers = (node, tools, { svg, over = () => null, csv }) => {
  const heading = node.querySelector('h2, h3');
  const name = (heading ? heading.textContent : 'chart').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'chart';
  const button = (text, label, act) => {
    // What a voice says contains what the button shows.
    const made = softdock.element('button', { type: 'button', title: label, 'aria-label': `${text}: ${label}` }, text);
    made.addEventListener('click', event => { event.stopPropagation(); act(); });
    tools.append(made);
  };
  if (svg) {
    button('PNG', 'save as picture', () => softdock.savePicture(svg(), `${name}.png`, over()));
    button('SVG', 'save as drawing', () => softdock.download(`${name}.svg`, 'image/svg+xml', softdock.drawing(svg(), over())));
  } else {
    button('PNG', 'save as picture', () => over().toBlob(blob => softdock.download(`${name}.png`, 'image/png', blob), 'image/png'));
  }
  button('CSV', 'save the numbers', () => softdock.download(`${name}.csv`, 'text/csv', csv()));
};

// The same for what cannot be zoomed: the buttons lie over the picture.
softdock.savable = (node, plot, what) => {
  const tools = softdock.element('div', { class: 'tools', role: 'group', 'aria-label': 'save' });
  softdock.savers(node, tools, what);
  plot.append(tools);
};

// Columns, each a name and its values, as a table of text.
softdock.csv = columns => {
  const quoted = text => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const entry = value => (value === null || value === undefined ? '' : quoted(String(value)));
  const rows = Math.max(0, ...columns.map(([, values]) => values.length));
  const lines = [columns.map(([name]) => quoted(name)).join(',')];
  for (let i = 0; i < rows; i++) lines.push(columns.map(([, values]) => entry(values[i])).join(','));
  return lines.join('\n') + '\n';
};

// Hands a file to the reader of the page.
softdock.download = (name, type, content) => {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = softdock.element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};

// An SVG that stands alone: the style sheet's looks written into every element.
// A canvas over it becomes a picture inside.
softdock.drawing = (svg, over = null) => {
  const { shape } = softdock;
  const LOOKS = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linejoin', 'stroke-linecap', 'paint-order', 'font-size', 'visibility', 'opacity'];
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map(one => [one, ...one.querySelectorAll('*')]);
  from.forEach((one, i) => {
    const style = getComputedStyle(one);
    to[i].setAttribute('style', LOOKS.map(look => `${look}:${style.getPropertyValue(look)}`).join(';'));
  });
  const { width, height } = svg.getBoundingClientRect();
  const ground = getComputedStyle(svg.closest('section') || document.body).backgroundColor;
  copy.prepend(shape('rect', { width, height, style: `fill:${ground}` }));
  if (over) copy.append(shape('image', { width, height, href: over.toDataURL() }));
  for (const [key, value] of Object.entries({ xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': 'sans-serif' })) copy.setAttribute(key, value);
  return new XMLSerializer().serializeToString(copy);
};

// Saves an SVG as a picture of twice its size.
softdock.savePicture = (svg, name, over = null) => {
  const { width, height } = svg.getBoundingClientRect();
  const image = new Image();
  image.onload = () => {
    const canvas = softdock.element('canvas', { width: 2 * width, height: 2 * height });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(blob => softdock.download(name, 'image/png', blob), 'image/png');
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(softdock.drawing(svg, over))}`;
};
