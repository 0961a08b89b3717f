// MARK: The list

const list = $('list'), spacer = $('spacer');
const narrow = matchMedia('(max-width: 720px)');
let selected = -1;  // The index of the selected transaction.
let rowHeight = 30;
const dayHeight = 28;
// Browsers limit the height of an element. A longer list scrolls several rows per pixel.
const maximumHeight = 15e6;
const pool = [], dayPool = [];  // The elements of the visible rows in their order, and those of days.

// The rows are grouped by day. A group begins at a position in the list, and has the time between which its day is.
let groups = [];
const group = () => {
  groups = [];
  let begin = 0, stop = 0, current = null;
  filtered.forEach((transaction, position) => {
    const time = times[transaction];
    if (current && time >= begin && time < stop) return;
    const date = new Date(time);
    date.setHours(0, 0, 0, 0);
    begin = date.getTime();
    date.setDate(date.getDate() + 1);
    stop = date.getTime();
    if (isNaN(begin) || isNaN(stop)) [begin, stop] = [-Infinity, Infinity];
    current = { start: position, time };
    groups.push(current);
  });
};
const groupCount = (index) => (index + 1 < groups.length ? groups[index + 1].start : filtered.length) - groups[index].start;
const topOfGroup = (index) => groups[index].start * rowHeight + index * dayHeight;
const groupOf = (position) => {
  let low = 0, high = groups.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (groups[middle].start <= position) low = middle; else high = middle - 1;
  }
  return low;
};
const topOf = (position) => position * rowHeight + (groupOf(position) + 1) * dayHeight;
// The group that contains a place in the list.
const groupAt = (top) => {
  let low = 0, high = groups.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (topOfGroup(middle) <= top) low = middle; else high = middle - 1;
  }
  return low;
};
// The position of the row at a place in the list, or of the next one.
const positionAt = (top) => {
  const index = groupAt(top);
  const row = Math.floor((top - topOfGroup(index) - dayHeight) / rowHeight);
  return groups[index].start + Math.max(0, Math.min(groupCount(index) - 1, row));
};

const contentHeight = () => filtered.length * rowHeight + groups.length * dayHeight;
const scale = () => {
  const height = Math.min(contentHeight(), maximumHeight), room = list.clientHeight;
  return height > room ? (contentHeight() - room) / (height - room) : 1;
};
// Adapts the list to the filtered transactions and its size. It keeps its place, or shows the selected transaction.
const layOut = (keepsPlace) => {
  const top = list.scrollTop * scale();
  // The list has the transaction of the uppermost row.
  const anchor = pool.find((row) => !row.hidden && row.top + rowHeight > top + dayHeight);
  const rest = anchor ? top - anchor.top : 0;
  rowHeight = narrow.matches ? 52 : 30;
  spacer.style.height = Math.min(contentHeight(), maximumHeight) + 'px';
  if (keepsPlace) {
    const position = anchor && top > 0 ? positionOf(anchor.transaction) : -1;
    if (position >= 0) list.scrollTop = (topOf(position) + rest) / scale();
  } else {
    const position = selected < 0 ? -1 : positionOf(selected);
    list.scrollTop = 0;
    if (position >= 0) reveal(position);
  }
  render();
};
// Old and new value of an attribute, or the one of them that there is.
const valueNodes = (kind, before, after, make) => {
  const isNone = (value) => value !== null && typeof value === 'object' && 'none' in value;
  const nodes = [];
  if (isMissing(before) && isMissing(after)) return [element('span', 'absent', 'not preserved')];
  if (kind !== 0 && !isNone(before)) nodes.push(make(before, 'del', 'old'));
  if (kind === 1 && !isNone(before) && !isNone(after)) nodes.push(element('span', 'arrow', ' → '));
  if (kind !== 2 && !isNone(after)) nodes.push(make(after, 'ins', 'new'));
  return nodes;
};
const sign = (kind) => element('span', 'sign ' + kindNames[kind], kindSigns[kind]);
// The attributes of a change that a row shows.
const maximumShown = 6;
// What changed: the model with the old and new values of one change, or the numbers of several. If the list is that of a
// model, its change, or those of its parts as well.
const summary = (transaction) => {
  let changes = Array.from({ length: end(transaction) - first[transaction] }, (_, index) => first[transaction] + index);
  if (filter.model >= 0) {
    changes = changes.filter((change) => pathsTo(filter.model, change, transaction) !== undefined);
    if (!chosenPaths(filter.model).size) changes = changes.slice(0, 1);
  }
  if (changes.length === 1) {
    const [start] = changes;
    const nodes = [sign(kinds[start]), element('span', 'name', visible(modelName(modelOf[start])))];
    const title = titleAt(modelOf[start], transaction), listed = valuesOf[start] || [];
    if (title) nodes.push(' · ', element('span', 'label', title));
    if (kinds[start] !== 1) return nodes;
    for (let item = 0; item < Math.min(listed.length, 3 * maximumShown); item += 3) {
      nodes.push(element('span', 'attribute', visible(entities[entityOf[start]].attributes[listed[item]])));
      nodes.push(...valueNodes(1, listed[item + 1], listed[item + 2], (value, name, className) =>
        element(name, className, shortText(value, 40))));
    }
    return nodes;
  }
  const counts = new Map();
  for (const change of changes) {
    const key = entityOf[change] * 3 + kinds[change];
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  return [...counts].slice(0, 20).flatMap(([key, count]) => [sign(key % 3), element('span', 'count',
    count.toLocaleString('en') + ' ' + visible(entities[Math.floor(key / 3)].name))]);
};
const makeRow = () => {
  const row = element('div', 'row');
  row.setAttribute('role', 'option');
  for (const name of ['id', 'time', 'author', 'summary']) row.append(element('span', name));
  // The day is the heading of the group, which is not an option that a screen reader would read.
  row.children[1].append(element('span', 'unseen'), element('span'));
  row.addEventListener('click', () => { select(row.transaction); });
  spacer.append(row);
  return row;
};
const makeDay = () => {
  const node = element('div', 'day');
  node.setAttribute('aria-hidden', 'true');
  node.append(element('span'), element('span', 'secondary'));
  spacer.append(node);
  return node;
};
const labelDay = (node, index) => {
  node.firstChild.textContent = longDayText(groups[index].time);
  node.lastChild.textContent = countText(groupCount(index), 'transaction');
};
const fillRow = (row, transaction) => {
  const [day, time] = timeText(times[transaction]).split(/ (?=\d+:)/);
  row.children[0].textContent = '#' + ids[transaction];
  row.children[1].firstChild.textContent = day + ' ';
  row.children[1].lastChild.textContent = time || '';
  row.children[2].textContent = visible(authorName(authorOf[transaction]));
  row.children[2].classList.toggle('absent', authorOf[transaction] < 0);
  const names = (tagsOf.get(transaction) || []).slice(0, 3);
  row.children[3].replaceChildren(...names.map((name) => element('span', 'mark', visible(name))), ...summary(transaction));
};
const render = () => {
  const top = list.scrollTop * scale(), room = list.clientHeight;
  const start = filtered.length ? Math.max(0, positionAt(top) - 4) : 0;
  const count = Math.max(0, Math.min(filtered.length - start, Math.ceil(room / rowHeight) + 9));
  while (pool.length < count) pool.push(makeRow());
  const offset = list.scrollTop - top;
  const place = (node, y) => {
    node.top = y;
    node.style.transform = 'translateY(' + (y + offset) + 'px)';
  };
  pool.forEach((row, index) => {
    row.hidden = index >= count;
    if (row.hidden) {
      row.removeAttribute('id');
      row.transaction = row.filled = undefined;
      return;
    }
    const position = start + index, transaction = filtered[position];
    place(row, topOf(position));
    row.style.height = rowHeight + 'px';
    row.setAttribute('aria-selected', transaction === selected);
    row.setAttribute('aria-posinset', position + 1);
    row.setAttribute('aria-setsize', filtered.length);
    row.id = 'transaction-' + ids[transaction];
    row.transaction = transaction;
    if (row.filled === transaction) return;
    row.filled = transaction;
    fillRow(row, transaction);
  });
  let shown = 0;
  for (let index = count ? groupOf(start) : 0; count && index < groups.length && groups[index].start < start + count; index++) {
    if (shown === dayPool.length) dayPool.push(makeDay());
    const node = dayPool[shown++];
    node.hidden = false;
    labelDay(node, index);
    place(node, topOfGroup(index));
  }
  for (; shown < dayPool.length; shown++) dayPool[shown].hidden = true;
  // The day of the uppermost row remains visible.
  $('day').hidden = !count;
  if (count) labelDay($('day'), groupAt(top));
  const isShown = selected >= 0 && pool.some((row) => !row.hidden && row.transaction === selected);
  if (isShown) list.setAttribute('aria-activedescendant', 'transaction-' + ids[selected]);
  else list.removeAttribute('aria-activedescendant');
};
// Fills the rows again, for example when their tags have changed.
const renderAnew = () => {
  for (const row of pool) row.filled = undefined;
  render();
};
// The position of a transaction in the list, or -1. The list is in descending order.
const positionOf = (transaction) => {
  let low = 0, high = filtered.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (filtered[middle] === transaction) return middle;
    if (filtered[middle] > transaction) low = middle + 1; else high = middle - 1;
  }
  return -1;
};
// The position of the newest transaction in the list that is not after another one.
const positionNear = (transaction) => {
  let low = 0, high = filtered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (filtered[middle] > transaction) low = middle + 1; else high = middle;
  }
  return Math.min(low, filtered.length - 1);
};
const reveal = (position) => {
  const top = topOf(position), shown = list.scrollTop * scale();
  if (top - dayHeight < shown) list.scrollTop = (top - dayHeight) / scale();
  else if (top + rowHeight > shown + list.clientHeight) {
    list.scrollTop = Math.ceil((top + rowHeight - list.clientHeight) / scale());
  }
};
const showSelected = (transaction) => {
  selected = transaction;
  const position = positionOf(transaction);
  if (position >= 0) reveal(position);
  showPoint();
  showPanel();
  render();
  drawSoon();
};
const select = (transaction) => {
  showSelected(transaction);
  setFragment();
};
// Selects a transaction also if the filters hide it.
const goTo = (transaction) => {
  if (positionOf(transaction) < 0) clearFilters();
  select(transaction);
};
const move = (step) => {
  if (!filtered.length) return;
  let position = selected < 0 ? -1 : positionOf(selected);
  if (position >= 0) position += step;
  else if (selected < 0) position = 0;
  else position = positionNear(selected) + (step > 0 ? step - 1 : filtered[positionNear(selected)] > selected ? 0 : step);
  select(filtered[Math.max(0, Math.min(filtered.length - 1, position))]);
};
list.addEventListener('scroll', () => { render(); }, { passive: true });
list.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.floor(list.clientHeight / rowHeight) - 1);
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
  if (event.key in steps) {
    event.preventDefault();
    event.stopPropagation();
    move(steps[event.key]);
  } else if (event.key === 'Enter') {
    $('details').focus();
  }
});
