// MARK: Filters

const noFilter = { text: '', author: '', entity: '', kind: '', model: -1 };
let filter = { ...noFilter };
let filtered = [];  // The indices of the transactions that match, newest first.
const searchTexts = [];  // The text of each transaction in which a search looks, made when it is first needed.

const searchText = (transaction) => {
  if (searchTexts[transaction] !== undefined) return searchTexts[transaction];
  const parts = ['#' + ids[transaction], authorName(authorOf[transaction])];
  if (contextOf[transaction] >= 0) parts.push(contexts[contextOf[transaction]]);
  for (const [name, text] of Object.entries(metadataOf.get(transaction) || {})) parts.push(name, text);
  parts.push(...(tagsOf.get(transaction) || []));
  for (let change = first[transaction], last = end(transaction); change < last; change++) {
    const entity = entities[entityOf[change]];
    parts.push(modelName(modelOf[change]), titleAt(modelOf[change], transaction));
    const list = valuesOf[change] || [];
    for (let item = 0; item < list.length; item += 3) {
      parts.push(entity.attributes[list[item]], valueText(list[item + 1]), valueText(list[item + 2]));
    }
  }
  return (searchTexts[transaction] = parts.join('\n').toLowerCase());
};
const changeMatches = (change, transaction) =>
  (filter.entity === '' || entityOf[change] === +filter.entity)
  && (filter.kind === '' || kinds[change] === +filter.kind)
  && (filter.model < 0 || pathsTo(filter.model, change, transaction) !== undefined);
// The number of changes that match, or -1 if the transaction does not.
const matchingChanges = (transaction) => {
  if (filter.author !== '' && authorOf[transaction] !== +filter.author) return -1;
  const start = first[transaction], last = end(transaction);
  let count = last - start;
  if (filter.entity !== '' || filter.kind !== '' || filter.model >= 0) {
    count = 0;
    for (let change = start; change < last; change++) if (changeMatches(change, transaction)) count++;
    if (!count) return -1;
  }
  return filter.text === '' || searchText(transaction).includes(filter.text) ? count : -1;
};

let changeCount = 0;  // The number of matching changes of the matching transactions.
// Applies the filter to all transactions. With `keepsPlace`, the list remains where it is.
const applyFilter = (keepsPlace) => {
  filtered = [];
  changeCount = 0;
  for (let transaction = ids.length - 1; transaction >= 0; transaction--) {
    const count = matchingChanges(transaction);
    if (count < 0) continue;
    filtered.push(transaction);
    changeCount += count;
  }
  const part = (some, all, noun) =>
    (some === all ? '' : some.toLocaleString('en') + ' of ') + countText(all, noun);
  $('counts').textContent =
    part(filtered.length, ids.length, 'transaction') + ', ' + part(changeCount, kinds.length, 'change');
  $('model').hidden = filter.model < 0;
  if (filter.model >= 0) $('model').firstChild.textContent = visible(modelName(filter.model));
  const active = ['author', 'entity', 'kind'].filter((name) => filter[name] !== '').length + (filter.model >= 0);
  $('fold').textContent = active ? 'Filters (' + active + ')' : 'Filters';
  group();
  for (const row of pool) row.filled = undefined;
  layOut(keepsPlace);
  showPoint();
  drawSoon();
};

// A menu with more names than this would be slow and too long to read. The search finds the others.
const maximumOptions = 500;
const fillOptions = () => {
  const fill = (select, names, counts, special) => {
    const listed = names.map((_, index) => index);
    if (listed.length > maximumOptions) {
      listed.sort((a, b) => counts[b] - counts[a]);
      listed.length = maximumOptions;
      if (+select.value >= 0 && select.value !== '' && !listed.includes(+select.value)) listed.push(+select.value);
    }
    listed.sort((a, b) => names[a].localeCompare(names[b]));
    const option = (value, text, isDisabled) => {
      const node = element('option', '', visible(text));
      node.value = value;
      node.disabled = isDisabled;
      return node;
    };
    const selected = select.value;
    const options = [option('', 'all'), ...listed.map((index) => option(index, names[index])), ...special.map(
      (index) => option(index, authorName(index)))];
    if (names.length > listed.length) {
      options.push(option('more', countText(names.length - listed.length, 'other') + ': search for them', true));
    }
    select.replaceChildren(...options);
    select.value = selected;
  };
  const authorCounts = new Float64Array(authors.length);
  for (const author of authorOf) if (author >= 0) authorCounts[author]++;
  fill($('author'), authors, authorCounts, [noAuthor, otherProgram].filter((author) => authorOf.includes(author)));
  const entityCounts = new Float64Array(entities.length);
  for (const entity of entityOf) entityCounts[entity]++;
  fill($('entity'), entities.map((entity) => entity.name), entityCounts, []);
};
