'use strict';
// The connection to the server: reconnects, and reports a loss at once.

const SILENCE_MS = 1500; // the server sends a message twice a second
const FIRST_MS = 10000; // after its greeting it sends all data, a few MB of a long run: as long as it waits for a page
const TOO_MANY = 4429; // code of a connection that is closed because so many pages are open
const RETRY_MS = [300, 600, 1200, 2500, 5000];
const FOR_GOOD = { 4403: 'closed' };
const DOUBLE_KEY_MS = 1500; // for a slow second press; the page shows its effect meanwhile
const STOP_SHOWN_MS = 6000;
const STANDS_MS = { within: 4000 }; // after an accepted stop; later the page shows that no standstill was measured
const STOP_MS = 4000; // both servers answer a stop within about one second, or are closed

class Connection {
  // on: { message(kind, value), state(name, since) }, name: connected, lost, too_many or closed.
  constructor(on) {
    this.on = on;
    this.tries = 0;
    this.heard = 0;
    this.lostAt = null;
    setInterval(() => this.look(), 250);
    window.addEventListener('offline', () => this.lose());
    this.open();
  }

  open() {
    this.socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/feed`);
    this.heard = performance.now();
    this.isGreeted = false; // and nothing else has come
    const { socket } = this;
    socket.addEventListener('message', (event) => { if (socket === this.socket) this.take(event.data); });
    socket.addEventListener('close', (event) => { if (socket === this.socket) this.closed(event.code); });
  }

  take(text) {
    this.heard = performance.now();
    this.tries = 0;
    const message = JSON.parse(text);
    this.isGreeted = 'hello' in message;
    if (!this.isGreeted && (this.lostAt !== null || !this.told)) { this.lostAt = null; this.told = true; this.on.state('connected', 0); }
    for (const [kind, value] of Object.entries(message)) this.on.message(kind, value);
    this.heard = performance.now(); // drawing all data may take long, too
  }

  closed(code) {
    if (FOR_GOOD[code]) { this.over = true; this.why = 'closed'; this.lostAt ??= this.heard; this.tellLost(); return; }
    this.lose(code === TOO_MANY ? 'too_many' : 'lost');
    setTimeout(() => this.open(), RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)]);
    this.tries += 1;
  }

  lose(name = 'lost') {
    this.why = name;
    this.lostAt ??= this.heard; // so old is what is shown
    this.tellLost();
  }

  tellLost() { this.on.state(this.why, Math.round((performance.now() - this.lostAt) / 1000)); }

  look() {
    if (this.lostAt !== null) this.tellLost();
    if (this.over) return;
    if (this.socket.readyState !== WebSocket.OPEN || performance.now() - this.heard < (this.isGreeted ? FIRST_MS : SILENCE_MS)) return;
    const silent = this.socket;
    this.socket = { readyState: WebSocket.CLOSED };
    silent.close();
    this.closed(0);
  }

  send(word) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(word));
  }
}

const HOLDS = [':safe_stop', ':pause']; // these are repeated after a stop, too

// Requests of this page. Each has an id, so that a repeated one is carried out once. acting: is
// called whenever something is asked of the robot.
class Server {
  constructor() {
    const meta = (name) => document.querySelector(`meta[name=${name}]`).content;
    this.csrf = meta('csrf');
    this.door = `http://${location.hostname}:${meta('door')}/stop`;
    this.life = '';
    this.page = crypto.randomUUID();
    this.asked = 0; // number of its latest request
    this.stopped = 0; // number of its latest stop by button or key: what was asked before it is not carried out after it
    this.systemAhead = 0; // of this browser's time of day, in s: it may be another machine
    this.acting = () => {};
  }

  // acts: whether the operator requested it; else the page did. What got no answer before a stop is not
  // repeated after it: it would begin then.
  async ask(wish, acts = true) {
    if (acts) this.acting();
    this.asked += 1;
    const number = this.asked;
    const body = JSON.stringify({ id: crypto.randomUUID(), life: this.life, page: this.page, number, ...wish });
    for (let attempt = 0; ; attempt += 1) {
      try {
        const response = await fetch('/act', { method: 'POST', body, headers: { 'X-CSRF-Token': this.csrf, 'Content-Type': 'application/json' } });
        return response.headers.get('content-type') === 'application/json' ? await response.json() : { ok: false, text: await response.text() };
      } catch {
        if (attempt === 3) return { ok: false, text: t('no_answer') };
        await new Promise((done) => { setTimeout(done, 300 * (attempt + 1)); });
        if (this.stopped > number && !HOLDS.includes(wish.text)) return { ok: false, text: t('stopped_since') };
      }
    }
  }

  ownWay() { return fetch(this.door, { method: 'POST', body: `${this.csrf} ${this.page} ${this.stopped}`, headers: { 'Content-Type': 'text/plain' } }); }

  // By the stop server and by the page's server: the first confirmation counts. The stop server refuses a page
  // of a previous server, and cannot be reached through a tunnel without its port.
  stop() {
    this.asked += 1;
    this.stopped = this.asked;
    const requests = [this.ownWay(), fetch('/stop', { method: 'POST', headers: { 'X-CSRF-Token': this.csrf, 'X-Page-Stop': `${this.page} ${this.stopped}` } })];
    this.acting(); // after what must not wait
    return firstConfirmed(requests);
  }
}

// The first confirmation of a stop that was requested in several ways, or why there is none.
async function firstConfirmed(requests) {
  try {
    return await Promise.race([Promise.any(requests.map(confirmed)), noAnswer()]);
  } catch (none) {
    return { ok: false, text: [...new Set(none.errors.map((error) => error.message))].join(' · ') };
  }
}

// The result of a stop without an answer in time.
function noAnswer() {
  return new Promise((done) => { setTimeout(() => done({ ok: false, text: `no answer within ${STOP_MS / 1000} s` }), STOP_MS); });
}

// Whether the displayed standstill was measured after a stop that was accepted at that time; 0: none
// was. A status older than maxAge, in s, makes the motion state unknown; null: not known.
function isMeasured(taken, maxAge) { return taken > 0 && maxAge !== null && performance.now() - taken > maxAge * 1000; }

// The result of a stop that was accepted at that time: stands, open (not confirmed in time) or none yet.
function stopOutcome(taken, maxAge, stands) {
  if (stands && isMeasured(taken, maxAge)) return 'stands';
  return taken && performance.now() - taken > STANDS_MS.within ? 'open' : '';
}

// Counts presses of Escape: two in short succession are a stop; the page shows a hint
// meanwhile. A held key is one press.
class DoubleEscape {
  constructor() { this.hint = h('div', { class: 'escape-hint', role: 'status', 'aria-live': 'assertive' }); }

  isSecond(event) {
    if (event.key !== 'Escape' || event.repeat) return false;
    const isOpen = this.hint.textContent !== '' || event.timeStamp - (this.last ?? -DOUBLE_KEY_MS) < DOUBLE_KEY_MS;
    this.last = event.timeStamp;
    clearTimeout(this.timer);
    setText(this.hint, isOpen ? '' : t('escape_again'));
    if (!isOpen) this.timer = setTimeout(() => setText(this.hint, ''), DOUBLE_KEY_MS);
    return isOpen;
  }
}

// The answer to a stop that was confirmed; an error for any other one.
async function confirmed(request) {
  const response = await request.catch(() => { throw new Error(t('no_connection')); });
  const isJson = response.headers.get('content-type') === 'application/json';
  const answer = isJson ? await response.json() : { ok: false, text: await response.text() };
  if (!answer.ok) throw new Error(answer.text);
  return answer;
}
