'use strict';
// Driving by hand, with the commands of the robot file. In manual mode a motion that can be held
// lasts while a button or key is; else each press calls the tool.

const HOLD_MS = 100; // period of sending a held motion; it ends when that stops
const DRIVE_KEYS = { KeyW: 'forward', KeyA: 'left', KeyS: 'back', KeyD: 'right' };
const DRIVE_WORDS = Object.values(DRIVE_KEYS); // that the page has a picture and a word for
const TEXT_FIELDS = 'input[type=text], input[type=search], textarea';

class Teleop {
  // words: [what it is called, the motion that can be held or ''] of each.
  constructor(server, connection, words) {
    Object.assign(this, { server, connection, words, held: null, timer: null });
    this.motions = new Map(words.filter(([, motion]) => motion));
    this.keys = Object.entries(DRIVE_KEYS).filter(([, word]) => this.motions.has(word)).map(([code]) => code.slice(-1)).join(' ');
    this.switch = new Switch((on) => server.ask({ do: 'manual', on }));
    this.manual = this.switch.box;
    this.hint = h('p', { class: 'quiet' });
    this.pad = h('div', { class: 'pad', role: 'group', 'aria-label': t('drive') }, words.map(([word]) => this.button(word)));
    this.element = h('section', { class: 'teleop' }, h('label', { hidden: !this.motions.size }, this.manual, ' ', t('manual_on')), this.pad, this.hint);
    this.over = new AbortController();
    const { signal } = this.over;
    // At first, so that no other part of the page can keep a key's end from it.
    document.addEventListener('keydown', (event) => this.keyDown(event), { signal, capture: true });
    document.addEventListener('keyup', (event) => this.keyUp(event), { signal, capture: true });
    document.addEventListener('focusin', (event) => { if (event.target.closest(TEXT_FIELDS)) this.release(); }, { signal });
    window.addEventListener('blur', () => this.release(), { signal });
    document.addEventListener('visibilitychange', () => this.release(), { signal });
  }

  // Ends: another one replaces this one, and nothing is held any more.
  close() {
    this.release();
    this.over.abort();
  }

  button(word) {
    const act = () => { if (!this.manual.checked || !this.motions.has(word)) this.tool(word); };
    const button = DRIVE_WORDS.includes(word) ? iconButton(word, act) : h('button', { type: 'button', onclick: act });
    button.append(' ', DRIVE_WORDS.includes(word) ? t(word) : word);
    button.addEventListener('pointerdown', () => this.hold(this.motions.get(word)));
    for (const end of ['pointerup', 'pointerleave', 'pointercancel']) button.addEventListener(end, () => this.release());
    return button;
  }

  tool(word) { this.server.ask({ do: 'line', text: `:teleop ${word}` }); }

  // With Ctrl or Meta a browser may keep the end of a key to itself.
  keyDown(event) {
    if (event.ctrlKey || event.metaKey) this.release();
    const motion = this.motions.get(DRIVE_KEYS[event.code]);
    if (!motion || event.repeat || event.ctrlKey || event.metaKey || event.target.closest(TEXT_FIELDS)) return;
    if (this.manual.checked) this.hold(motion); else this.release();
  }

  // Wherever the focus is: releasing a key ends the motion.
  keyUp(event) { if (DRIVE_KEYS[event.code]) this.release(); }

  // Behind an enlarged picture nothing drives: nothing there shows it.
  get isCovered() { return this.element.closest('[inert]') !== null; }

  hold(motion) {
    if (!motion || !this.manual.checked || this.isCovered) return;
    this.server.acting();
    this.held = motion;
    clearInterval(this.timer);
    const tell = () => { if (this.isCovered) this.release(); else this.connection.send({ drive: this.held }); };
    tell();
    this.timer = setInterval(tell, HOLD_MS);
  }

  release() {
    if (this.held === null) return;
    this.held = null;
    clearInterval(this.timer);
    this.connection.send({ drive: '' });
  }

  show(desk, readOnly) {
    this.element.hidden = readOnly;
    this.switch.show(desk.manual);
    setText(this.hint, desk.manual ? `${t('manual_hint')} (${this.keys})` : t('by_tools'));
  }
}
