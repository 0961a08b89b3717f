// MARK: The history
//
// The history is stored in columns, in commit order: one element for each transaction, and one for each change. Names are
// replaced by their indices.

const $ = (id) => document.getElementById(id);
const data = JSON.parse($('data').textContent);
$('data').textContent = '';

const ids = [], times = [], authorOf = [], contextOf = [], programOf = [];
const metadataOf = new Map();
const ungrouped = new Set();  // The transactions of other programs whose time is not known yet.
const partial = new Set();   // The transactions with more changes than the page contains.
const first = [];  // The index of each transaction's first change.
const kinds = [], entityOf = [], modelOf = [];
const previousOf = [];  // For each change, the previous change of the same model, or -1.
const valuesOf = [];  // For each change, an attribute, the value before and the value after, and so on; 0 if there are none.

// Models have numbers in the order in which they first changed.
const keyOf = [], entityOfModel = [], lastOf = [];  // The primary key, the entity, and the last change of each model.

const authors = [], contexts = [], programs = [];
// Objects with a name, the names of attributes in the order of the schema, the attribute that is the title of a model or -1,
// the attributes that are lists of links, the relationships by their names, the names of the entities from which it inherits,
// and the numbers of the models by their keys.
const entities = [];
const noAuthor = -1, otherProgram = -2;
const kindNames = ['insert', 'update', 'delete'], kindSigns = ['+', '~', '−'];

const numbering = (names, make) => {
  const numbers = new Map();
  return (name) => {
    let number = numbers.get(name);
    if (number === undefined) {
      number = names.push(make(name)) - 1;
      numbers.set(name, number);
    }
    return number;
  };
};
const same = (name) => name;
const authorNumber = numbering(authors, same), contextNumber = numbering(contexts, same);
const programNumber = numbering(programs, same);
const entityNumber = numbering(entities, (name) => {
  const attributes = [];
  return {
    name, attributes, number: numbering(attributes, same), title: -1, links: new Set(), relationships: new Map(),
    kindOf: [], models: new Map(),
  };
});
const modelNumber = (entity, key) => {
  const { models } = entities[entity];
  let number = models.get(key);
  if (number === undefined) {
    number = keyOf.push(key) - 1;
    entityOfModel.push(entity);
    lastOf.push(-1);
    models.set(key, number);
  }
  return number;
};

const sums = (differences) => {
  let sum = 0;
  return differences.map((difference) => (sum += difference));
};

// Adds the transactions of a block that follow those that are known. A block has its own lists of names. Its identifiers
// and times are differences to the previous transaction of the block.
const append = (block, isNewestFirst) => {
  const authorNumbers = block.authors.map(authorNumber), contextNumbers = block.contexts.map(contextNumber);
  const programNumbers = block.programs.map(programNumber);
  const entityNumbers = block.entities.map((entity) => entityNumber(entity.name));
  const attributeNumbers = block.entities.map(
    (entity, index) => entity.attributes.map(entities[entityNumbers[index]].number));
  block.entities.forEach((entity, index) => {
    const known = entities[entityNumbers[index]], numbers = attributeNumbers[index];
    if (entity.title >= 0) known.title = numbers[entity.title];
    for (const link of entity.links) known.links.add(numbers[link]);
    known.kindOf = entity.kindOf;
    for (const relationship of entity.relationships) known.relationships.set(relationship.name, relationship);
  });
  const blockIDs = sums(block.ids), blockTimes = sums(block.times), ends = sums(block.counts);
  const metadata = new Map(block.metadata), ungroupedIndices = new Set(block.ungrouped), partialIndices = new Set(block.partial);
  for (let step = 0; step < blockIDs.length; step++) {
    const index = isNewestFirst ? blockIDs.length - 1 - step : step;
    if (ids.length && blockIDs[index] <= ids[ids.length - 1]) continue;
    if (metadata.has(index)) metadataOf.set(ids.length, metadata.get(index));
    if (ungroupedIndices.has(index)) ungrouped.add(ids.length);
    if (partialIndices.has(index)) partial.add(ids.length);
    ids.push(blockIDs[index]);
    times.push(blockTimes[index]);
    authorOf.push(block.author[index] < 0 ? block.author[index] : authorNumbers[block.author[index]]);
    contextOf.push(block.context[index] < 0 ? -1 : contextNumbers[block.context[index]]);
    programOf.push(block.program[index] < 0 ? -1 : programNumbers[block.program[index]]);
    first.push(kinds.length);
    for (let change = ends[index] - block.counts[index]; change < ends[index]; change++) {
      const entity = block.entity[change], list = block.values[change];
      const model = modelNumber(entityNumbers[entity], block.keys[change]);
      kinds.push(block.kinds[change]);
      entityOf.push(entityNumbers[entity]);
      modelOf.push(model);
      previousOf.push(lastOf[model]);
      lastOf[model] = kinds.length - 1;
      if (list) {
        for (let item = 0; item < list.length; item += 3) list[item] = attributeNumbers[entity][list[item]];
      }
      valuesOf.push(list);
    }
  }
};
// The page contains the newest block first, because the newest transactions matter most if its size is limited.
for (let index = data.blocks.length - 1; index >= 0; index--) {
  append(data.blocks[index], true);
  data.blocks[index] = null;
}

// The index after the last change of a transaction.
const end = (transaction) => (transaction + 1 < first.length ? first[transaction + 1] : kinds.length);
// The transaction of a change.
const transactionOf = (change) => {
  let low = 0, high = first.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (first[middle] <= change) low = middle; else high = middle - 1;
  }
  return low;
};

// MARK: Text

const element = (name, className, text) => {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
const button = (className, text, action) => {
  const node = element('button', className, text);
  node.type = 'button';
  node.addEventListener('click', action);
  return node;
};
// Characters that have no appearance of their own, or that change the direction of other text, are shown as codes.
const visible = (text) => String(text).replace(
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
  (character) => '\\u{' + character.charCodeAt(0).toString(16).toUpperCase() + '}');
const countText = (count, noun) => count.toLocaleString('en') + ' ' + noun + (count === 1 ? '' : 's');
const padded = (number, width) => String(number).padStart(width, '0');
const dayText = (date) =>
  padded(date.getFullYear(), 4) + '-' + padded(date.getMonth() + 1, 2) + '-' + padded(date.getDate(), 2);
const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const longDayText = (milliseconds) => {
  const date = new Date(milliseconds);
  return isNaN(date) ? 'invalid date' : longDay.format(date);
};
const timeText = (milliseconds) => {
  const date = new Date(milliseconds);
  if (isNaN(date)) return 'invalid date';
  return dayText(date) + ' ' + padded(date.getHours(), 2) + ':' + padded(date.getMinutes(), 2) + ':'
    + padded(date.getSeconds(), 2);
};
// With milliseconds and the time zone.
const preciseTimeText = (milliseconds) => {
  const date = new Date(milliseconds), minutes = -date.getTimezoneOffset();
  if (isNaN(date)) return 'invalid date';
  const fraction = date.getMilliseconds() ? '.' + padded(date.getMilliseconds(), 3) : '';
  return timeText(milliseconds) + fraction + ' ' + (minutes < 0 ? '−' : '+')
    + padded(Math.floor(Math.abs(minutes) / 60), 2) + ':' + padded(Math.abs(minutes) % 60, 2);
};
const valueText = (value) => {
  if (value === null) return 'nil';
  if (typeof value !== 'object') return visible(value);
  if ('date' in value) return preciseTimeText(value.date);
  if ('model' in value) return visible(value.model);
  if ('bytes' in value) return countText(value.bytes, 'byte');
  if ('text' in value) return visible(value.text) + '… (' + countText(value.length, 'character') + ')';
  // An added link has no value before, and a removed one has none after.
  if ('none' in value) return '';
  return 'not preserved';
};
// The name of the model that a value references.
const referenceOf = (value) => (value !== null && typeof value === 'object' && 'model' in value ? value.model : undefined);
const modelName = (model) => entities[entityOfModel[model]].name + '/' + keyOf[model];
// The number of the model with a name, or -1 if the page contains no change of it. A reference can have the name of an entity
// from which that of the model inherits.
const modelNamed = (name) => {
  const slash = name.lastIndexOf('/'), kind = name.slice(0, slash), key = name.slice(slash + 1);
  const entity = entities.find(({ name, kindOf, models }) => (name === kind || kindOf.includes(kind)) && models.has(key));
  return entity ? entity.models.get(key) : -1;
};
const authorName = (number) =>
  number === otherProgram ? 'other program' : number === noAuthor ? 'no author' : authors[number];
