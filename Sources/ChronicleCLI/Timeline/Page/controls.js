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
  filter.model = null;
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
$('help').addEventListener('click', () => {
  $('keys').hidden = !$('keys').hidden;
  $('help').setAttribute('aria-expanded', !$('keys').hidden);
});
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    if (!$('details').contains(document.activeElement)) clearFilters();
    list.focus();
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const actions = {
    '/': () => $('search').focus(), '+': () => zoom(0.5, 0.5), '=': () => zoom(0.5, 0.5), '-': () => zoom(2, 0.5),
    ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), '0': fit, l: switchLanes, t: switchTheme,
    j: () => move(1), k: () => move(-1),
  };
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
new ResizeObserver(drawSoon).observe($('lanes'));
addEventListener('hashchange', openFragment);

// MARK: Live

// Blocks that arrive in a short time are shown together.
let arrived = [];
const showArrived = () => {
  const known = ids.length, authorCount = authors.length, entityCount = entities.length;
  for (const block of arrived) append(block, false);
  arrived = [];
  if (ids.length === known) return;
  const viewEnd = view.start + view.span, showsEnd = !known || viewEnd >= whole.start + whole.span * 0.98;
  const old = whole;
  whole = extent();
  // Follow the newest transactions, unless an earlier time is shown.
  if (view.start <= old.start && showsEnd) view = whole;
  else if (showsEnd && viewEnd < whole.start + whole.span) view.start = whole.start + whole.span - view.span;
  const newSpecial = authorOf.slice(known).some((author) => author < 0);
  if (authors.length > authorCount || entities.length > entityCount || newSpecial || !known) fillOptions();
  updateLanes();
  applyFilter(true);
  refreshDetails();
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
fillOptions();
updateLanes();
applyFilter(true);
fit();
// Without a fragment, each load shows the newest transaction.
if (!openFragment()) {
  if (ids.length) showSelected(ids.length - 1);
  else $('details').append(element('p', 'secondary', 'The history contains no transactions.'));
}
if (data.live) follow();
// For tests and measurements.
window.timeline = {
  readyAfter: performance.now() - started,
  get transactionCount() { return ids.length; },
  get changeCount() { return kinds.length; },
  get matchCount() { return filtered.length; },
};
