'use strict';
// The page of a fleet. Unknown values are shown as unknown.

const LOOK_MS = 1000; // the rover renders for 3 s after each request

class FleetTile {
  constructor(name, page) {
    this.name = name;
    this.page = page;
    this.mode = h('span', { class: 'tile-mode' });
    this.standing = h('span', { class: 'tile-standing' });
    this.battery = h('span', { class: 'tile-battery' });
    this.waiting = h('span', { class: 'tile-waiting' });
    this.hold = h('p', { class: 'tile-hold' });
    this.goal = h('p', { class: 'tile-goal' });
    this.said = h('p', { class: 'tile-said', role: 'status', hidden: true });
    this.picture = h('img', { alt: `${t('camera')}: ${name}`, hidden: true });
    this.old = h('p', { class: 'tile-old' });
    this.link = h('a', { target: '_blank', rel: 'noopener' }, t('open_robot'));
    this.button = h('button', { type: 'button', class: 'stop-one', onclick: () => this.stop() }, t('stop_robot', name));
    this.element = h('section', { class: 'tile', 'aria-label': name },
      h('div', { class: 'row' }, h('h2', {}, name), this.mode, this.link),
      this.hold, this.goal,
      h('div', { class: 'row' }, this.standing, this.battery, this.waiting),
      this.picture, this.old, this.said, h('div', { class: 'row' }, this.button));
  }

  show(tile) {
    const ready = tile.presence === 'ready';
    const kind = ready ? (tile.hold ? tile.hold.kind : '') : 'silent';
    this.element.className = `tile ${kind}`;
    setText(this.mode, ready && tile.mode ? tile.mode : t('no_mode'));
    const silence = wholeDuration(tile.silent_s || 0);
    const hold = ready
      ? (tile.hold ? this.heldText(tile) : '')
      : `${t(tile.presence === 'starting' ? 'robot_starting' : 'silent_for', silence)} ${tile.why}`;
    this.hold.hidden = !hold;
    setText(this.hold, hold);
    setText(this.goal, ready ? (tile.goal ? [tile.goal, tile.progress].filter(Boolean).join(' · ') : t('no_goal')) : '');
    setText(this.standing, t(`standing_${tile.standing}`));
    const old = tile.battery_age_s === null ? '' : ` (${t('seconds_ago', tile.battery_age_s)})`;
    setText(this.battery, tile.battery_pct === null ? t('battery_unknown') : `${t('battery')} ${tile.battery_pct} %${old}`);
    setText(this.waiting, tile.waiting ? t('waits', tile.waiting) : '');
    this.picture.hidden = !tile.picture;
    this.confirmStop(tile);
    if (tile.standing !== 'stands' || tile.active) this.said.hidden ||= this.said.classList.contains('ok'); // that was before
    const source = `/camera/${this.name}?n=${tile.picture}`;
    if (tile.picture && this.picture.getAttribute('src') !== source) this.picture.src = source;
    const isOld = tile.picture_age_s !== null;
    this.picture.classList.toggle('old', isOld);
    setText(this.old, isOld ? t('old_picture', tile.picture_age_s) : '');
  }

  heldText({ hold: { kind, cause }, hold_s: seconds }) {
    const why = kind === 'pause' ? t('paused_by', cause) : `${cause.replace(/[.。]$/, '')}.`;
    return `${t(`hold_${kind}`)}: ${why} ${seconds === null ? '' : t('lasts', wholeDuration(seconds))}`;
  }

  open(link) { this.link.href = link; }

  async stop() {
    this.tell('', t('stopping'));
    this.stopTaken = 0;
    const answer = await this.page.ask(`/stop/${this.name}`);
    this.stopped(answer);
    return answer;
  }

  stopped(answer) {
    this.stopTaken = answer.ok ? performance.now() : 0;
    this.tell(answer.ok ? '' : 'bad', t(answer.ok ? 'stop_taken' : 'stop_failed', answer.text));
  }

  // "Stopped" is a measurement: the adapter reports that the robot stands.
  confirmStop(tile) {
    const outcome = stopOutcome(this.stopTaken, tile.status_max_age_s, tile.standing === 'stands' && !tile.active);
    if (outcome === 'open' && !this.said.classList.contains('bad')) this.tell('bad', t('stop_open'));
    if (outcome !== 'stands') return;
    this.stopTaken = 0;
    this.tell('ok', t('stopped'));
  }

  // Whether a stop was received and no standstill was measured in time.
  get isOpen() { return this.stopTaken > 0 && this.said.classList.contains('bad'); }

  tell(tone, words) {
    clearTimeout(this.timer);
    this.said.className = `tile-said ${tone}`;
    this.said.hidden = false;
    setText(this.said, words);
    if (tone === 'ok') this.timer = setTimeout(() => { this.said.hidden = true; }, STOP_SHOWN_MS);
  }
}

class FleetPage {
  constructor() {
    this.server = new Server();
    this.escape = new DoubleEscape();
    this.tiles = new Map();
    this.links = {};
    this.status = h('span', { class: 'connection', role: 'status' });
    this.grid = h('div', { class: 'tiles' });
    this.stopButton = h('button', { type: 'button', class: 'stop', title: t('stop_all_hint'), 'aria-keyshortcuts': 'F8', onclick: () => this.stopAll() }, t('stop_all'), h('small', {}, 'F8 · Esc Esc'));
    this.stopSaid = h('div', { class: 'stop-said', role: 'alert', hidden: true });
    document.addEventListener('keydown', (event) => this.key(event), true);
    document.body.prepend(this.stopButton, this.escape.hint); // the first that Tab reaches
    document.getElementById('fleet').append(h('header', {}, h('h1', {}, t('fleet')), this.status), this.stopSaid, this.grid);
    this.connection = new Connection({ message: (kind, value) => this.take(kind, value), state: (name, seconds) => this.connected(name, seconds) });
    setInterval(() => { if (!document.hidden) this.connection.send({ look: true }); }, LOOK_MS);
  }

  take(kind, value) {
    if (kind === 'hello') { this.links = value.links; this.readOnly = value.read_only; this.stopButton.hidden = value.read_only; }
    if (kind !== 'fleet') return;
    for (const each of value) {
      if (!this.tiles.has(each.name)) {
        this.tiles.set(each.name, new FleetTile(each.name, this));
        this.grid.append(this.tiles.get(each.name).element);
      }
      const tile = this.tiles.get(each.name);
      tile.open(this.links[each.name]);
      tile.button.hidden = this.readOnly;
      tile.show(each);
    }
    if (this.isTaken) this.sumUp();
  }

  // Without the server the state of every robot is unknown.
  connected(name, seconds) {
    this.status.className = `connection ${name === 'connected' ? 'ready' : 'bad'}`;
    setText(this.status, name === 'lost' ? t('lost', seconds) : t(name));
    if (name === 'connected') return;
    for (const tile of this.tiles.values()) tile.show({ presence: 'quiet', silent_s: seconds, why: '', standing: 'unknown', battery_pct: null, battery_age_s: null, status_max_age_s: null, waiting: 0, picture: 0, picture_age_s: null, goal: '' });
    if (this.isTaken) this.sumUp();
  }

  key(event) {
    if (this.readOnly) return;
    const twice = this.escape.isSecond(event);
    if (event.repeat || !(event.key === 'F8' || twice)) return;
    event.preventDefault();
    this.stopAll();
  }

  async stopAll() {
    this.isTaken = false;
    this.say('', t('stopping'));
    const all = [...this.tiles.values()];
    const inOne = all.length ? firstConfirmed([this.server.ownWay()]) : this.server.stop(); // before the first tiles only so
    const answers = await Promise.all(all.map((tile) => tile.stop())); // a robot that hangs delays no other
    const open = all.filter((tile, index) => !answers[index].ok);
    const answer = open.length || !all.length ? await inOne : { ok: true };
    if (answer.ok) for (const tile of open) tile.stopped({ ok: true, text: '' });
    this.say(answer.ok ? '' : 'bad', answer.ok ? t('stop_all_taken') : t('stop_failed', open.map((tile) => tile.name).join(', ') || answer.text));
    this.isTaken = answer.ok;
    if (this.isTaken) this.timer = setTimeout(() => { this.stopSaid.hidden = true; }, STOP_SHOWN_MS);
  }

  // After a stop that all robots have received: those without a confirmed standstill.
  sumUp() {
    const open = [...this.tiles.values()].filter((tile) => tile.isOpen).map((tile) => tile.name).join(', ');
    if (open) this.say('bad', `${open}: ${t('stop_open')}`);
    else if (this.stopSaid.classList.contains('bad')) this.stopSaid.hidden = true;
  }

  say(tone, words) {
    clearTimeout(this.timer);
    this.stopSaid.className = `stop-said ${tone}`;
    this.stopSaid.hidden = false;
    setText(this.stopSaid, words);
  }

  async ask(path) {
    const asked = fetch(path, { method: 'POST', headers: { 'X-CSRF-Token': this.server.csrf } }).then(async (response) => (
      response.headers.get('content-type') === 'application/json' ? response.json() : { ok: false, text: await response.text() }
    )).catch(() => ({ ok: false, text: t('no_connection') }));
    return Promise.race([asked, noAnswer()]);
  }
}

Language.choose(remembered('language') || (navigator.language || 'en').slice(0, 2));
const fleetPage = new FleetPage();
