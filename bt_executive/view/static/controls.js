'use strict';
// The operator's controls: goals, answers, the queue, pauses, faults.

const FAULT_NAMES = ['camera_off', 'camera_frozen', 'camera_corrupt', 'tf_off', 'tf_jumping', 'wheel_slip', 'mast_jammed', 'battery_lost', 'battery_low', 'clock_jump'];

class Controls {
  // say(ok, text): shows a message. byHand: the robot file's commands for driving by hand.
  constructor(server, connection, say, byHand) {
    Object.assign(this, { server, say, desk: null });
    this.input = h('input', { type: 'text', class: 'prompt', placeholder: t('prompt_hint'), 'aria-label': t('prompt'), autocomplete: 'off', enterKeyHint: 'send' });
    this.input.addEventListener('keydown', (event) => this.keys(event));
    this.history = [];
    this.at = 0;
    this.requests = new Requests(server, (answer) => this.answered(answer));
    this.queue = h('ol', { class: 'queue', 'aria-label': t('queue') });
    this.question = h('p', { class: 'question', hidden: true });
    this.words = h('p', { class: 'model-words', hidden: true });
    this.faults = h('div', { class: 'faults' });
    this.teleop = new Teleop(server, connection, byHand);
    const order = (name) => h('button', { type: 'button', title: t(`${name}_hint`), onclick: () => this.line(`:${name}`) }, t(name));
    this.step = new Switch((on) => this.line(`:step ${on ? 'on' : 'off'}`));
    this.breaks = h('span', { class: 'quiet' });
    this.stepping = h('div', { class: 'tools stepping' }, h('label', { title: t('step_hint') }, this.step.box, ' ', t('step')), this.breaks);
    this.send = h('button', { type: 'submit' }, t('send'));
    this.orders = Object.fromEntries(['pause', 'resume', 'reset'].map((name) => [name, order(name)]));
    this.form = h('form', { class: 'prompt-row', onsubmit: (event) => { event.preventDefault(); this.submit(); } }, this.input, this.send, this.orders.pause, this.orders.resume, order('safe_stop'), this.orders.reset);
    this.faultsPanel = foldable('faults-panel', t('faults'), this.faults);
    this.panels = [
      foldable('queue-panel', t('queue'), this.queue),
      ...(byHand.length ? [foldable('teleop-panel', t('drive'), this.teleop.element)] : []),
      this.faultsPanel,
    ];
  }

  get typed() { return { text: this.input.value, drafts: [...this.requests.drafts], goesOn: document.activeElement.matches(TEXT_FIELDS) }; }

  // Continues with the text being typed in the previous controls, in a text field: elsewhere
  // letters drive.
  goOn({ text, drafts, goesOn }) {
    this.input.value = text;
    this.requests.drafts = new Map(drafts);
    if (goesOn) this.input.focus({ preventScroll: true });
  }

  keys(event) {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    this.at = Math.min(Math.max(this.at + (event.key === 'ArrowUp' ? -1 : 1), 0), this.history.length);
    this.input.value = this.history[this.at] || '';
  }

  submit() {
    const text = this.input.value.trim();
    if (!text) return;
    this.history.push(text);
    this.at = this.history.length;
    this.input.value = '';
    this.line(text);
  }

  // Example goals, which can be clicked while no goal is active.
  offer(examples) {
    this.examples = h('div', { class: 'examples', role: 'group', 'aria-label': t('try_this') }, h('span', { class: 'quiet' }, t('try_this')),
      (examples[Language.current] || []).map((text) => h('button', { type: 'button', onclick: () => this.line(text) }, text)));
    return this.examples;
  }

  async line(text) {
    const answer = await this.server.ask({ do: 'line', text });
    this.answered(answer);
    return answer;
  }

  answered(answer) { if (answer.text) this.say(answer.ok, answer.text); }

  show(desk, readOnly) {
    this.desk = desk;
    this.form.hidden = readOnly;
    this.offerOrders();
    const isKnown = desk.presence === 'ready' || desk.presence === 'quiet';
    this.step.box.disabled = readOnly || !isKnown;
    this.step.box.indeterminate = !isKnown;
    this.step.show(desk.step);
    if (this.examples) this.examples.hidden = readOnly || desk.queue.length > 0 || desk.holds.length > 0 || desk.presence !== 'ready' || this.examples.children.length < 2;
    setText(this.breaks, desk.break_at.length ? ` · ${t('breaks', desk.break_at.join(', '))}` : '');
    setText(this.question, desk.question ? `${t('question')}: ${desk.question}` : '');
    this.question.hidden = !desk.question;
    setText(this.words, desk.words);
    this.words.hidden = !desk.words;
    this.requests.show(desk.requests, readOnly);
    this.drawQueue(desk, isKnown);
    this.teleop.show(desk, readOnly);
    this.drawFaults(desk.faults, readOnly);
  }

  // Whether the connection is lost, so that requests may not arrive. Stop buttons stay enabled.
  lose(isLost) {
    this.isLost = isLost;
    this.requests.lose(isLost);
    this.offerOrders();
  }

  // Disables controls without effect.
  offerOrders() {
    const holds = (kind) => Boolean(this.desk && this.desk.holds.some((hold) => hold.kind === kind));
    const idle = { pause: holds('pause'), resume: !holds('pause'), reset: !holds('safe') };
    for (const [name, button] of Object.entries(this.orders)) button.disabled = this.isLost || idle[name];
    this.send.disabled = Boolean(this.isLost);
  }

  drawQueue({ queue, active }, isKnown) {
    const text = JSON.stringify([queue, active, isKnown]);
    if (text === this.drawnQueue) return;
    this.drawnQueue = text;
    this.queue.start = active && queue.some(([id]) => id === active) ? 0 : 1; // what waits is counted
    replaceChildren(this.queue, queue.length ? queue.map(([id, words]) => (id === active ? h('li', { class: 'active' }, h('span', { class: 'badge' }, t('running')), ' ', words) : h('li', {}, words))) : h('li', { class: 'quiet' }, t(isKnown ? 'empty_queue' : 'queue_unknown')));
  }

  drawFaults(faults, readOnly) {
    const text = JSON.stringify([faults, readOnly]);
    if (text === this.drawnFaults) return;
    this.drawnFaults = text;
    const active = new Set(Object.values(faults).flat());
    const known = [...new Set([...FAULT_NAMES, ...active])];
    this.faultsPanel.hidden = !Object.keys(faults).length; // only an embedded rover has some
    replaceChildren(this.faults, known.map((name) => h('button', { type: 'button', disabled: readOnly, 'aria-pressed': String(active.has(name)), onclick: async () => this.answered(await this.server.ask({ do: 'fault', text: name, on: !active.has(name) })) }, name)));
  }
}
