// MARK: Details
//
// Three views of the selected point: its transaction, a model with its values then and all its changes, and a table of an
// entity.

const pageSize = 200;
const panels = ['transaction', 'model', 'table'];
let panel = 'transaction';
let shownModel = -1;  // The model of the second view.
let life = null;      // The elements of that view.

const showDetails = (nodes, keepsPlace) => {
  // What has the focus is about to be removed.
  const hadFocus = $('details').contains(document.activeElement) && document.activeElement !== $('details');
  const top = $('details').scrollTop;
  $('details').replaceChildren(...nodes);
  $('details').scrollTop = keepsPlace ? top : 0;
  if (!keepsPlace) $('details').scrollLeft = 0;
  if (hadFocus && !$('details').contains(document.activeElement)) $('details').focus();
};
const modelLink = (name, text) => button('link', text || visible(name), () => {
  const model = modelNamed(name);
  if (model >= 0) showModel(model);
});
// A value, whose reference is a link with the title at the selected point.
const valueNode = (value, name, className) => {
  const node = element(name, className || '');
  if (value === undefined) {
    node.textContent = '?';
    node.classList.add('unknown');
    node.title = 'not in the history of this page';
  } else if (value !== null && typeof value === 'object' && 'model' in value) {
    const model = modelNamed(value.model);
    node.append(model < 0 ? visible(value.model) : modelLink(value.model, titledName(model, Math.max(selected, 0))));
  } else {
    if (value === null || isMissing(value)) node.classList.add('absent');
    node.textContent = valueText(value);
  }
  return node;
};
// Rows with the name of an attribute and the elements of its value.
const attributeTable = (rows) => {
  const table = element('table', 'attributes');
  for (const [name, nodes] of rows) {
    const row = element('tr'), head = element('th', '', visible(name)), cell = element('td');
    head.scope = 'row';
    cell.append(...nodes);
    row.append(head, cell);
    table.append(row);
  }
  return table;
};
const changeTable = (change) => {
  const listed = valuesOf[change] || [], rows = [];
  if (!listed.length) return element('p', 'absent', 'No values were preserved.');
  for (let item = 0; item < listed.length; item += 3) {
    rows.push([entities[entityOf[change]].attributes[listed[item]],
      valueNodes(kinds[change], listed[item + 1], listed[item + 2], valueNode)]);
  }
  return attributeTable(rows);
};
const changeBlock = (change, ...heading) => {
  const block = element('div', 'change'), title = element('h3');
  title.append(sign(kinds[change]), element('span', kindNames[kinds[change]], kindNames[kinds[change]] + ' '), ...heading);
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

// MARK: A transaction

const showTransaction = (transaction) => {
  const facts = element('dl');
  const fact = (name, text, className) => {
    facts.append(element('dt', '', visible(name)), element('dd', className || '', visible(text)));
  };
  const author = authorOf[transaction];
  fact('Time', (ungrouped.has(transaction) ? 'not later than ' : '') + preciseTimeText(times[transaction]));
  fact('Author', authorName(author), author < 0 ? 'absent' : '');
  if (contextOf[transaction] >= 0) fact('Context', contexts[contextOf[transaction]]);
  if (programOf[transaction] >= 0) fact('Program', programs[programOf[transaction]]);
  if (tagsOf.has(transaction)) fact('Tags', tagsOf.get(transaction).join(', '));
  for (const [name, text] of Object.entries(metadataOf.get(transaction) || {})) fact(name, text);
  const start = first[transaction], count = end(transaction) - start;
  fact('Changes', (partial.has(transaction) ? 'more than ' : '') + count.toLocaleString('en'));
  const changes = pages(count, (index) => {
    const model = modelOf[start + index];
    return changeBlock(start + index, modelLink(modelName(model), titledName(model, transaction)));
  });
  showDetails([element('h2', '', 'Transaction #' + ids[transaction]), facts, changes.container]);
};

// MARK: A model

// Shows the state and all changes of a model, and only its transactions in the list.
const showModel = (model) => {
  filter.model = model;
  shownModel = model;
  panel = 'model';
  applyFilter(false);
  showPanel();
  setFragment();
};
const unknownNote = 'The page does not contain the values shown as ?: they changed before the history in it begins, they were not '
  + 'preserved, or that history was deleted.';
const skipsNote = 'The page contains the transactions of one author. A state needs all of them: write the page without --author.';
// The values of the attributes that a transaction changed, before and after.
const changedIn = (model, transaction) => {
  const history = historyOf(model), changed = new Map();
  let kind = -1;
  for (let index = countBelow(history.changes, first[transaction]); index < history.changes.length; index++) {
    const change = history.changes[index], list = valuesOf[change] || [];
    if (change >= end(transaction)) break;
    kind = kind === 0 && kinds[change] === 1 ? 0 : kinds[change];
    for (let item = 0; item < list.length; item += 3) {
      const known = changed.get(list[item]);
      changed.set(list[item], [known ? known[0] : list[item + 1], list[item + 2]]);
    }
  }
  return { kind, changed };
};
// The elements of the value of an attribute at a point, with the old value if the transaction changed it.
const stateNodes = (model, attribute, transaction, { kind, changed }, note) => {
  if (entities[entityOfModel[model]].links.has(attribute)) {
    const { names, isComplete } = linksAt(model, attribute, transaction);
    const nodes = names.slice(0, 50).flatMap((name) => [valueNode({ model: name }, 'span'), ', ']).slice(0, -1);
    if (names.length > 50) nodes.push(', … (' + names.length.toLocaleString('en') + ')');
    if (!isComplete) {
      note.hidden = false;
      if (nodes.length) nodes.push(', ');
      nodes.push(valueNode(undefined, 'span'));
    }
    return nodes.length ? nodes : [element('span', 'absent', 'none')];
  }
  const value = valueAt(model, attribute, transaction), change = changed.get(attribute);
  if (change && kind === 1 && value !== undefined) return valueNodes(1, change[0], value, valueNode);
  if (value === undefined) note.hidden = false;
  return [valueNode(value, change && kind === 0 && value !== null ? 'ins' : 'span', change && kind === 0 && value !== null ? 'new' : '')];
};
const stateSection = (model, transaction) => {
  const section = element('div', 'state'), note = element('p', 'secondary', unknownNote);
  const title = element('h2', '', titledName(model, transaction)), heading = element('h3', '', 'After #' + ids[transaction]);
  section.append(title, heading);
  note.hidden = true;
  const exists = existsAt(model, transaction), { attributes } = entities[entityOfModel[model]];
  if (data.skips) {
    section.append(element('p', 'secondary', skipsNote));
  } else if (exists === false) {
    const history = historyOf(model), index = countBelow(history.changes, end(transaction));
    section.append(element('p', 'absent', index === 0 ? 'Not inserted yet.'
      : 'Deleted by #' + ids[transactionOf(history.changes[index - 1])] + '.'));
  } else {
    const changes = changedIn(model, transaction);
    section.append(attributeTable(attributes.map((name, attribute) =>
      [name, stateNodes(model, attribute, transaction, changes, note)])), note);
    if (exists === undefined) section.append(element('p', 'secondary', 'The page does not contain whether the model existed.'));
  }
  return section;
};
const showState = (keepsPlace) => {
  const list = changesWithParts(shownModel), paths = chosenPaths(shownModel);
  if (!life || life.model !== shownModel || life.count !== list.length || life.paths !== paths) {
    const initial = life && life.model === shownModel ? life.shownCount() + list.length - life.count : 0;
    const content = pages(list.length, (index) => {
      const transaction = transactionOf(list[index]);
      const text = '#' + ids[transaction] + ', ' + timeText(times[transaction]) + ', ' + authorName(authorOf[transaction]);
      const block = changeBlock(list[index], button('link', visible(text), () => {
        panel = 'transaction';
        select(transaction);
      }), ...partNodes(shownModel, list[index], transaction));
      block.dataset.id = ids[transaction];
      return block;
    }, initial);
    life = { model: shownModel, count: list.length, paths, shownCount: content.shownCount, node: element('div') };
    life.node.append(
      element('h3', 'heading', countText(list.length, 'change')), ...partControls(shownModel), content.container);
  }
  for (const node of life.node.querySelectorAll('[aria-current]')) node.removeAttribute('aria-current');
  const current = life.node.querySelectorAll('[data-id="' + ids[selected] + '"]');
  for (const node of current) node.setAttribute('aria-current', 'true');
  if (life.node.isConnected && keepsPlace) {
    // The changes remain, and the focus if it is there.
    const hadFocus = $('details').firstChild.contains(document.activeElement);
    $('details').firstChild.replaceWith(stateSection(shownModel, selected));
    if (hadFocus) $('details').focus();
  } else {
    showDetails([stateSection(shownModel, selected), life.node], keepsPlace);
  }
};

// MARK: The point

let panelKey = '';  // What is shown, to keep its place when only the point changes.
const showPanel = () => {
  for (const name of panels) {
    $('tab-' + name).setAttribute('aria-selected', name === panel);
    $('tab-' + name).tabIndex = name === panel ? 0 : -1;
  }
  $('details').setAttribute('aria-labelledby', 'tab-' + panel);
  $('details').classList.toggle('wide', panel === 'table');
  if (selected < 0) {
    showDetails([element('p', 'secondary', 'The history contains no transactions.')]);
    return;
  }
  const start = first[selected];
  if (panel === 'model' && shownModel < 0 && start < end(selected)) shownModel = modelOf[start];
  if (panel === 'table' && shownEntity < 0) {
    shownEntity = shownModel >= 0 ? entityOfModel[shownModel] : start < end(selected) ? entityOf[start] : entities.length - 1;
  }
  const key = panel === 'model' ? 'm' + shownModel : panel === 'table' ? 'e' + shownEntity : '';
  const keepsPlace = key !== '' && key === panelKey;
  panelKey = key;
  if (panel === 'model' && shownModel >= 0) showState(keepsPlace);
  else if (panel === 'table' && shownEntity >= 0) showTable(keepsPlace);
  else showTransaction(selected);
};
const openPanel = (name) => {
  panel = name;
  showPanel();
  setFragment();
};
// The slider moves through the listed transactions, the oldest one first.
const showPoint = () => {
  const slider = $('slider'), last = filtered.length - 1, position = filtered.length ? positionNear(selected) : 0;
  slider.max = Math.max(last, 0);
  slider.value = Math.max(last - position, 0);
  slider.disabled = last < 1 || selected < 0;
  $('earlier').disabled = $('later').disabled = slider.disabled;
  if (selected < 0) return;
  const text = '#' + ids[selected] + ' · ' + timeText(times[selected]) + ' · ' + visible(authorName(authorOf[selected]));
  $('pointText').textContent = text;
  slider.setAttribute('aria-valuetext', text);
};

// The fragment of the URL is what is shown. Browsers limit how often it may change.
let fragmentTimer = 0;
const setFragment = () => {
  clearTimeout(fragmentTimer);
  if (selected < 0) return;
  const encoded = (name) => encodeURIComponent(name);
  const paths = shownModel >= 0 ? [...chosenPaths(shownModel)].join() : '';
  const shown = panel === 'model' && shownModel >= 0
    ? 'm=' + encoded(modelName(shownModel)) + '&' + (paths ? 'with=' + encoded(paths) + '&' : '')
    : panel === 'table' && shownEntity >= 0 ? 'e=' + encoded(entities[shownEntity].name) + '&' : '';
  const fragment = '#' + shown + 't=' + ids[selected];
  fragmentTimer = setTimeout(() => { history.replaceState(null, '', fragment); }, 250);
};
const openFragment = () => {
  const fields = new Map();
  // The fragment may be any text.
  try {
    for (const field of location.hash.slice(1).split('&')) {
      const [name] = field.split('=', 1);
      fields.set(name, decodeURIComponent(field.slice(name.length + 1)));
    }
  } catch { return false; }
  const transaction = fields.has('t') ? ids.indexOf(+fields.get('t')) : ids.length - 1;
  if (transaction < 0) return false;
  const model = fields.has('m') ? modelNamed(fields.get('m')) : -1;
  const entity = fields.has('e') ? entities.findIndex((entity) => entity.name === fields.get('e')) : -1;
  if (model < 0 && entity < 0 && !fields.has('t')) return false;
  selected = transaction;
  if (positionOf(transaction) < 0) clearFilters();
  if (model >= 0) {
    choosePaths(model, new Set((fields.get('with') || '').split(',').filter((path) => path)));
    showModel(model);
  } else {
    panel = entity >= 0 ? 'table' : 'transaction';
    if (entity >= 0) shownEntity = entity;
  }
  select(transaction);
  return true;
};
