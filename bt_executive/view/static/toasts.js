'use strict';
// Messages: each is shown over the page for a moment, and kept in a log.

const TOAST_MS = { ok: 6000, bad: 12000 };
const MOST_TOASTS = { wide: 3, narrow: 1 }; // over a phone's map
const MOST_LOGGED = 200;

class Toasts {
  constructor() {
    this.element = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });
    this.log = h('ol', { class: 'replies', tabindex: 0 });
    document.body.append(this.element);
  }

  // Only into the log: it is shown elsewhere. run: { now, began } in ROS s; null: it was before this page.
  note(ok, text, run) {
    this.log.prepend(h('li', { class: ok ? 'ok' : 'bad' }, run && moment(run.now, run.began), run && ' ', text.includes('\n') ? h('pre', {}, text) : text));
    while (this.log.children.length > MOST_LOGGED) this.log.lastChild.remove();
  }

  // A text of several lines stays until it is closed.
  say(ok, text, run) {
    this.note(ok, text, run);
    const tone = ok ? 'ok' : 'bad';
    const isLong = text.includes('\n');
    const close = () => toast.remove();
    const toast = h('div', { class: `toast ${tone}` }, isLong ? h('pre', { tabindex: 0 }, text) : h('p', {}, text), h('button', { type: 'button', 'aria-label': t('close'), onclick: close }, '×'));
    this.element.append(toast);
    const most = matchMedia('(max-width: 760px)').matches ? MOST_TOASTS.narrow : MOST_TOASTS.wide;
    while (this.element.children.length > most) this.element.firstChild.remove();
    if (!isLong) this.goLater(toast, TOAST_MS[tone]);
  }

  // Not while the pointer is over it.
  goLater(toast, ms) {
    setTimeout(() => { if (toast.matches(':hover, :focus-within')) this.goLater(toast, ms); else toast.remove(); }, ms);
  }
}
