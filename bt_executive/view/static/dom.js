'use strict';
// Elements, made of tags, attributes and children. Text is always text: nothing here parses markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class' || name.includes('-') || element.namespaceURI === SVG) element.setAttribute(name, value === true ? '' : value);
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A part of the page with a title, that screen readers can jump to. tools: what stands beside the title.
function panel(name, title, tools, ...children) {
  return h('section', { class: `panel ${name}`, 'aria-label': title }, h('div', { class: 'title' }, h('h2', {}, title), tools), ...children);
}

// The same, that can be folded; this browser remembers how it was left.
function foldable(name, title, ...children) {
  const element = h('details', { class: `panel ${name}`, open: remembered(`fold.${name}`) !== 'closed' },
    h('summary', {}, h('h2', {}, title)), h('div', { class: 'inside' }, ...children));
  element.addEventListener('toggle', () => remember(`fold.${name}`, element.open ? 'open' : 'closed'));
  return element;
}

function replaceChildren(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false));
}

// The same, where those that stay are not taken out: a click that has begun on one of them ends there.
function arrange(element, children) {
  const wanted = [...new Set(children.filter(Boolean))];
  for (const each of [...element.children]) if (!wanted.includes(each)) each.remove();
  wanted.forEach((each, index) => { if (element.children[index] !== each) element.insertBefore(each, element.children[index] || null); });
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const ANSWER_MS = 2000; // a box shows the request for so long, then the state

// A box that shows a state, and what was requested while that is recent: it may be refused, or get no answer.
class Switch {
  // ask(on): requests it, and returns the answer.
  constructor(ask) {
    this.box = h('input', { type: 'checkbox', onchange: () => this.request(ask) });
    Object.assign(this, { isOn: false, requested: -Infinity });
  }

  async request(ask) {
    this.requested = performance.now();
    const answer = await ask(this.box.checked);
    if (!answer.ok) this.requested = -Infinity;
    this.settle();
    setTimeout(() => this.settle(), ANSWER_MS);
  }

  show(isOn) {
    this.isOn = isOn;
    this.settle();
  }

  settle() { if (performance.now() - this.requested >= ANSWER_MS) this.box.checked = this.isOn; }
}

// Signs of buttons, drawn: not every machine has a font with them.
const ICONS = {
  previous_event: 'M4 4v12h2V4zM16 4L7 10l9 6z', next_event: 'M16 4v12h-2V4zM4 4l9 6l-9 6z', play: 'M5 3l12 7l-12 7z', pause_play: 'M5 4h4v12H5zM11 4h4v12h-4z',
  zoom_in: 'M9 4h2v5h5v2h-5v5H9v-5H4V9h5z', zoom_out: 'M4 9h12v2H4z', fit: 'M3 3h6v2H5v4H3zM17 17h-6v-2h4v-4h2z', measure: 'M2 13l11-11l5 5l-11 11zM6 11l2 2M8.500 8.500l2 2M11 6l2 2', enlarge: 'M11 3h6v6h-2V6.4l-4 4L9.600 9l4-4H11zM9 17H3v-6h2v2.600l4-4l1.400 1.400l-4 4H9z',
  previous: 'M13 3l-7 7l7 7l1.400-1.400L8.800 10l5.600-5.600z', next: 'M7 3l7 7l-7 7l-1.400-1.400L11.200 10L5.600 4.400z',
  forward: 'M10 3l7 8h-4v6H7v-6H3z', back: 'M10 17l7-8h-4V3H7v6H3z', left: 'M3 10l8-7v4h6v6h-6v4z', right: 'M17 10l-8-7v4H3v6h6v4z',
};

function icon(name) { return s('svg', { class: 'icon', viewBox: '0 0 20 20', 'aria-hidden': 'true' }, s('path', { d: ICONS[name] })); }

function iconButton(name, act) {
  return h('button', { type: 'button', title: t(name), 'aria-label': t(name), onclick: act }, icon(name));
}
