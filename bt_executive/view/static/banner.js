'use strict';
// Holds on goals: cause, begin, and the button that ends one. Always visible.

// kind → [label of the button, command]. Charging ends by itself; charging that a fault of the
// embedded rover caused ends with the fault.
const LOW = 'battery_low';
const ENDS = {
  charge: ['fault_off', { do: 'fault', text: LOW, on: false }],
  safe: ['reset', { do: 'line', text: ':reset' }],
  pause: ['resume', { do: 'line', text: ':resume' }],
  manual: ['manual_off', { do: 'manual', on: false }],
};

class Banner {
  constructor(ask) {
    this.ask = ask; // sends a request, and shows its answer
    this.element = h('section', { class: 'banners', 'aria-label': t('holds'), role: 'status', hidden: true });
    this.drawn = '';
    this.rows = [];
    // The first window keeps its height below it.
    new ResizeObserver(() => document.documentElement.style.setProperty('--held', `${this.element.offsetHeight}px`)).observe(this.element);
  }

  show(holds, readOnly, faults, { ended: now, began }) {
    const made = Object.values(faults).flat().includes(LOW);
    const text = JSON.stringify([holds, readOnly, made]);
    if (text !== this.drawn) this.draw(holds, (kind) => readOnly || (kind === 'charge' && !made));
    this.drawn = text;
    this.count(now, began);
  }

  // A row stays the same element while its hold exists, so that the button keeps the focus.
  draw(holds, isHidden) {
    const before = new Map(this.rows.map((row) => [row.kind, row]));
    this.rows = holds.map((hold) => {
      const row = before.get(hold.kind) || this.row(hold.kind);
      setText(row.cause, this.cause(hold));
      row.button.hidden = isHidden(hold.kind);
      return { ...row, since: hold.since };
    });
    const elements = this.rows.map(({ element }) => element);
    if (elements.length !== this.element.children.length || elements.some((each, index) => each !== this.element.children[index])) replaceChildren(this.element, elements);
    this.element.hidden = !holds.length;
  }

  row(kind) {
    const [cause, age] = [h('span', { class: 'cause' }), h('span', { class: 'age' })];
    const [word, request] = ENDS[kind];
    const button = h('button', { type: 'button', onclick: () => this.ask(request) }, t(word, LOW));
    const element = h('div', { class: `banner banner-${kind}` }, h('strong', {}, t(`hold_${kind}`)), h('span', { class: 'why' }, cause, ' ', age), button);
    return { kind, element, cause, age, button };
  }

  cause({ kind, cause, until_pct: until }) {
    if (kind === 'charge') return until === null ? cause : `${cause}. ${t('hold_charge_ends', until)}`;
    if (kind === 'pause') return t('paused_by', cause);
    return kind === 'manual' ? t('hold_manual_why') : `${cause.replace(/[.。]$/, '')}.`;
  }

  // Whether the current state is unknown.
  lose(isLost) { this.isLost = isLost; }

  // now: ROS seconds.
  count(now, began) {
    for (const { age, since } of this.rows) {
      if (this.isLost) { setText(age, t('last_report')); continue; }
      const known = Number.isFinite(since) && Number.isFinite(now);
      setText(age, known ? lastsText(since, now, began) : '');
      age.title = known ? dayText(since) : '';
    }
  }
}

// Duration, and begin if it is within this run.
function lastsText(since, now, began) {
  const seconds = Math.max(Math.round(now - since), 0);
  const long = wholeDuration(seconds);
  return since >= began ? t('lasts_since', long, clockText(Math.round(since - began))) : t('lasts', long);
}
