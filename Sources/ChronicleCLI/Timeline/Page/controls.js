// MARK: Controls

const clearFilters = () => {
  filter = { ...noFilter };
  $('search').value = '';
  for (const id of ['author', 'entity', 'kind']) $(id).value = '';
  applyFilter(false);
};
let searchTimer = 0;
const search = () => {
  clearTimeout(searchTimer);
  const text = $('search').value.trim().toLowerCase();
  if (text === filter.text) return;
  filter.text = text;
  applyFilter(false);
};
$('search').addEventListener('input', () => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(search, 120);
});
$('search').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
  event.preventDefault();
  search();
  list.focus();
});
for (const id of ['author', 'entity', 'kind']) {
  $(id).addEventListener('change', () => {
    filter[id] = $(id).value;
    applyFilter(false);
  });
}
$('model').lastChild.addEventListener('click', () => {
  filter.model = -1;
  applyFilter(false);
  list.focus();
});
const switchLanes = () => {
  byAuthor = !byAuthor;
  $('lane').setAttribute('aria-pressed', byAuthor);
  updateLanes();
  drawSoon();
};
const isDark = () => {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
};
const labelTheme = () => { $('theme').textContent = isDark() ? 'Light' : 'Dark'; };
const switchTheme = () => {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  labelTheme();
  drawSoon();
};
$('lane').addEventListener('click', switchLanes);
$('fit').addEventListener('click', fit);
$('theme').addEventListener('click', switchTheme);
const showKeys = () => { $('keys').showModal(); };
$('help').addEventListener('click', showKeys);
// A click beside the dialog closes it.
$('keys').addEventListener('click', (event) => { if (event.target === $('keys')) $('keys').close(); });
// On a narrow page, the filters are folded.
$('fold').addEventListener('click', () => {
  const isOpen = $('filters').classList.toggle('open');
  $('fold').setAttribute('aria-expanded', isOpen);
});

// MARK: The point

// Moving the slider can send more events than can be drawn.
let sliderFrame = 0;
$('slider').addEventListener('input', () => {
  cancelAnimationFrame(sliderFrame);
  sliderFrame = requestAnimationFrame(() => {
    const transaction = filtered[filtered.length - 1 - $('slider').value];
    if (transaction !== undefined && transaction !== selected) select(transaction);
  });
});
$('earlier').addEventListener('click', () => { move(1); });
$('later').addEventListener('click', () => { move(-1); });
panels.forEach((name, index) => {
  $('tab-' + name).addEventListener('click', () => { openPanel(name); });
  $('tab-' + name).addEventListener('keydown', (event) => {
    const next = { ArrowLeft: (index + 2) % 3, ArrowRight: (index + 1) % 3, Home: 0, End: 2 }[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    openPanel(panels[next]);
    $('tab-' + panels[next]).focus();
  });
});

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
  if (event.key === 'Escape') {
    if (!$('side').contains(document.activeElement)) clearFilters();
    list.focus();
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && !/^(range|checkbox)$/.test(event.target.type)) return;
  const actions = {
    '/': () => $('search').focus(), '+': () => zoom(0.5, 0.5), '=': () => zoom(0.5, 0.5), '-': () => zoom(2, 0.5),
    ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), '0': fit, l: switchLanes, t: switchTheme,
    j: () => move(1), k: () => move(-1), '[': () => move(1), ']': () => move(-1), '?': showKeys,
    p: switchParts, 1: () => openPanel('transaction'), 2: () => openPanel('model'), 3: () => openPanel('table'),
  };
  // The slider moves with them.
  if (event.target.type === 'range') for (const key of ['ArrowLeft', 'ArrowRight']) delete actions[key];
  // The details scroll with the arrow keys.
  if (event.target === document.body) {
    Object.assign(actions, { ArrowDown: () => { list.focus(); move(1); }, ArrowUp: () => { list.focus(); move(-1); } });
  }
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  labelTheme();
  drawSoon();
});
new ResizeObserver(() => { layOut(true); }).observe(list);
new ResizeObserver(() => { if (panel === 'table' && selected >= 0) renderTable(false); }).observe($('details'));
new ResizeObserver(drawSoon).observe($('lanes'));
addEventListener('hashchange', openFragment);

// MARK: Live

// Blocks that arrive in a short time are shown together.
let arrived = [];
let tagList = data.tags || [];
const showArrived = () => {
  const known = ids.length, authorCount = authors.length, entityCount = entities.length;
  for (const block of arrived) append(block, false);
  arrived = [];
  if (ids.length === known) return;
  setTags(tagList);
  const viewEnd = view.start + view.span, showsEnd = !known || viewEnd >= whole.start + whole.span * 0.98;
  const old = whole;
  whole = extent();
  // Follow the newest transactions, unless an earlier time is shown.
  if (view.start <= old.start && showsEnd) view = whole;
  else if (showsEnd && viewEnd < whole.start + whole.span) view.start = whole.start + whole.span - view.span;
  const newSpecial = authorOf.slice(known).some((author) => author < 0);
  if (authors.length > authorCount || entities.length > entityCount || newSpecial || !known) fillOptions();
  updateLanes();
  // A state of the newest transaction remains that of the newest one. A transaction that is read remains.
  const follows = panel !== 'transaction' && selected >= 0 && selected === filtered[0] || selected < 0;
  applyFilter(true);
  if (follows && filtered.length) select(filtered[0]);
  else if (panel !== 'transaction') showPanel();
};
const showTags = (list) => {
  tagList = list;
  setTags(list);
  searchTexts.length = 0;
  renderAnew();
  if (panel === 'transaction' && selected >= 0) showPanel();
  drawSoon();
};
const follow = () => {
  const source = new EventSource('events?after=' + encodeURIComponent(data.position));
  $('live').hidden = false;
  $('live').textContent = 'connecting';
  let problem = 'connection lost';
  source.addEventListener('open', () => {
    $('live').textContent = 'live';
    problem = 'connection lost';
  });
  source.addEventListener('problem', (event) => { problem = visible(JSON.parse(event.data)); });
  source.addEventListener('error', () => { $('live').textContent = problem + '; trying again'; });
  source.addEventListener('message', (event) => {
    if (!arrived.length) setTimeout(showArrived, 100);
    arrived.push(JSON.parse(event.data));
  });
  source.addEventListener('tags', (event) => { showTags(JSON.parse(event.data)); });
  // The history after the position is not available: the page is out of date.
  source.addEventListener('reset', () => {
    source.close();
    location.reload();
  });
};

// MARK: Start

document.title = visible(data.file) + ' – timeline';
$('file').textContent = visible(data.file);
$('note').hidden = !data.note;
$('note').textContent = visible(data.note || '');
labelTheme();
setTags(tagList);
fillOptions();
updateLanes();
applyFilter(true);
fit();
// The list has its height when the lanes have theirs.
draw();
layOut(true);
// Without a fragment, each load shows the newest transaction.
if (!openFragment()) {
  if (ids.length) showSelected(ids.length - 1);
  else showPanel();
}
if (data.live) follow();
// For tests and measurements.
window.timeline = {
  readyAfter: performance.now() - started,
  get transactionCount() { return ids.length; },
  get changeCount() { return kinds.length; },
  get matchCount() { return filtered.length; },
};
