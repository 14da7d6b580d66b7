'use strict';
// The texts of the page in its languages. Texts of models, robots and operators are not translated.

const WORDS = {
  en: {
    reached: 'reached', answered: 'answered', claimed: 'claimed, not confirmed', gave_up: 'gave up', interrupted: 'interrupted', failed: 'failed', unfinished: 'not ended', running: 'under way', queued: 'waits',
    goals: 'Goals', other_goals: '{0} short goals', other_goal: '1 short goal', between: 'Outside of any goal', goal: 'Goal', answer: 'Answer', best_picture: 'Best picture',
    no_goal: 'No goal yet', no_goal_hint: 'Write one below, in plain words. :help lists all commands.', duration: 'duration', distance: 'distance', score: 'score', battery: 'battery', tools: 'tools proposed', refused_count: 'refused',
    calls: 'model calls', tokens_used: 'tokens', cost: 'cost', score_change: '{0} → {1}, best {2}',
    map: 'Map', camera: 'Camera', timeline: 'Timeline', charts: 'Measured', tree: 'Behavior tree', decisions: 'Decisions', details: 'This run',
    no_pose: 'The pose of the robot is not known yet.', no_picture: 'No picture yet.', no_scored_picture: 'No scored picture: live pictures are not kept.', made_meanwhile: 'Made during the run, at {0}; its last event was at {1}.', old_picture: 'This picture is {0} s old; no newer one has come.', no_tree: 'No tree was recorded.', no_decisions: 'No tool was proposed.',
    fit: 'Show all', zoom_in: 'Closer', zoom_out: 'Farther', follow_rover: 'Follow the robot',
    picture_n: 'picture {0} of {1}', taken: 'taken {0}', good: 'good', too_dark: 'too dark', not_judged: 'not scored', looked: 'Description:',
    lifted: 'brightened ×{0} for display', as_taken: 'as taken', lift: 'brighten', enlarge: 'Enlarge', close: 'Close', previous: 'Previous', next: 'Next',
    play: 'Play', pause_play: 'Pause', previous_event: 'Previous event', next_event: 'Next event', previous_tick: 'Previous tick', next_tick: 'Next tick', time: 'Time', speed: 'Speed',
    span: 'Shown time', span_all: 'whole run', span_goal: 'this goal', go_live: 'Live', held: 'held at {0}', held_note: 'You look at {0} of the run, not at now.', back_to_live: 'Back to live', follows: 'live',
    keys_help: '← → tick · PgUp PgDn event · Home End · Space play',
    chart_score: 'score (0 to 1)', chart_battery: 'battery (%)', chart_distance: 'distance (m)', chart_cost: 'cost (USD)', chart_tokens: 'tokens', good_from: 'good from {0}', time_axis: 'time (s)',
    not_concerned: 'skipped', was_refused: 'failed or refused', succeeded: 'succeeded', runs: 'runs', not_reached: 'not reached', whole_tree: 'all behaviours', legend_bright: 'good light, score ≥ {0}', legend_path: 'driven', legend_ahead: 'still to come', legend_plan: 'planned path', legend_zone: 'keep out', legend_capture: 'picture', legend_target: 'destination',
    proposal: 'Proposal', verdict: 'Verdict', guard: 'Guard', reason: 'Reason', approval: 'Approval', result: 'Result', guards_read: 'Guards read', asked_by: 'by {0}', thought: 'Thought', arguments_used: 'Arguments', amounts_to: 'amounts to',
    allowed: 'allowed', refused: 'refused', asked: 'waits for approval', undecided: 'undecided', no_reason: 'every guard allowed it', no_guard: 'none refused', no_approval: 'not required', not_run: 'did not run', still_runs: 'under way', ended_early: 'ended early', took: 'took {0}', none: 'none',
    approve: 'Approve', edit: 'Approve changed', reject: 'Reject', approved: 'approved', edited: 'approved with a change', rejected: 'rejected', unanswered: 'not answered', withdrawn: 'not answered before the goal ended', expired_in: '{0} left', request_moved: 'This request has just taken the place of another one: read it, then approve it.',
    all_events: 'All events', decisions_only: 'Decisions', events_shown: '{0} events', filter: 'Filter', more_rows: '{0} more rows of this goal are in trace.jsonl.',
    state: 'State at this moment', facts: 'Facts', notes: 'What could not be read', configuration: 'Configuration', logs: 'Logs', overrides: 'Overridden', errors: 'Errors', merged: 'Neighbouring ticks are shown as one.',
    mode: 'mode', tone_sees: 'sees', tone_thinks: 'thinks', tone_decides: 'decides', tone_asks: 'asks', tone_acts: 'acts', tone_says: 'says', 'tone_asks you': 'asks you', tone_result: 'result', tone_error: 'error',
    Began: 'Began', Duration: 'Duration', Goals: 'Goals', Events: 'Events', 'Executive started': 'Executive started', Planner: 'Planner', Variant: 'Variant', World: 'World',
    light: 'Light', dark: 'Dark', theme: 'Colours', language: 'Language', auto: 'Auto',
    seconds_ago: '{0} s ago', old_pose: 'pose', old_status: 'adapter status',
    x_axis: 'x (m)', y_axis: 'y (m)', rover: 'robot', remembered: 'remembered',
    lost: 'Connection lost {0} s ago; the page shows old data. Reconnecting.', executive_lost: 'The executive does not answer; the page shows old data.', executive_quiet: 'No message from the executive; the page shows old data.', executive_starting: 'Waiting for the executive.', connected: 'connected', starting: 'starting', read_only: 'read only', closed: 'This link has expired: open the one that the terminal shows.', too_many: 'Too many pages are open.', no_connection: 'no connection to the page\'s server', no_answer: 'The page\'s server did not answer: whether this was carried out is not known.', stopped_since: 'You pressed STOP after it, so it was not sent again: whether it was carried out is not known.', last_report: 'That is the last report.',
    stop: 'STOP', escape_again: 'Esc again: STOP', stop_hint: 'Stops the robot and every goal. Keys: F8, Esc Esc, Ctrl+Space', stopping: 'Stopping …', stop_taken: 'Stop received ({0}). Waiting until the robot stands still.', stopped: 'Stopped: the robot stands still.', stop_open: 'The stop was received, but nothing says that the robot stands: if it moves, use its own emergency stop.', stop_failed: 'The stop was not confirmed ({0}): use the robot\'s own emergency stop.',
    sharing: 'Share', share: 'Download', share_report: 'report (HTML)', share_film: 'film (GIF)', share_run: 'run (zip; “bt-executive report run.zip” shows it as this page does)', try_this: 'For example:', step: 'Ask me before each call', step_hint: 'Each proposal waits until you approve it. Breakpoints: :break NAME', breaks: 'breakpoints: {0}',
    destination: 'Destination', go_there: 'Go there', planning_path: 'planning the path …', no_path: 'No path: {0}', no_path_there: 'no path was found', straight: 'straight line {0} m', path_length: 'path {0} m', path_time: 'about {0}', speaks_against: 'What prevents it now', nothing_against: 'Nothing prevents it now.', against_unknown: 'What prevents it now is not known.', first: 'First: {0}', goals_before: 'goals before it: {0}', no_drive_tool: 'This robot has no tool that drives to a place.', measure: 'Measure: drag on the map', map_keys: 'Arrow keys: cross (Shift: farther) · N: next place · Enter: path · + −: zoom · Esc: leave', map_ruler_keys: 'Arrow keys: cross (Shift: farther) · N: next place · Enter: begin or end of the ruler · Esc: leave', map_at: 'x {0} m, y {1} m', map_live: 'Map. Arrow keys move a cross, N brings it to the next place, Enter plans the path there.', measured: '{0} m, {1}°', legend_memory: 'remembered place', legend_rock: 'rock: driven around', legend_flat: 'flat rock: driven over', legend_hill: 'hill', legend_crater: 'crater', legend_sand: 'soft sand', is_flat: '{0} lies flat: the robot drives over it.', is_body: '{0} is in the way: the drive stops before it.', legend_wanted: 'chosen destination', map_hint: 'click the map to plan a drive',
    prompt: 'Goal or :command', prompt_hint: 'A goal in plain words, or :help', send: 'Send', sent: 'sent', queue: 'Queue', empty_queue: 'The queue is empty.', queue_unknown: 'The queue is not known.', drive: 'Drive by hand', manual_on: 'Manual mode', manual_hint: 'Hold a key or a button. Only while no executive runs.', by_tools: 'Each press calls one tool, under the same guards.', forward: 'Forward', back: 'Back', left: 'Left', right: 'Right', faults: 'Faults of the embedded rover', requests: 'Needs your approval', question: 'The planner asks', holds: 'What holds the robot', as_changed: 'Changed: {0}', hold_safe: 'SAFE', hold_charge: 'CHARGE', hold_pause: 'PAUSED', hold_manual: 'MANUAL MODE', hold_charge_ends: 'Goals resume by themselves at {0} %.', paused_by: 'by {0}. Goals wait.', hold_manual_why: 'The robot is driven by hand, without the guards of an executive.', lasts: 'For {0}.', lasts_since: 'For {0}, since {1} of the run.', fault_off: 'Switch {0} off', manual_off: 'End manual mode', pause: 'Pause', pause_hint: 'The robot stops, and goals wait until Resume.', resume: 'Resume', resume_hint: 'Ends a pause.', safe_stop: 'Safe stop', safe_stop_hint: 'Mode SAFE: stops the robot, ends every goal, and takes none until Reset.', reset: 'Reset', reset_hint: 'Ends mode SAFE.', why: 'Reason (the planner reads it)', now: 'Decision', cockpit: 'Robot at this moment', no_mode: 'NO MODE', messages: 'Messages', newest_decision: 'Newest decision', newest_refusal: 'Newest decision: refused', latest_refusal: 'Latest refusal', nothing_decided: 'Nothing decided yet.', decided_before: 'The goal was under way when this page\'s server began: what was decided before is not known here. The run\'s report has it.', planner_chooses: 'The planner is choosing the next tool ({0}).', goal_ended: 'Goal ended', goal_last_known: 'Goal last known', then: 'Then:', nothing_since: 'nothing yet', why_refused: 'Why?', whole_decision: 'Show in the list', refused_by: 'Refused by guard {0}:', reading: 'Reading', no_reading: 'nothing was read', reading_age: 'Age of the reading', age_of: '{0} ({1})', age_own: 'read at that moment', reading_status: 'adapter status', reading_pose: 'pose', reading_battery: 'battery', rule: 'Rule in the configuration', rule_built_in: 'built in, not configurable', live_camera: 'live', legend: 'Legend',
    fleet: 'Fleet', skip_to: 'Skip to:', open_robot: 'Open', stop_all: 'STOP ALL', stop_all_hint: 'Stops every robot and every goal. Keys: F8, Esc Esc', stop_robot: 'STOP {0}', waits: 'waiting for approval: {0}', battery_unknown: 'battery: not known', standing_stands: 'stands', standing_moves: 'moves', newer: 'newer ↑', earlier_decision: 'Earlier decision', part_unknown: '{0} not known', standing_unknown: 'motion not known', moves_at: 'moves at {0} m/s', motion_for: '{0} for {1}', to_go: '{0} m to go', silent_for: 'No message for {0}. What it does is not known.', robot_starting: 'Waiting for its executive for {0}.', stop_all_taken: 'Every robot has received the stop. Each tile says whether it stands.',
  },
  ja: {
    reached: '達成', answered: '回答', claimed: '自称（未確認）', gave_up: '断念', interrupted: '中断', failed: '失敗', unfinished: '未完了', running: '実行中', queued: '待機中',
    goals: '目標', other_goals: '短い目標 {0} 件', other_goal: '短い目標 1 件', between: '目標の外', goal: '目標', answer: '答え', best_picture: '最良の画像',
    no_goal: 'まだ目標がありません', no_goal_hint: '下の欄に普通の言葉で書いてください。:help でコマンド一覧。', duration: '所要時間', distance: '走行距離', score: 'スコア', battery: '電池', tools: 'ツール要求', refused_count: '拒否',
    calls: 'モデル呼び出し', tokens_used: 'トークン', cost: '費用', score_change: '{0} → {1}、最良 {2}',
    map: '地図', camera: 'カメラ', timeline: '時間軸', charts: '計測値', tree: 'ビヘイビアツリー', decisions: '判断', details: 'この実行',
    no_pose: 'ロボットの位置はまだ不明です。', no_picture: '画像はまだありません。', no_scored_picture: 'スコアのある画像はありません。ライブの画像は残りません。', made_meanwhile: '実行中の {0} に作成。最後のイベントは {1} です。', old_picture: 'この画像は {0} 秒前のものです。新しい画像は届いていません。', no_tree: 'ツリーの記録がありません。', no_decisions: 'ツールの要求はありません。',
    fit: '全体', zoom_in: '拡大', zoom_out: '縮小', follow_rover: 'ロボットを追う',
    picture_n: '画像 {0} / {1}', taken: '撮影 {0}', good: '良好', too_dark: '暗すぎる', not_judged: '未判定', looked: '見た内容:',
    lifted: '表示用に ×{0} 明るく', as_taken: '撮影のまま', lift: '明るく', enlarge: '拡大表示', close: '閉じる', previous: '前', next: '次',
    play: '再生', pause_play: '一時停止', previous_event: '前のイベント', next_event: '次のイベント', previous_tick: '前のティック', next_tick: '次のティック', time: '時刻', speed: '速度',
    span: '表示する時間', span_all: '全体', span_goal: 'この目標', go_live: 'ライブ', held: '{0} で停止', held_note: '今ではなく、{0} の時点を表示しています。', back_to_live: 'ライブに戻る', follows: 'ライブ',
    keys_help: '← → ティック · PgUp PgDn イベント · Home End · Space 再生',
    chart_score: 'スコア (0〜1)', chart_battery: '電池 (%)', chart_distance: '距離 (m)', chart_cost: '費用 (USD)', chart_tokens: 'トークン', good_from: '{0} 以上で良好', time_axis: '時間 (s)',
    not_concerned: '該当なし', was_refused: '失敗・拒否', succeeded: '成功', runs: '実行中', not_reached: '未到達', whole_tree: 'すべての動作', legend_bright: '良い光、スコア ≥ {0}', legend_path: '走行済み', legend_ahead: 'この先', legend_plan: '計画経路', legend_zone: '立入禁止', legend_capture: '画像', legend_target: '目的地',
    proposal: '提案', verdict: '判定', guard: 'ガード', reason: '理由', approval: '承認', result: '結果', guards_read: '読んだガード', asked_by: '{0} による', thought: '考え', arguments_used: '引数', amounts_to: '実際の量',
    allowed: '許可', refused: '拒否', asked: '人の承認待ち', undecided: '未判定', no_reason: 'すべてのガードが許可', no_guard: '拒否なし', no_approval: '承認は不要', not_run: '実行されず', still_runs: '実行中', ended_early: '中断', took: '{0}', none: 'なし',
    approve: '承認', edit: '変更して承認', reject: '却下', approved: '承認済み', edited: '編集して承認', rejected: '却下', unanswered: '回答なし', withdrawn: '目標の終了までに回答なし', expired_in: '残り {0}', request_moved: 'この承認待ちは今、ほかの承認待ちの位置に移りました。内容を読んでから承認してください。',
    all_events: '全イベント', decisions_only: '判断', events_shown: '{0} 件', filter: '絞り込み', more_rows: 'この目標の残り {0} 行は trace.jsonl にあります。',
    state: 'この時点の状態', facts: '概要', notes: '読めなかったもの', configuration: '設定', logs: 'ログ', overrides: '上書き', errors: 'エラー', merged: '隣り合うティックはまとめています。',
    mode: 'モード', tone_sees: '観測', tone_thinks: '思考', tone_decides: '判断', tone_asks: '要求', tone_acts: '行動', tone_says: '発話', 'tone_asks you': '質問', tone_result: '結果', tone_error: 'エラー',
    Began: '開始', Duration: '所要時間', Goals: '目標', Events: 'イベント', 'Executive started': '実行系の起動', Planner: 'プランナー', Variant: '構成', World: 'ワールド',
    light: '明', dark: '暗', theme: '配色', language: '言語', auto: '自動',
    seconds_ago: '{0} 秒前', old_pose: '位置', old_status: 'アダプタの状態',
    x_axis: 'x (m)', y_axis: 'y (m)', rover: 'ロボット', remembered: '記憶',
    lost: '{0} 秒前に接続が切れました。表示は古い情報です。再接続中。', executive_lost: '実行系が応答しません。表示は古い情報です。', executive_quiet: '実行系から何も届きません。表示は古い情報です。', executive_starting: '実行系を待っています。', connected: '接続中', starting: '起動中', read_only: '閲覧のみ', closed: 'このリンクは無効です。端末に表示されたリンクを使ってください。', too_many: '開いているページが多すぎます。', no_connection: 'ページのサーバーに接続できません', no_answer: 'ページのサーバーが応答しません。実行されたかは不明です。', stopped_since: 'その後に停止が押されたため、再送していません。実行されたかは不明です。', last_report: '最後の報告です。',
    stop: '停止', escape_again: 'もう一度 Esc で停止', stop_hint: 'ロボットとすべての目標を止めます。キー: F8、Esc 2回、Ctrl+Space', stopping: '停止中 …', stop_taken: '停止を受け付けました（{0}）。ロボットが止まるのを待っています。', stopped: '停止しました。ロボットは静止しています。', stop_open: '停止は受け付けられましたが、静止は確認されていません。動いている場合は、ロボット本体の非常停止を使ってください。', stop_failed: '停止は確認されませんでした（{0}）。ロボット本体の非常停止を使ってください。',
    sharing: '共有', share: 'ダウンロード', share_report: 'レポート (HTML)', share_film: '動画 (GIF)', share_run: '記録 (zip; 「bt-executive report run.zip」で同じ画面を見られます)', try_this: '例えば:', step: '呼び出しごとに私に確認', step_hint: '提案はすべて承認を待ちます。ブレークポイント: :break 名前', breaks: 'ブレークポイント: {0}',
    destination: '行き先', go_there: 'ここへ行く', planning_path: '経路を計画中 …', no_path: '経路なし: {0}', no_path_there: '経路が見つかりません', straight: '直線で {0} m', path_length: '経路 {0} m', path_time: '約 {0}', speaks_against: '妨げるもの', nothing_against: '今は妨げるものはありません。', against_unknown: '妨げるものがあるかは不明です。', first: '先に: {0}', goals_before: '先にある目標: {0}', no_drive_tool: 'このロボットには場所へ走るツールがありません。', measure: '測る: 地図の上でドラッグ', map_keys: '矢印キー: 十字 (Shift: 大きく) · N: 次の場所 · Enter: 経路 · + −: 拡大縮小 · Esc: 終了', map_ruler_keys: '矢印キー: 十字 (Shift: 大きく) · N: 次の場所 · Enter: 測り始めと終わり · Esc: 終了', map_at: 'x {0} m, y {1} m', map_live: '地図。矢印キーで十字を動かし、N で次の場所へ、Enter で経路を計画します。', measured: '{0} m、{1}°', legend_memory: '記憶した場所', legend_rock: '岩: よけて走る', legend_flat: '平らな岩（目印）: 上を走る', legend_hill: '丘', legend_crater: 'クレーター', legend_sand: '砂', is_flat: '{0} は平らな目印で、ロボットは上を走ります。', is_body: '{0} は通れません。手前で止まります。', legend_wanted: '行き先の候補', map_hint: '地図をクリックすると経路を計画します',
    prompt: '目標または :コマンド', prompt_hint: '普通の言葉で目標を、または :help', send: '送信', sent: '送信済み', queue: '待ち行列', empty_queue: '待機中のものはありません。', queue_unknown: '待ち行列は不明です。', drive: '手動運転', manual_on: '手動モード', manual_hint: 'キーかボタンを押し続けます。実行系が動いていないときだけ。', by_tools: '一押しごとに同じガードの下で一つのツール。', forward: '前進', back: '後退', left: '左', right: '右', faults: '内蔵ローバーの故障', requests: '承認待ち', question: 'プランナーの質問', holds: '目標を妨げているもの', as_changed: '変更後: {0}', hold_safe: 'SAFE（安全停止）', hold_charge: 'CHARGE（充電待ち）', hold_pause: '一時停止中', hold_manual: '手動モード', hold_charge_ends: '{0} % になると自動で再開します。', paused_by: '{0} による。目標は待機します。', hold_manual_why: '実行系のガードなしで、手動で運転されています。', lasts: '{0} 前から。', lasts_since: '実行開始後 {1} から {0} 間。', fault_off: '{0} を切る', manual_off: '手動モードを終える', pause: '一時停止', pause_hint: 'ロボットを止めます。目標は再開まで待機します。', resume: '再開', resume_hint: '一時停止を終えます。', safe_stop: '安全停止', safe_stop_hint: 'SAFE モード: ロボットとすべての目標を止め、リセットまで受け付けません。', reset: 'リセット', reset_hint: 'SAFE モードを終えます。', why: '却下の理由（プランナーが読みます）', now: '判断', cockpit: '現在のロボット', no_mode: 'モード不明', messages: 'メッセージ', newest_decision: '最新の判断', newest_refusal: '最新の判断: 拒否', latest_refusal: '直近の拒否', nothing_decided: 'まだ判断はありません。', decided_before: 'この目標はページのサーバーの起動前から実行中で、それまでの判断はここでは不明です。レポートに記録されています。', planner_chooses: 'プランナーが次のツールを判断しています（{0}）。', goal_ended: '目標の終了', goal_last_known: '目標の最後の記録', then: 'その後:', nothing_since: 'まだありません', why_refused: 'なぜ？', whole_decision: '一覧で表示', refused_by: 'ガード {0} が拒否:', reading: '読み取り値', no_reading: '読み取りなし', reading_age: '値の経過時間', age_of: '{0}（{1}）', age_own: 'その時点で読み取り', reading_status: 'アダプタの状態', reading_pose: '位置', reading_battery: '電池', rule: '設定のルール', rule_built_in: '組み込み（設定不可）', live_camera: 'ライブ', legend: '凡例',
    fleet: '全機', skip_to: 'ジャンプ:', open_robot: '開く', stop_all: '全機停止', stop_all_hint: 'すべてのロボットとすべての目標を止めます。キー: F8、Esc 2回', stop_robot: '{0} を停止', waits: '承認待ち: {0}', battery_unknown: '電池: 不明', standing_stands: '静止', standing_moves: '動作中', newer: '新しい判断 ↑', earlier_decision: '前の判断', part_unknown: '{0} は不明', standing_unknown: '動いているか不明', moves_at: '{0} m/s で動作中', motion_for: '{0}（{1}）', to_go: '残り {0} m', silent_for: '{0} 前から何も届きません。何をしているか不明です。', robot_starting: '{0} 前から実行系がありません。', stop_all_taken: 'すべてのロボットが停止を受け付けました。静止したかは各欄に出ます。',
  },
};

const Language = {
  current: 'en',
  choose(code) {
    Language.current = code in WORDS ? code : 'en';
    document.documentElement.lang = Language.current;
    remember('language', Language.current);
  },
};

// The text of a key, with {0}, {1}, … filled in.
function t(key, ...values) {
  const text = WORDS[Language.current][key] ?? WORDS.en[key] ?? key;
  return text.replace(/\{(\d)\}/g, (_, index) => String(values[index]));
}

// Choices of this browser. A page opened from a file may have no storage: then nothing is kept.
function remember(key, value) {
  try { localStorage.setItem(`bt_executive.${key}`, value); } catch { /* not kept */ }
}

function remembered(key) {
  try { return localStorage.getItem(`bt_executive.${key}`); } catch { return null; }
}

function duration(seconds) {
  if (Math.abs(seconds) < 0.95) return `${Math.round(seconds * 1000)} ms`;
  if (Math.abs(seconds) < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

// The same in whole seconds, for what is counted while it is looked at.
function wholeDuration(seconds) { return seconds < 60 ? `${seconds} s` : duration(seconds); }

function number(value, digits = 2) {
  return typeof value === 'number' && Number.isFinite(value) ? value.toFixed(digits).replace('-', '−') : '–';
}

// The arguments of a tool that ends a goal are repeated by the goal's end, which is shown, too.
function callText(tool, args) {
  if (tool === 'finish' || tool === 'abort') return tool;
  const inside = Object.entries(args || {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(', ');
  const text = inside ? `${tool}(${inside})` : tool;
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

// A call whose lines may end before each of its arguments: else a narrow one would end within a number.
function breakable(call) { return call.split(/(?<=[(])|(?<=, )/).flatMap((part) => [part, h('wbr', {})]); }
