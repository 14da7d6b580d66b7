'use strict';
// A cross on the map that arrow keys move, to choose a destination or to measure.

const CROSS_STEP_PX = 14; // at least; the step is a round number of metres
const CROSS_FAR = 10; // steps with Shift
const CROSS_EDGE_PX = 24; // the map moves before the cross leaves it
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

class MapCross {
  constructor(map) {
    Object.assign(this, { map, at: null, mark: null, anchor: null }); // world coordinates, m; the place it stands on
    this.hint = h('p', { class: 'map-keys', hidden: true, 'aria-live': 'polite' });
    const { svg } = map;
    svg.setAttribute('tabindex', 0);
    svg.setAttribute('role', 'application');
    svg.setAttribute('aria-label', t('map_live'));
    svg.addEventListener('keydown', (event) => { if (event.target === svg) this.key(event); });
    svg.addEventListener('focus', () => this.describe());
    svg.addEventListener('blur', () => this.describe());
    svg.after(this.hint);
  }

  get measures() { return this.map.svg.classList.contains('measures'); }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const acts = { Enter: () => this.choose(), Escape: () => this.leave(), '+': () => this.map.scale(1.5), '-': () => this.map.scale(1 / 1.5), n: () => this.toMark(1), N: () => this.toMark(-1) };
    const arrow = ARROWS[event.key];
    if (!arrow && !acts[event.key]) return;
    event.preventDefault();
    if (arrow) this.move(arrow, event.shiftKey ? CROSS_FAR : 1);
    else acts[event.key]();
    this.map.draw();
    this.describe();
  }

  // From the robot on, in steps of a round length.
  move([x, y], times) {
    const { model, view } = this.map;
    const step = roundStep(CROSS_STEP_PX / view.perM);
    const pose = model.poseAt(model.ended);
    const from = this.at || (pose ? [pose.x, pose.y] : view.centre);
    this.at = [Math.round(from[0] / step + x * times) * step, Math.round(from[1] / step + y * times) * step];
    this.mark = null;
    this.follow();
  }

  // Onto the next place, the nearest to the robot first; it may be out of view.
  toMark(by) {
    const { model } = this.map;
    const { x, y } = model.poseAt(model.ended) || { x: 0, y: 0 };
    const marks = this.map.marks.map((each) => [Math.hypot(each.x - x, each.y - y), each]).sort(([one], [other]) => one - other).map(([, each]) => each);
    if (!marks.length) return;
    const index = marks.findIndex((each) => this.mark && isNear(each, this.mark) && each.name === this.mark.name);
    this.mark = marks[index < 0 && by < 0 ? marks.length - 1 : (index + by + marks.length) % marks.length];
    this.at = [this.mark.x, this.mark.y];
    this.follow();
  }

  follow() {
    if (this.anchor) this.map.ruler = [this.anchor, this.at];
    this.keepInView();
  }

  keepInView() {
    const { map } = this;
    const [x, y] = [map.x(this.at[0]), map.y(this.at[1])];
    const past = (value, size) => Math.min(value - CROSS_EDGE_PX, 0) + Math.max(value - size + CROSS_EDGE_PX, 0);
    const [right, down] = [past(x, map.width), past(y, map.height)];
    if (!right && !down) return;
    const [cx, cy] = map.view.centre;
    map.centre = [cx + right / map.view.perM, cy - down / map.view.perM];
  }

  choose() {
    if (!this.at) return;
    if (this.measures) this.anchor = this.anchor ? null : this.at;
    else {
      this.map.fit(); // path and robot are in view
      this.map.pointed(...this.at, this.mark ? this.mark.name : '', true);
    }
  }

  leave() {
    this.at = null;
    this.mark = null;
    this.anchor = null;
  }

  // What the keys do, and where the cross is.
  describe() {
    const keys = t(this.measures ? 'map_ruler_keys' : 'map_keys');
    const place = this.at ? `${this.mark ? `${this.mark.name}: ` : ''}${t('map_at', ...this.at.map((each) => number(each)))} · ` : '';
    setText(this.hint, `${place}${keys}`);
    this.hint.hidden = !this.map.svg.matches(':focus-visible');
  }

  element() {
    if (!this.at) return null;
    const { map } = this;
    const [x, y] = [map.x(this.at[0]), map.y(this.at[1])];
    return s('g', { class: 'cross-at' }, s('line', { x1: x, x2: x, y1: 0, y2: map.height }), s('line', { x1: 0, x2: map.width, y1: y, y2: y }), s('circle', { cx: x, cy: y, r: 5 }));
  }
}
