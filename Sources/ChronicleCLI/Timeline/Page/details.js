// MARK: Details

const pageSize = 200;
let shownModel = null;  // The model whose changes are shown, with the number of the changes of the page.

const showDetails = (...nodes) => {
  // What has the focus is about to be removed.
  const hadFocus = $('details').contains(document.activeElement) && document.activeElement !== $('details');
  $('details').replaceChildren(...nodes);
  $('details').scrollTop = 0;
  shownModel = null;
  if (hadFocus) $('details').focus();
};
const openModel = (name) => {
  const slash = name.lastIndexOf('/');
  const entity = entities.findIndex((entity) => entity.name === name.slice(0, slash));
  if (entity >= 0) showModel(entity, name.slice(slash + 1));
};
const modelLink = (name) => button('link', visible(name), () => { openModel(name); });
const valueCell = (value, className) => {
  const cell = element('td', className);
  const isObject = value !== null && typeof value === 'object';
  if (isObject && 'model' in value) {
    cell.append(modelLink(value.model));
  } else {
    if (value === null || (isObject && 'missing' in value)) cell.classList.add('absent');
    cell.textContent = valueText(value);
  }
  return cell;
};
const changeTable = (change) => {
  const listed = valuesOf[change] || [];
  if (!listed.length) return element('p', 'absent', 'No values were preserved.');
  const table = element('table');
  const head = element('tr');
  for (const title of kinds[change] === 1 ? ['Attribute', 'Before', 'After'] : ['Attribute', 'Value']) {
    const cell = element('th', '', title);
    cell.scope = 'col';
    head.append(cell);
  }
  table.append(head);
  for (let item = 0; item < listed.length; item += 3) {
    const row = element('tr');
    row.append(element('td', '', visible(entities[entityOf[change]].attributes[listed[item]])));
    if (kinds[change] !== 0) row.append(valueCell(listed[item + 1], 'delete'));
    if (kinds[change] !== 2) row.append(valueCell(listed[item + 2], 'insert'));
    table.append(row);
  }
  return table;
};
const changeBlock = (change, heading) => {
  const block = element('div');
  const title = element('h3');
  const name = kindNames[kinds[change]];
  title.append(element('span', name, kindSigns[kinds[change]] + ' ' + name + ' '), heading);
  block.append(title, changeTable(change));
  return block;
};
// The elements of the first items, and a button that adds more. Returns a function that gives their number, too.
const pages = (count, make, initialCount) => {
  const container = element('div');
  let shown = 0;
  const more = button('', '', () => { add(pageSize); });
  const add = (number) => {
    const start = shown;
    shown = Math.min(count, shown + number);
    for (let index = start; index < shown; index++) container.insertBefore(make(index), more);
    more.hidden = shown >= count;
    more.textContent = 'Show more (' + (count - shown).toLocaleString('en') + ')';
  };
  container.append(more);
  add(Math.max(initialCount || 0, pageSize));
  return { container, shownCount: () => shown };
};
const showTransaction = (transaction) => {
  const facts = element('dl');
  const fact = (name, text, className) => {
    facts.append(element('dt', '', visible(name)), element('dd', className || '', visible(text)));
  };
  const author = authorOf[transaction];
  fact('Time', (unsealed.has(transaction) ? 'not later than ' : '') + preciseTimeText(times[transaction]));
  fact('Author', authorName(author), author < 0 ? 'absent' : '');
  if (contextOf[transaction] >= 0) fact('Context', contexts[contextOf[transaction]]);
  if (programOf[transaction] >= 0) fact('Program', programs[programOf[transaction]]);
  for (const [name, text] of Object.entries(metadataOf.get(transaction) || {})) fact(name, text);
  const start = first[transaction], count = end(transaction) - start;
  fact('Changes', (partial.has(transaction) ? 'more than ' : '') + count.toLocaleString('en'));
  const changes = pages(count, (index) => changeBlock(start + index, modelLink(modelName(start + index))));
  showDetails(element('h2', '', 'Transaction #' + ids[transaction]), facts, changes.container);
};
// Shows all changes of a model, and only its transactions in the list.
const showModel = (entity, key) => {
  filter.model = { entity, key };
  applyFilter(false);
  showLife(entity, key);
  setFragment('m=' + encodeURIComponent(entities[entity].name + '/' + key));
};
const showLife = (entity, key, initialCount) => {
  const life = [];
  for (let change = 0; change < kinds.length; change++) {
    if (entityOf[change] === entity && keys[change] === key) life.push(change);
  }
  const changes = pages(life.length, (index) => {
    const transaction = transactionOf(life[index]);
    const text = '#' + ids[transaction] + ', ' + timeText(times[transaction]) + ', ' + authorName(authorOf[transaction]);
    return changeBlock(life[index], button('link', visible(text), () => { select(transaction); }));
  }, initialCount);
  showDetails(
    element('h2', '', visible(entities[entity].name + '/' + key)),
    element('p', 'secondary', countText(life.length, 'change')), changes.container);
  shownModel = { entity, key, count: life.length, shownCount: changes.shownCount };
};
// Adds the new changes of the model that is shown.
const refreshDetails = () => {
  if (!shownModel) return;
  const { entity, key, count, shownCount } = shownModel;
  let current = 0;
  for (let change = 0; change < kinds.length; change++) {
    if (entityOf[change] === entity && keys[change] === key) current++;
  }
  if (current === count) return;
  const top = $('details').scrollTop;
  showLife(entity, key, shownCount() + current - count);
  $('details').scrollTop = top;
};

// The fragment of the URL is the transaction or model that is shown. Browsers limit how often it may change.
let fragmentTimer = 0;
const setFragment = (fragment) => {
  clearTimeout(fragmentTimer);
  fragmentTimer = setTimeout(() => { history.replaceState(null, '', '#' + fragment); }, 250);
};
const openFragment = () => {
  let target;
  // The fragment may be any text.
  try { target = decodeURIComponent(location.hash).match(/^#([tm])=(.*)$/s); } catch { return false; }
  if (!target) return false;
  if (target[1] === 'm') {
    openModel(target[2]);
    return shownModel !== null;
  }
  const transaction = ids.indexOf(+target[2]);
  if (transaction < 0) return false;
  if (positionOf(transaction) < 0) clearFilters();
  select(transaction);
  return true;
};
