'use strict';
// The live page: the data of the run, the operator's controls, and the stop.

const PICTURE_OLD_MS = 2500; // an older live picture is marked as old
const CAMERA_MS = 1000; // the rover renders for 3 s after each request
const STOP_KEYS = 'F8 · Esc Esc';
const HANDED_OVER = 'bt_executive.handed_over';

class LivePage {
  constructor() {
    this.server = new Server();
    this.server.acting = () => { if (this.stage && !this.stage.clock.follows) this.stage.clock.follow(); };
    this.escape = new DoubleEscape();
    this.root = document.getElementById('stage');
    this.status = h('span', { class: 'connection', role: 'status' });
    this.battery = h('span', { class: 'battery' });
    this.known = h('span', { class: 'known' });
    this.motion = h('span', { class: 'motion' });
    this.guarded = h('span', { class: 'guarded' });
    this.strip = h('div', { class: 'status-strip', 'aria-hidden': 'true', hidden: true }); // the head again, while it is out of view
    this.toasts = new Toasts();
    this.told = null; // number of the latest displayed reply; null: not known yet
    this.stopButton = h('button', { type: 'button', class: 'stop', 'aria-keyshortcuts': 'F8 Control+Space', onclick: () => this.stop() });
    this.stopSaid = h('div', { class: 'stop-said', role: 'alert', hidden: true });
    document.addEventListener('keydown', (event) => this.stopKey(event), true);
    document.documentElement.classList.add('live');
    this.skips = h('nav', { class: 'skips', 'aria-label': t('skip_to') });
    this.root.before(this.stopButton, this.stopSaid, this.escape.hint, this.strip); // the first that Tab reaches
    this.takeOver();
    this.connection = new Connection({ message: (kind, value) => this.take(kind, value), state: (name, seconds) => this.connected(name, seconds) });
    this.wait(t('executive_starting'));
    setInterval(() => { this.count(); this.showState(); if (this.desk) this.confirmStop(this.desk); }, 1000);
    setInterval(() => this.askForCamera(), CAMERA_MS);
    document.addEventListener('visibilitychange', () => this.askForCamera());
    this.nameStop();
  }

  nameStop() {
    replaceChildren(this.stopButton, t('stop'), h('small', {}, STOP_KEYS));
    this.stopButton.title = t('stop_hint');
  }

  wait(words) { replaceChildren(this.root, h('p', { class: 'waiting' }, words)); }

  take(kind, value) {
    if (kind === 'hello') this.hello(value);
    if (kind === 'stage') this.begin(value);
    if (kind === 'patch' && this.stage) this.stage.patch(value);
    if (kind === 'desk') this.showDesk(value);
  }

  hello({ life, read_only: readOnly, clock, system }) {
    this.ahead = performance.now() - clock * 1000; // of this browser's steady clock, in ms
    this.server.systemAhead = Date.now() / 1000 - system;
    if (this.life && this.life !== life) this.loadAnew();
    this.life = this.life || life; // that this page was made by
    this.server.life = life;
    this.readOnly = readOnly;
    this.stopButton.hidden = readOnly;
  }

  // A restarted server has another stop server, which only its own page may use. Once: the
  // loaded page knows no previous server. The page is fetched first: a server that is lost again
  // would leave the operator without any page.
  async loadAnew() {
    const page = await fetch('/').catch(() => null);
    if (!page || !page.ok) return;
    await this.stopAsked;
    const { stopSaid } = this;
    const stop = { tone: stopSaid.className.split(' ')[1], words: stopSaid.hidden ? '' : stopSaid.textContent, taken: this.stopTaken };
    this.noteTyped();
    try { sessionStorage.setItem(HANDED_OVER, JSON.stringify({ stop, typed: this.typed, place: this.destination && this.destination.place })); } catch { /* it is lost */ }
    location.reload();
  }

  // Unfinished input of the previous page.
  takeOver() {
    let handed = null;
    try {
      handed = JSON.parse(sessionStorage.getItem(HANDED_OVER));
      sessionStorage.removeItem(HANDED_OVER);
    } catch { /* nothing is kept here */ }
    if (!handed) return;
    this.typed = handed.typed;
    this.wanted = handed.place; // the chosen destination
    this.stopTaken = handed.stop.taken ? performance.now() : 0;
    if (handed.stop.words) this.sayStop(handed.stop.tone, handed.stop.words);
  }

  // Times that go on by themselves.
  count() {
    if (!this.controls) return;
    this.controls.requests.count();
    this.banner.count(this.stage.model.ended, this.stage.model.began);
  }

  // The text being typed, for the next controls.
  noteTyped() { if (this.controls) this.typed = this.controls.typed; }

  begin(data) {
    this.noteTyped();
    if (this.stage) this.stage.close();
    this.stage = new Stage(this.root, data);
    this.stage.rebuilt = () => this.furnish();
    this.stage.clock.listen(() => this.showReadings());
    this.stage.build();
    this.furnish();
    document.documentElement.dataset.ready = 'yes';
  }

  // The parts of the page that only a live one has, in the language of now.
  furnish() {
    this.nameStop();
    if (!this.typed) this.noteTyped();
    if (this.controls) this.controls.teleop.close();
    if (this.destination) this.wanted = this.destination.wanted;
    const { stage } = this;
    this.controls = new Controls(this.server, this.connection, (ok, text) => this.say(ok, text), stage.model.data.run.by_hand || []);
    const { controls } = this;
    this.camera = h('input', { type: 'checkbox', checked: remembered('camera') !== 'off', onchange: () => this.chooseCamera() });
    this.banner = new Banner(async (request) => controls.answered(await this.server.ask(request)));
    if (stage.model.data.run.drives_to) this.destination = new Destination(this.server, stage.map, (answer) => controls.answered(answer), this.wanted);
    stage.front.before(this.banner.element, this.skips);
    stage.front.append(controls.offer(stage.model.data.run.examples || {}), controls.form);
    stage.now.waiting.append(controls.requests.element, controls.question, controls.words);
    stage.now.element.querySelector('.title').append(controls.stepping);
    stage.parts.prepend(...controls.panels);
    stage.parts.append(foldable('messages-panel', t('messages'), this.toasts.log));
    stage.camera.tools.prepend(h('label', {}, this.camera, ' ', t('live_camera')));
    stage.timeline.now.prepend(controls.requests.asks);
    if (this.typed) controls.goOn(this.typed);
    this.typed = null;
    stage.head.mode.after(this.motion, this.guarded);
    this.headSeen?.disconnect();
    this.headSeen = new IntersectionObserver(([seen]) => { this.strip.hidden = seen.isIntersecting; this.drawStrip(); });
    this.headSeen.observe(stage.head.element);
    replaceChildren(stage.extras, this.status, this.battery, this.known, stage.details.share());
    this.nameSkips();
    if (this.desk) this.showDesk(this.desk);
    this.showState();
  }

  // What the keyboard is led to past the head and the map; seen while one of them has the focus.
  nameSkips() {
    const { stage, controls } = this;
    const skip = (word, lead) => h('button', { type: 'button', onclick: lead }, t(word));
    const decision = () => { if (controls.requests.waiting.length) controls.requests.lead(); else stage.now.scroll.focus(); };
    replaceChildren(this.skips, h('span', {}, t('skip_to')), this.readOnly ? [] : skip('prompt', () => controls.input.focus()), skip('now', decision), this.destination ? skip('map', () => stage.map.svg.focus()) : []);
  }

  showDesk(desk) {
    this.desk = desk;
    this.confirmStop(desk);
    if (!this.controls) return;
    this.controls.show(desk, this.readOnly);
    if (this.destination) this.destination.show(desk, this.readOnly);
    this.showReplies(desk.replies);
    const manual = desk.manual ? [{ kind: 'manual', cause: '', since: null, until_pct: null }] : [];
    this.banner.show([...desk.holds, ...manual], this.readOnly, desk.faults, this.stage.model);
    this.stage.model.poseAge = desk.ages.pose;
    this.cameraAt = desk.camera_at * 1000 + this.ahead;
    if (this.camera.checked && desk.camera) this.stage.camera.stream(`/camera.jpg?${desk.camera}`);
    this.showState();
  }

  // Replies from before this page was opened are only in its log.
  showReplies(replies) {
    for (const [id, ok, text] of replies) {
      if (this.told === null) this.toasts.note(ok, text, null);
      else if (id > this.told) this.say(ok, text);
    }
    this.told = replies.length ? replies[replies.length - 1][0] : this.told ?? 0;
  }

  // Beside mode and goal, and of the same moment: of now, or of the one that is looked at.
  showReadings() {
    const { desk, stage } = this;
    const isPast = !stage.clock.follows;
    this.motion.hidden = this.guarded.hidden = !desk || isPast; // how it moved then is on the map
    if (!desk) return;
    const standing = this.isWrong ? 'unknown' : desk.motion.standing;
    setText(this.motion, this.isWrong ? t('standing_unknown') : this.motionWords(desk.motion));
    this.motion.className = `motion motion-${standing}`;
    setText(this.guarded, desk.guarded.map(([name, words]) => (this.isWrong || !words ? t('part_unknown', name) : words)).join(' · '));
    this.guarded.classList.toggle('unknown', this.isWrong || desk.guarded.some(([, words]) => !words));
    setText(this.known, this.isWrong || isPast ? '' : desk.parts.join(' · '));
    setText(this.battery, isPast ? this.chargeThen() : this.isWrong ? '' : this.chargeNow());
    this.drawStrip();
  }

  // Always of now, also while a moment of before is looked at.
  drawStrip() {
    if (this.strip.hidden || !this.desk) return;
    const mode = this.isWrong ? '' : this.desk.mode;
    const wrong = this.isWrong ? h('span', { class: 'connection bad' }, this.status.textContent) : null;
    replaceChildren(this.strip, h('span', { class: `mode mode-${mode.toLowerCase()}` }, mode || t('no_mode')), ...[this.motion, this.guarded].map((each) => h('span', { class: each.className }, each.textContent)), wrong);
  }

  // Motion state by the adapter, its duration, and the remaining distance of a drive.
  motionWords({ standing, since, speed_m_s: speed, to_go_m: left }) {
    const words = speed === null ? t(`standing_${standing}`) : t('moves_at', number(speed));
    const lasting = since === null ? words : t('motion_for', words, wholeDuration(Math.max(Math.round(this.stage.model.ended - since), 0)));
    return left ? `${lasting} · ${t('to_go', left)}` : lasting;
  }

  chargeThen() {
    const charge = this.stage.model.chargeAt(this.stage.clock.ts);
    return charge === null ? '' : `${t('battery')} ${number(charge, 1)} %`;
  }

  chargeNow() {
    const { ages, battery } = this.desk;
    const old = (name) => (ages[name] === undefined ? '' : ` (${t('seconds_ago', ages[name])})`);
    const stale = ['pose', 'status'].filter((name) => old(name)).map((name) => ` · ${t(`old_${name}`)}${old(name)}`).join('');
    return battery === null ? stale : `${t('battery')} ${battery} %${old('battery')}${stale}`;
  }

  say(ok, text) { this.toasts.say(ok, text, this.stage.model); }

  chooseCamera() {
    remember('camera', this.camera.checked ? 'on' : 'off');
    if (!this.camera.checked) this.stage.camera.stream('');
    this.askForCamera();
  }

  // The rover's camera works only while its picture is displayed. Whether another robot has one is
  // known when a picture comes.
  askForCamera() {
    const { camera } = this.stage || {};
    if (this.controls && this.camera.checked && !document.hidden && (camera.isSeen || !camera.isThere)) this.connection.send({ camera: true });
  }

  connected(name, seconds) {
    this.line = name;
    this.lostFor = seconds;
    this.showState();
  }

  // Problems are shown in the head, and over the old picture.
  showState() {
    const presence = this.desk ? this.desk.presence : 'starting';
    const wrong = { lost: t('lost', this.lostFor), closed: t('closed'), too_many: t('too_many') }[this.line] || { lost: t('executive_lost'), quiet: t('executive_quiet') }[presence] || '';
    const words = wrong || (presence === 'starting' ? t('executive_starting') : t('connected')) + (this.readOnly ? ` · ${t('read_only')}` : '');
    this.isWrong = Boolean(wrong);
    setText(this.status, words);
    this.status.className = `connection ${wrong ? 'bad' : presence}`;
    document.documentElement.classList.toggle('is-lost', Boolean(wrong));
    document.documentElement.classList.toggle('is-old-pose', Boolean(this.desk && this.desk.ages.pose !== undefined));
    if (this.stage && this.stage.camera) {
      this.stage.camera.warn(wrong || this.oldPicture(), !wrong);
      for (const part of [this.stage.head, this.stage.timeline, this.banner, this.controls, this.destination]) if (part) part.lose(Boolean(wrong));
      this.showReadings();
    } else if (wrong) this.wait(wrong);
  }

  // The camera or its driver may have stopped: then the picture stays with its age.
  oldPicture() {
    const age = this.stage.camera.isLive ? performance.now() - this.cameraAt : 0;
    return age > PICTURE_OLD_MS ? t('old_picture', Math.round(age / 1000)) : '';
  }

  stopKey(event) {
    if (this.readOnly) return;
    if (this.escape.isSecond(event) || event.key === 'F8' || (event.code === 'Space' && event.ctrlKey)) { event.preventDefault(); this.stop(); }
  }

  async stop() {
    if (this.readOnly) return;
    this.sayStop('', t('stopping'));
    this.stopTaken = 0;
    this.stopAsked = this.server.stop();
    if (this.controls) this.controls.teleop.release(); // a key that is held still is no new wish
    const answer = await this.stopAsked;
    this.stopTaken = answer.ok ? performance.now() : 0;
    this.sayStop(answer.ok ? '' : 'bad', answer.ok ? t('stop_taken', answer.text) : t('stop_failed', answer.text));
  }

  // "Stopped" is a measurement: the adapter reports that the robot stands. It ends with the standstill.
  confirmStop(desk) {
    const stands = !this.isWrong && desk.motion.standing === 'stands' && !desk.active;
    if (!stands) this.stopSaid.hidden ||= this.stopSaid.classList.contains('ok');
    const outcome = stopOutcome(this.stopTaken, desk.status_max_age_s, stands);
    if (outcome === 'open' && !this.stopSaid.classList.contains('bad')) this.sayStop('bad', t('stop_open'));
    if (outcome !== 'stands') return;
    this.stopTaken = 0;
    this.sayStop('ok', t('stopped'));
  }

  sayStop(tone, words) {
    clearTimeout(this.stopTimer);
    this.stopSaid.className = `stop-said ${tone}`;
    this.stopSaid.hidden = false;
    setText(this.stopSaid, words);
    if (tone && this.stage) this.toasts.note(tone === 'ok', words, this.stage.model);
    if (tone === 'ok') this.stopTimer = setTimeout(() => { this.stopSaid.hidden = true; }, STOP_SHOWN_MS);
  }
}

chooseFromBrowser();
const livePage = new LivePage();
