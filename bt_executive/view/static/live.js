'use strict';
// The live page: the stage that goes on, the desk of the operator, and the stop.

const DOUBLE_KEY_MS = 500;
const CAMERA_MS = 200;
const STOP_SHOWN_MS = 6000;
const HANDED_OVER = 'bt_executive.handed_over';

class LivePage {
  constructor() {
    this.server = new Server();
    this.root = document.getElementById('stage');
    this.status = h('span', { class: 'connection', role: 'status' });
    this.battery = h('span', { class: 'battery' });
    this.camera = h('input', { type: 'checkbox', onchange: () => this.lookAtCamera() });
    this.stopButton = h('button', { type: 'button', class: 'stop', onclick: () => this.stop() });
    this.stopSaid = h('div', { class: 'stop-said', role: 'alert', hidden: true });
    document.addEventListener('keydown', (event) => this.stopKey(event), true);
    document.body.append(this.stopButton, this.stopSaid);
    this.takeOver();
    this.connection = new Connection({ message: (kind, value) => this.take(kind, value), state: (name, seconds) => this.connected(name, seconds) });
    this.wait(t('executive_starting'));
    setInterval(() => this.count(), 1000);
    this.nameStop();
  }

  nameStop() {
    setText(this.stopButton, t('stop'));
    this.stopButton.title = t('stop_hint');
  }

  wait(words) { replaceChildren(this.root, h('p', { class: 'waiting' }, words)); }

  take(kind, value) {
    if (kind === 'hello') this.hello(value);
    if (kind === 'stage') this.begin(value);
    if (kind === 'patch' && this.stage) this.stage.patch(value);
    if (kind === 'desk') this.showDesk(value);
  }

  hello({ life, read_only: readOnly }) {
    if (this.life && this.life !== life) this.loadAnew();
    this.life = this.life || life; // that this page was made by
    this.server.life = life;
    this.readOnly = readOnly;
    this.stopButton.hidden = readOnly;
  }

  // Another life of the server has another door for the stop, which only its own page may use. Once: the
  // page that is loaded knows of no life before. It is fetched first: a server that has gone again
  // would leave the operator without any page.
  async loadAnew() {
    const page = await fetch('/').catch(() => null);
    if (!page || !page.ok) return;
    await this.stopAsked;
    const { stopSaid } = this;
    const stop = { tone: stopSaid.className.split(' ')[1], words: stopSaid.hidden ? '' : stopSaid.textContent, taken: this.stopTaken };
    this.noteTyped();
    try { sessionStorage.setItem(HANDED_OVER, JSON.stringify({ stop, typed: this.typed })); } catch { /* it is lost */ }
    location.reload();
  }

  // What the page before was in the middle of.
  takeOver() {
    let handed = null;
    try {
      handed = JSON.parse(sessionStorage.getItem(HANDED_OVER));
      sessionStorage.removeItem(HANDED_OVER);
    } catch { /* nothing is kept here */ }
    if (!handed) return;
    this.typed = handed.typed;
    this.stopTaken = handed.stop.taken;
    if (handed.stop.words) this.sayStop(handed.stop.tone, handed.stop.words);
  }

  // Times that go on by themselves.
  count() {
    if (!this.controls) return;
    this.controls.count();
    this.banner.count(this.stage.model.ended);
  }

  // What is being typed: the next controls go on with it.
  noteTyped() { if (this.controls) this.typed = this.controls.typed; }

  begin(data) {
    this.noteTyped();
    if (this.stage) this.stage.close();
    this.stage = new Stage(this.root, data);
    this.stage.rebuilt = () => this.furnish();
    this.stage.build();
    this.furnish();
    document.documentElement.dataset.ready = 'yes';
  }

  // The parts of the page that only a live one has, in the language of now.
  furnish() {
    this.nameStop();
    const told = this.controls ? this.controls.told : 0;
    if (!this.typed) this.noteTyped();
    if (this.controls) this.controls.teleop.close();
    this.controls = new Controls(this.server, this.connection);
    this.controls.told = told;
    this.root.querySelector('.parts').prepend(this.controls.element);
    this.banner = new Banner(async (request) => this.controls.answered(await this.server.ask(request)));
    this.root.querySelector('.head').before(this.banner.element);
    this.root.append(this.controls.asks);
    if (this.typed) this.controls.goOn(this.typed);
    this.typed = null;
    replaceChildren(this.stage.extras, this.status, this.battery, h('label', { class: 'quiet' }, this.camera, ' ', t('live_camera')));
    if (this.desk) this.showDesk(this.desk);
    this.showState();
  }

  showDesk(desk) {
    const moved = !this.desk || desk.camera !== this.desk.camera;
    this.desk = desk;
    this.confirmStop(desk);
    if (!this.controls) return;
    this.controls.show(desk, this.readOnly);
    const old = (name) => (desk.ages[name] === undefined ? '' : ` (${t('seconds_ago', desk.ages[name])})`);
    const stale = ['pose', 'status'].filter((name) => old(name)).map((name) => ` · ${t(`old_${name}`)}${old(name)}`).join('');
    const manual = desk.manual ? [{ kind: 'manual', cause: '', since: null, until_pct: null }] : [];
    this.banner.show([...desk.holds, ...manual], this.readOnly, desk.faults, this.stage.model.ended);
    setText(this.battery, desk.battery === null ? stale : `${t('battery')} ${desk.battery} %${old('battery')}${stale}`);
    if (moved && this.camera.checked && desk.camera) this.stage.camera.stream(`/camera.jpg?${desk.camera}`);
    this.showState();
  }

  lookAtCamera() {
    clearInterval(this.cameraTimer);
    if (!this.camera.checked) { this.stage.camera.stream(''); return; }
    const want = () => this.connection.send({ camera: true });
    want();
    this.cameraTimer = setInterval(want, 5 * CAMERA_MS);
  }

  connected(name, seconds) {
    this.line = name;
    this.lostFor = seconds;
    this.showState();
  }

  // What is wrong is said in the head, and over the picture, which is old.
  showState() {
    const presence = this.desk ? this.desk.presence : 'starting';
    const wrong = { lost: t('lost', this.lostFor), closed: t('closed') }[this.line] || { lost: t('executive_lost'), quiet: t('executive_quiet') }[presence] || '';
    const words = wrong || (presence === 'starting' ? t('executive_starting') : t('connected')) + (this.readOnly ? ` · ${t('read_only')}` : '');
    setText(this.status, words);
    this.status.className = `connection ${wrong ? 'bad' : presence}`;
    document.documentElement.classList.toggle('is-lost', Boolean(wrong));
    if (this.stage && this.stage.camera) this.stage.camera.warn(wrong);
    else if (wrong) this.wait(wrong);
  }

  stopKey(event) {
    const now = performance.now();
    const twice = event.key === 'Escape' && !event.repeat && now - (this.escapeAt || -1e9) < DOUBLE_KEY_MS;
    if (event.key === 'Escape' && !event.repeat) this.escapeAt = now;
    if (twice || (event.code === 'Space' && event.ctrlKey)) { event.preventDefault(); this.stop(); }
  }

  async stop() {
    if (this.readOnly) return;
    this.sayStop('', t('stopping'));
    this.stopTaken = false;
    this.stopAsked = this.server.stop();
    const answer = await this.stopAsked;
    this.stopTaken = answer.ok;
    this.sayStop(answer.ok ? '' : 'bad', answer.ok ? t('stop_taken', answer.text) : t('stop_failed', answer.text));
  }

  // "Stopped" is what was measured: the adapter says that the robot stands.
  confirmStop(desk) {
    if (!this.stopTaken || desk.at_rest !== true || desk.active) return;
    this.stopTaken = false;
    this.sayStop('ok', t('stopped'));
  }

  sayStop(tone, words) {
    clearTimeout(this.stopTimer);
    this.stopSaid.className = `stop-said ${tone}`;
    this.stopSaid.hidden = false;
    setText(this.stopSaid, words);
    if (tone === 'ok') this.stopTimer = setTimeout(() => { this.stopSaid.hidden = true; }, STOP_SHOWN_MS);
  }
}

chooseFromBrowser();
const livePage = new LivePage();
