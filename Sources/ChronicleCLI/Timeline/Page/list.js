// MARK: The list

const list = $('list'), spacer = $('spacer');
const narrow = matchMedia('(max-width: 720px)');
let selected = -1;  // The index of the selected transaction.
let rowHeight = 29;
// Browsers limit the height of an element. A longer list scrolls several rows per pixel.
const maximumHeight = 15e6;
const pool = [];  // The elements of the visible rows, in their order.

const contentHeight = () => filtered.length * rowHeight;
const scale = () => {
  const height = Math.min(contentHeight(), maximumHeight), room = list.clientHeight;
  return height > room ? (contentHeight() - room) / (height - room) : 1;
};
// Adapts the list to the filtered transactions and its size. It keeps its place, or shows the selected transaction.
const layOut = (keepsPlace) => {
  const top = list.scrollTop * scale();
  // The list has the transaction of the uppermost row.
  const anchor = pool.find((row) => !row.hidden && (row.position + 1) * rowHeight > top);
  const rest = anchor ? top - anchor.position * rowHeight : 0;
  rowHeight = narrow.matches ? 52 : 29;
  spacer.style.height = Math.min(contentHeight(), maximumHeight) + 'px';
  if (keepsPlace) {
    const position = anchor && top > 0 ? positionOf(anchor.transaction) : -1;
    if (position >= 0) list.scrollTop = (position * rowHeight + rest) / scale();
  } else {
    const position = selected < 0 ? -1 : positionOf(selected);
    list.scrollTop = 0;
    if (position >= 0) reveal(position);
  }
  render();
};
// The parts of the summary of a transaction: a kind of change, and what changed.
const summary = (transaction) => {
  const start = first[transaction], last = end(transaction);
  if (last - start === 1) {
    const names = (valuesOf[start] || []).filter((_, item) => item % 3 === 0)
      .map((attribute) => entities[entityOf[start]].attributes[attribute]);
    const detail = kinds[start] === 1 && names.length ? ' ' + [...new Set(names)].join(', ') : '';
    return [[kinds[start], ' ' + modelName(start) + detail]];
  }
  const counts = new Map();
  for (let change = start; change < last; change++) {
    const key = entityOf[change] * 3 + kinds[change];
    counts.set(key, (counts.get(key) || 0) + 1);
  }
  return [...counts].map(([key, count]) => [key % 3, count + ' ' + entities[Math.floor(key / 3)].name + '  ']);
};
const makeRow = () => {
  const row = element('div', 'row');
  row.setAttribute('role', 'option');
  for (const name of ['id', 'time', 'author', 'summary']) row.append(element('span', name));
  row.addEventListener('click', () => { select(row.transaction); });
  spacer.append(row);
  return row;
};
const render = () => {
  const top = list.scrollTop * scale(), room = list.clientHeight;
  const start = Math.max(0, Math.floor(top / rowHeight) - 5);
  const count = Math.max(0, Math.min(filtered.length - start, Math.ceil(room / rowHeight) + 10));
  while (pool.length < count) pool.push(makeRow());
  const offset = list.scrollTop - top;
  pool.forEach((row, index) => {
    row.hidden = index >= count;
    if (row.hidden) {
      row.removeAttribute('id');
      row.transaction = undefined;
      return;
    }
    const position = start + index, transaction = filtered[position];
    row.position = position;
    row.style.height = rowHeight + 'px';
    row.style.transform = 'translateY(' + (position * rowHeight + offset) + 'px)';
    row.setAttribute('aria-selected', transaction === selected);
    row.setAttribute('aria-posinset', position + 1);
    row.setAttribute('aria-setsize', filtered.length);
    row.id = 'transaction-' + ids[transaction];
    if (row.transaction === transaction) return;
    row.transaction = transaction;
    row.children[0].textContent = '#' + ids[transaction];
    row.children[1].textContent = timeText(times[transaction]);
    row.children[2].textContent = visible(authorName(authorOf[transaction]));
    row.children[2].classList.toggle('absent', authorOf[transaction] < 0);
    row.children[3].replaceChildren(...summary(transaction).flatMap(([kind, text]) =>
      [element('span', kindNames[kind], kindSigns[kind]), visible(text)]));
  });
  const isShown = selected >= 0 && pool.some((row) => !row.hidden && row.transaction === selected);
  if (isShown) list.setAttribute('aria-activedescendant', 'transaction-' + ids[selected]);
  else list.removeAttribute('aria-activedescendant');
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
const reveal = (position) => {
  const top = position * rowHeight, shown = list.scrollTop * scale();
  if (top < shown) list.scrollTop = top / scale();
  else if (top + rowHeight > shown + list.clientHeight) {
    list.scrollTop = Math.ceil((top + rowHeight - list.clientHeight) / scale());
  }
};
const showSelected = (transaction) => {
  selected = transaction;
  const position = positionOf(transaction);
  if (position >= 0) reveal(position);
  showTransaction(transaction);
  render();
  drawSoon();
};
const select = (transaction) => {
  showSelected(transaction);
  setFragment('t=' + ids[transaction]);
};
const move = (step) => {
  if (!filtered.length) return;
  const position = selected < 0 ? -1 : positionOf(selected);
  select(filtered[Math.max(0, Math.min(filtered.length - 1, position < 0 ? 0 : position + step))]);
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
