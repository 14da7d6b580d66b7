'use strict';
// The map: light, zones, places, what was driven and what is still to come, pictures, the rover.
// Drawn in the page's own pixels, so that words and lines stay readable at any width.

const MAP_MARGIN_M = 2;
const MAP_SMALLEST_M = 8;
const NEAR_M = 15; // places so near are in view where a drive can be asked for
const ROVER_LEAST_PX = 30;
const ROVER_M = { length: 2.9, width: 2.7 };
const OTHER_M = 0.6; // size of a robot whose size is unknown
const CAPTURE_PX = 10;
const CLICK_PX = 5; // a pointer that moves less has clicked
const PIN_PX = 19; // the height of a place's mark
const NAME_EM_PX = 7; // the width of a character of a name
const NAME_HIGH_PX = 13;
const LIGHT_NAME_PX = 190;
const LARGE_PX = 60; // a mark with a longer radius may have a name inside
const GROUND = ['rock', 'flat', 'hill', 'crater', 'sand']; // what the world has; only the first stops the robot
const PIN = 'M0 0C-3 -6 -6.500 -8 -6.500 -12.500A6.500 6.500 0 1 1 6.500 -12.500C6.500 -8 3 -6 0 0z';

class MapView {
  constructor(model, clock, choosePicture) {
    Object.assign(this, { model, clock, choosePicture, zoom: 1, centre: null, width: 0, height: 0, drawn: [], pointed: null, cross: null, wanted: null, found: [], marks: [], ruler: null });
    this.measure = iconButton('measure', () => this.setMeasuring(this.measure.getAttribute('aria-pressed') !== 'true'));
    this.measure.setAttribute('aria-pressed', 'false');
    this.svg = s('svg', { class: 'map', role: 'group', 'aria-label': t('map') });
    this.element = panel('map-panel', t('map'),
      h('div', { class: 'tools' }, iconButton('zoom_in', () => this.scale(1.5)), iconButton('zoom_out', () => this.scale(1 / 1.5)), iconButton('fit', () => this.fit()), this.measure),
      this.svg, this.legend());
    this.listenForDrags();
    new ResizeObserver(([{ contentRect }]) => { [this.width, this.height] = [contentRect.width, contentRect.height]; this.draw(); }).observe(this.svg);
  }

  legend() {
    const { light, places } = this.model.data.world;
    const kinds = new Set(places.map(({ kind }) => kind));
    const entries = [['path', t('legend_path')], ['ahead', t('legend_ahead')], ['plan', t('legend_plan')], ['zone', t('legend_zone')], ['target', t('legend_target')], ['memory', t('legend_memory')], ['capture', t('legend_capture')]];
    if (this.model.live) entries.push(['wanted', t('legend_wanted')]);
    for (const kind of GROUND) if (kinds.has(kind)) entries.push([kind, t(`legend_${kind}`)]);
    if (light) entries.unshift(['bright', t('legend_bright', light.good)]);
    const box = h('details', { class: 'legend-box', open: remembered('legend') === 'open' }, h('summary', { class: 'legend' }, t('legend')), h('p', { class: 'legend', tabindex: 0 }, entries.map(([name, words]) => h('span', {}, h('i', { class: `key key-${name}` }), words))));
    box.addEventListener('toggle', () => remember('legend', box.open ? 'open' : 'closed'));
    return box;
  }

  fit() { this.zoom = 1; this.centre = null; this.draw(); }
  scale(by) { this.zoom = Math.min(Math.max(this.zoom * by, 0.1), 50); this.draw(); }

  setMeasuring(on) {
    this.measure.setAttribute('aria-pressed', String(on));
    this.svg.classList.toggle('measures', on);
    if (this.cross) this.cross.leave();
    if (!on) this.ruler = null;
    this.draw();
  }

  // act(x, y, name, byKey): is called with a place that was clicked, or chosen with the keyboard.
  letPoint(act) {
    this.pointed = act;
    this.cross = new MapCross(this);
    this.element.querySelector('summary').append(` · ${t('map_hint')}`);
    this.draw();
  }

  // The chosen destination with its path; null: none.
  setWanted(wanted) { this.wanted = wanted; this.draw(); }

  // The latest places recalled by the memory: [name, x, y].
  setFound(found) {
    if (JSON.stringify(found) === JSON.stringify(this.found)) return;
    this.found = found;
    this.draw();
  }

  // A drag moves the map, or measures; a click names a place.
  listenForDrags() {
    let from = null;
    const at = (event) => { const box = this.svg.getBoundingClientRect(); return this.world(event.clientX - box.left, event.clientY - box.top); };
    this.svg.addEventListener('pointerdown', (event) => {
      if (event.button) return;
      from = { x: event.clientX, y: event.clientY, centre: this.view.centre, at: at(event), measures: event.shiftKey || this.svg.classList.contains('measures') };
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener('pointermove', (event) => {
      if (!from) return;
      from.moved = from.moved || Math.hypot(event.clientX - from.x, event.clientY - from.y) >= CLICK_PX;
      if (!from.moved) return;
      const [x, y] = from.centre;
      if (from.measures) this.ruler = [from.at, at(event)];
      else this.centre = [x - (event.clientX - from.x) / this.view.perM, y + (event.clientY - from.y) / this.view.perM];
      this.draw();
    });
    this.svg.addEventListener('pointerup', () => {
      if (from && !from.moved && !from.measures && this.pointed) this.pointed(...from.at, '');
      from = null;
    });
    this.svg.addEventListener('pointercancel', () => { from = null; });
    this.svg.addEventListener('wheel', (event) => { if (!event.ctrlKey) return; event.preventDefault(); this.scale(event.deltaY < 0 ? 1.2 : 1 / 1.2); }, { passive: false });
  }

  // The displayed part of the world: all driven, planned and photographed places.
  look() {
    const { poses, plans } = this.model.data;
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    const take = (x, y) => { left = Math.min(left, x); right = Math.max(right, x); low = Math.min(low, y); high = Math.max(high, y); };
    if (poses.x.length) for (const [x, y] of this.model.corners) take(x, y);
    for (const [x, y] of plans.length ? plans[plans.length - 1][1] : []) take(x, y);
    if (left > right) take(0, 0);
    if (this.pointed) for (const { x, y } of this.near(left, right, low, high)) take(x, y);
    for (const [, x, y] of this.found) take(x, y);
    if (this.wanted) for (const [x, y] of [[this.wanted.x, this.wanted.y], ...this.wanted.points]) take(x, y);
    for (const zone of this.model.data.world.zones) {
      for (const [x, y] of zone.points) if (x > left - 6 && x < right + 6 && y > low - 6 && y < high + 6) take(x, y);
    }
    const perM = Math.min(this.width / Math.max(right - left + 2 * MAP_MARGIN_M, MAP_SMALLEST_M), this.height / Math.max(high - low + 2 * MAP_MARGIN_M, MAP_SMALLEST_M)) * this.zoom;
    return { centre: this.centre || [(left + right) / 2, (low + high) / 2], perM };
  }

  near(left, right, low, high) {
    const beyond = (value, least, most) => Math.max(least - value, value - most, 0);
    return this.model.data.world.places.filter(({ x, y }) => Math.hypot(beyond(x, left, right), beyond(y, low, high)) <= NEAR_M);
  }

  x(value) { return this.width / 2 + (value - this.view.centre[0]) * this.view.perM; }
  y(value) { return this.height / 2 - (value - this.view.centre[1]) * this.view.perM; }
  world(x, y) { return [this.view.centre[0] + (x - this.width / 2) / this.view.perM, this.view.centre[1] - (y - this.height / 2) / this.view.perM]; }
  points(points) { return points.map(([x, y]) => `${this.x(x).toFixed(1)},${this.y(y).toFixed(1)}`).join(' '); }

  draw() {
    if (!this.width) return;
    this.view = this.look();
    this.drawn = this.sign();
    this.moving = s('g', {});
    const focused = this.svg.contains(document.activeElement) ? document.activeElement.dataset.index : undefined;
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    replaceChildren(this.svg, this.light(), this.grid(), this.places(), this.zones(), this.destination(), this.moving, this.captures(), this.measured(), this.cross && this.cross.element());
    if (!this.model.data.poses.x.length) this.svg.append(s('text', { class: 'empty', x: this.width / 2, y: this.height / 2, 'text-anchor': 'middle' }, t('no_pose')));
    this.show(this.clock.ts);
    const again = focused === undefined ? null : this.svg.querySelector(`[data-index="${CSS.escape(focused)}"]`);
    if (again) again.focus();
  }

  light() {
    const { light } = this.model.data.world;
    if (!light) return null;
    this.lightName = null;
    return light.spots.length ? this.spots(light) : this.gradient(light);
  }

  // Linear in x: from x_good on every picture is as bright as it can be, without an end.
  gradient(light) {
    const good = this.x(light.x_min + light.good * (light.x_good - light.x_min));
    const shade = s('linearGradient', { id: 'light', gradientUnits: 'userSpaceOnUse', x1: this.x(light.x_min), x2: this.x(light.x_good), y1: 0, y2: 0 },
      s('stop', { class: 'dim', offset: 0 }), s('stop', { class: 'lit', offset: 1 }));
    const label = good < this.width ? s('text', good > this.width - LIGHT_NAME_PX ? { class: 'light-name', x: good - 8, 'text-anchor': 'end' } : { class: 'light-name', x: Math.max(good, 0) + 8 }, `${t('legend_bright', light.good)} →`) : null;
    this.lightName = label && { label, left: good > this.width - LIGHT_NAME_PX ? good - LIGHT_NAME_PX : Math.max(good, 0) };
    return s('g', {}, s('defs', {}, shade), s('rect', { fill: 'url(#light)', x: 0, y: 0, width: this.width, height: this.height }),
      s('line', { class: 'good-from', x1: good, x2: good, y1: 0, y2: this.height }), label);
  }

  // Where neither a name, a mark nor the robot stands: at the upper edge, the lower one, or between.
  placeLightName(pose) {
    if (!this.lightName) return;
    const { label, left } = this.lightName;
    const reach = (this.robotLength() / 2) * this.roverScale();
    const robot = pose ? [[this.x(pose.x) - reach, this.y(pose.y) - reach, this.x(pose.x) + reach, this.y(pose.y) + reach]] : [];
    const isFree = (y) => [...this.taken, ...robot].every(([x1, y1, x2, y2]) => x2 < left || x1 > left + LIGHT_NAME_PX || y2 < y - NAME_HIGH_PX || y1 > y + 4);
    const y = [32, this.height - 26, this.height / 2, this.height / 3, (this.height * 2) / 3].find(isFree);
    label.setAttribute('y', y ?? 32);
    label.setAttribute('visibility', y === undefined ? 'hidden' : 'visible');
  }

  spots(light) {
    const group = s('g', {});
    light.spots.forEach((spot, index) => {
      const stops = [0, 0.25, 0.5, 0.75, 1].map((part) => s('stop', { class: 'lit', offset: part, 'stop-opacity': (spot.peak * Math.exp(-((part * 3) ** 2) / 2)).toFixed(3) }));
      const [x, y] = [this.x(spot.x), this.y(spot.y)];
      group.append(s('defs', {}, s('radialGradient', { id: `light-${index}` }, stops)), s('circle', { cx: x, cy: y, r: 3 * spot.sigma * this.view.perM, fill: `url(#light-${index})` }));
      const share = (light.good - light.base) / (spot.peak - light.base);
      if (share > 0 && share < 1) group.append(s('circle', { class: 'good-from', cx: x, cy: y, r: spot.sigma * Math.sqrt(-2 * Math.log(share)) * this.view.perM }, s('title', {}, t('legend_bright', light.good))));
    });
    return group;
  }

  grid() {
    const group = s('g', { class: 'grid' });
    const step = roundStep(70 / this.view.perM);
    const [left, right] = [this.view.centre[0] - this.width / 2 / this.view.perM, this.view.centre[0] + this.width / 2 / this.view.perM];
    const [low, high] = [this.view.centre[1] - this.height / 2 / this.view.perM, this.view.centre[1] + this.height / 2 / this.view.perM];
    for (let n = Math.ceil(left / step); n * step < right; n += 1) {
      group.append(s('line', { x1: this.x(n * step), x2: this.x(n * step), y1: 0, y2: this.height }));
      if (this.x(n * step) < this.width - 60) group.append(s('text', { x: this.x(n * step) + 3, y: this.height - 5 }, shortNumber(n * step)));
    }
    for (let n = Math.ceil(low / step); n * step < high; n += 1) {
      group.append(s('line', { y1: this.y(n * step), y2: this.y(n * step), x1: 0, x2: this.width }));
      if (this.y(n * step) < this.height - 16) group.append(s('text', { x: 4, y: this.y(n * step) - 3 }, shortNumber(n * step)));
    }
    group.append(s('text', { class: 'axis-name', x: this.width - 8, y: this.height - 5, 'text-anchor': 'end' }, t('x_axis')), s('text', { class: 'axis-name', x: 30, y: 14 }, t('y_axis')));
    return group;
  }

  // What the world has is as large as it is; what the memory has is a mark with its name.
  places() {
    this.names = []; // of those that are drawn
    this.taken = []; // [left, top, right, bottom] of names and small marks, px
    const known = this.model.data.world.places;
    const found = this.found.filter(([name, x, y]) => !known.some((place) => place.name === name && Math.hypot(place.x - x, place.y - y) < 0.5));
    const all = [...known, ...found.map(([name, x, y]) => ({ kind: 'memory', name, x, y, size: 0 }))];
    this.marks = all;
    return all.map((place, number) => {
      const isNamed = all.slice(0, number).some((other) => other.name === place.name && isNear(other, place));
      const [x, y, isMemory] = [this.x(place.x), this.y(place.y), place.kind === 'memory'];
      const radius = Math.max(place.size * this.view.perM, 3);
      if (radius < LARGE_PX) this.taken.push(isMemory ? [x - 7, y - PIN_PX, x + 7, y] : [x - radius, y - radius, x + radius, y + radius]);
      const act = (byKey) => this.pointed && this.pointed(place.x, place.y, place.name, byKey);
      return s('g', { class: `place ${isMemory ? 'memory' : ''}`, 'data-index': `place-${number}`, ...(this.pointed ? { tabindex: -1, role: 'button', 'aria-label': `${t(`legend_${place.kind}`)}: ${place.name}`, onpointerdown: (event) => { event.stopPropagation(); act(false); }, onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); act(true); } } } : {}) },
        isMemory ? s('path', { class: 'pin', d: PIN, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }) : s('circle', { class: place.kind, cx: x, cy: y, r: radius }),
        isNamed ? null : this.placeName(place, all.filter((other) => other.name === place.name && isNear(other, place))), s('title', {}, place.name));
    });
  }

  // Which rock of the world is at a place; undefined: none.
  rockAt(x, y) { return this.model.data.world.places.find((place) => ['rock', 'flat'].includes(place.kind) && Math.hypot(place.x - x, place.y - y) <= place.size); }

  // Above all that bears the name, or below it at the upper edge; never cut off at a side. Where another name
  // stands there is none: it shows when the map is closer, or pointed at.
  placeName({ name, x: at }, same) {
    const x = this.x(at);
    if (x < 0 || x > this.width) return null;
    const reach = ({ kind, size }) => (kind === 'memory' ? [PIN_PX, 0] : [1, 1].map((each) => each * Math.max(size * this.view.perM, 3)));
    const top = Math.min(...same.map((each) => this.y(each.y) - reach(each)[0]));
    const foot = Math.max(...same.map((each) => this.y(each.y) + reach(each)[1]));
    const half = (name.length * NAME_EM_PX) / 2;
    const kept = Math.min(Math.max(x, half + 2), Math.max(this.width - half - 2, half + 2));
    const y = top < 16 && foot > 0 ? foot + 13 : top - 4;
    if (this.names.some((other) => Math.abs(other.x - kept) < other.half + half && Math.abs(other.y - y) < NAME_HIGH_PX)) return null;
    this.names.push({ x: kept, y, half });
    this.taken.push([kept - half, y - NAME_HIGH_PX, kept + half, y + 4]);
    return s('text', { x: kept, y, 'text-anchor': 'middle' }, name);
  }

  destination() {
    if (!this.wanted) return null;
    const [x, y] = [this.x(this.wanted.x), this.y(this.wanted.y)];
    return s('g', { class: 'wanted' }, s('polyline', { points: this.points(this.wanted.points) }), s('circle', { cx: x, cy: y, r: 9 }), s('path', { d: `M${x - 14} ${y}h28m-14 -14v28` }));
  }

  measured() {
    if (!this.ruler) return null;
    const [[x1, y1], [x2, y2]] = this.ruler;
    const words = t('measured', number(Math.hypot(x2 - x1, y2 - y1)), number(((Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI), 0));
    return s('g', { class: 'ruler' }, s('line', { x1: this.x(x1), y1: this.y(y1), x2: this.x(x2), y2: this.y(y2) }), s('text', { x: (this.x(x1) + this.x(x2)) / 2, y: (this.y(y1) + this.y(y2)) / 2 - 8, 'text-anchor': 'middle' }, words));
  }

  zones() {
    return this.model.data.world.zones.map((zone) => s('g', { class: 'zone' }, s('polygon', { points: this.points(zone.points) }, s('title', {}, `${t('legend_zone')}: ${zone.name}`)),
      s('text', { x: this.x(mean(zone.points, 0)), y: this.y(mean(zone.points, 1)), 'text-anchor': 'middle' }, zone.name)));
  }

  // Above the places where they were taken; those of one place stand on each other.
  captures() {
    const placed = [];
    return this.model.data.pictures.map((picture, index) => {
      const pose = this.model.poseAt(picture.stamp);
      if (!pose) return null;
      const [x, low] = [this.x(pose.x), this.y(pose.y)];
      let y = low - 34;
      while (placed.some(([px, py]) => Math.hypot(px - x, py - y) < 2 * CAPTURE_PX) && y > low - 34 - 8 * CAPTURE_PX) y -= 2 * CAPTURE_PX + 1;
      placed.push([x, y]);
      this.taken.push([x - CAPTURE_PX, y - CAPTURE_PX, x + CAPTURE_PX, low]);
      const act = () => this.choosePicture(index);
      const words = `${t('picture_n', index + 1, this.model.data.pictures.length)}: ${picture.words ? `${t('looked')} ${picture.words}` : `${t('score')} ${number(picture.score)}`}`;
      return s('g', { class: 'capture', tabindex: 0, role: 'button', 'aria-label': words, 'data-index': index, onpointerdown: (event) => { event.stopPropagation(); act(); }, onkeydown: (event) => event.key === 'Enter' && act() },
        s('line', { x1: x, x2: x, y1: low, y2: y + CAPTURE_PX }),
        s('circle', { class: `level-${level(picture.score)}`, cx: x, cy: y, r: CAPTURE_PX }, s('title', {}, words)), s('text', { class: `on-${level(picture.score)}`, x, y: y + 4, 'text-anchor': 'middle' }, String(index + 1)));
    });
  }

  // What all that does not move depends on; what the operator does to the map draws it anew by itself.
  sign() {
    const { data } = this.model;
    return [...this.view.centre, this.view.perM, data.world, data.pictures.length, data.poses.x.length > 0];
  }

  show(ts) {
    if (!this.view) return;
    const drawnView = this.view;
    this.view = this.look();
    if (this.sign().some((each, index) => each !== this.drawn[index])) { this.draw(); return; }
    this.view = drawnView;
    const { poses } = this.model.data;
    const pose = this.model.poseAt(ts);
    this.placeLightName(pose);
    if (!pose) { replaceChildren(this.moving); return; }
    const plan = this.model.planAt(ts);
    const [x, y] = plan && plan[1].length ? plan[1][plan[1].length - 1] : [];
    const target = this.model.targetAt(ts) || (x === undefined ? null : { x, y }); // asked for before this page could see it
    replaceChildren(this.moving,
      this.path('ahead', pose.index, poses.x.length), this.path('path', 0, pose.index + 1),
      plan && plan[1].length ? s('polyline', { class: 'plan', points: this.points(plan[1]) }) : null,
      target ? s('path', { class: 'target', d: `M${this.x(target.x) - 8} ${this.y(target.y)}h16m-8 -8v16` }, s('title', {}, t('legend_target'))) : null,
      this.robot(pose));
  }

  // Stretches without jumps and gaps, of the poses from begin to before end.
  path(name, begin, end) {
    const { x, y, gap } = this.model.data.poses;
    const group = s('g', { class: name });
    let part = [];
    const close = () => { if (part.length > 1) group.append(s('polyline', { points: this.points(part) })); };
    for (let index = begin; index < end; index += 1) {
      if (part.length && (gap[index] || Math.hypot(x[index] - x[index - 1], y[index] - y[index - 1]) > JUMP_M)) { close(); part = []; }
      part.push([x[index], y[index]]);
    }
    close();
    return group;
  }

  isRover() { return Boolean(this.model.data.world.name); }

  robotLength() { return this.isRover() ? ROVER_M.length : OTHER_M; }

  roverScale() { return Math.max(this.view.perM, ROVER_LEAST_PX / this.robotLength()); }

  // The robot from above, true to scale unless it were too small to see.
  robot(pose) {
    const scale = this.roverScale();
    return s('g', { class: 'rover', transform: `translate(${this.x(pose.x).toFixed(1)} ${this.y(pose.y).toFixed(1)}) rotate(${((-pose.yaw * 180) / Math.PI).toFixed(1)}) scale(${scale.toFixed(2)})` },
      this.isRover() ? this.roverParts() : [s('circle', { class: 'body other', r: OTHER_M / 2 - 0.02 }), s('path', { class: 'nose', d: 'M-0.12 -0.16L0.24 0L-0.12 0.16z' })],
      s('title', {}, `x ${number(pose.x)} m, y ${number(pose.y)} m, ${number((pose.yaw * 180) / Math.PI, 0)}°`));
  }

  roverParts() {
    const wheel = (x, y) => s('rect', { class: 'wheel', x: x - 0.26, y: y - 0.2, width: 0.52, height: 0.4, rx: 0.1 });
    const [half, side] = [ROVER_M.length / 2 - 0.3, ROVER_M.width / 2 - 0.2];
    return [
      ...[half, 0, -half].flatMap((x) => [wheel(x, side), wheel(x, -side)]),
      s('rect', { class: 'body', x: -1.15, y: -0.75, width: 2.1, height: 1.5, rx: 0.2 }), s('rect', { class: 'power', x: -1.45, y: -0.35, width: 0.5, height: 0.7, rx: 0.1 }),
      s('circle', { class: 'mast', cx: 0.55, cy: -0.35, r: 0.24 }), s('path', { class: 'nose', d: 'M1.05 -0.45L1.6 0L1.05 0.45z' }),
    ];
  }
}

// Of two places with one name: whether they are the same one.
function isNear(one, other) { return Math.hypot(other.x - one.x, other.y - one.y) < 1; }
function level(score) { return Math.round(Math.min(Math.max(score, 0), 1) * 10); }
function mean(points, axis) { return points.reduce((sum, point) => sum + point[axis], 0) / points.length; }
function shortNumber(value) { return String(Number(value.toPrecision(6))).replace('-', '−'); }

// The next 1, 2 or 5 times a power of ten that is not smaller.
function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999);
}
