#!/usr/bin/env python3
"""Verifies a sealed export: `python3 Tests/Fixtures/verify-seals.py EXPORT [HEAD…]`.

Written from the article "The seal format" and with the standard library alone, so that it is independent of the package. It prints
the head of each seal, and a line for each difference with the number of the line of the export. The exit status is 0 if nothing
differs and the export contains each given head, 1 if not, and 2 if the file is not a complete sealed export.
"""

import base64, hashlib, hmac, json, re, struct, sys


class Damaged(Exception): pass


# The notation of the article.

def label(name): return b'chr1:' + name + bytes(16 - 5 - len(name))
def u8(number): return struct.pack('>B', number)


def i64(number):
    if type(number) is not int or not -2**63 <= number < 2**63: raise Damaged(f'{number!r} is not a 64-bit integer')
    return struct.pack('>q', number)


def f64(number): return bytes.fromhex('7ff8000000000000') if number != number else struct.pack('>d', number)
def raw(data): return i64(len(data)) + data
def optional(value, write): return b'\x00' if value is None else b'\x01' + write(value)
def array(elements): return b''.join(b'\x01' + element for element in elements) + b'\x00' + i64(len(elements))
def sha(data): return hashlib.sha256(data).digest()
def mac(key, data): return hmac.new(key, data, hashlib.sha256).digest()
def base64url(data): return base64.urlsafe_b64encode(data).decode().rstrip('=')


# The forms of JSON.

def binary(text):
    if type(text) is not str or not re.fullmatch('[A-Za-z0-9_-]*', text): raise Damaged('not base64url without padding')
    try: data = base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
    except ValueError: raise Damaged('not base64url without padding')
    if base64url(data) != text: raise Damaged('base64url with other bits')
    return data


def digest(text):
    data = binary(text)
    if len(data) != 32: raise Damaged('a hash or a key has 32 bytes')
    return data


def text(item):
    if type(item) is dict and list(item) == ['utf8']: return binary(item['utf8'])
    if type(item) is not str: raise Damaged('not a text')
    try: return item.encode()
    except UnicodeEncodeError: raise Damaged('not a text')


def real(item):
    if type(item) is not str or not re.fullmatch(r'nan|-?inf|-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?', item): raise Damaged('not a real')
    return f64(float(item))


def value(item):
    if item is None: return u8(0)
    if type(item) is int: return u8(1) + i64(item)
    if type(item) is dict and list(item) == ['real']: return u8(2) + real(item['real'])
    if type(item) is dict and list(item) == ['binary']: return u8(4) + raw(binary(item['binary']))
    return u8(3) + raw(text(item))


def unique(pairs):
    names = dict(pairs)
    if len(names) != len(pairs): raise Damaged('an object has a name twice')
    return names


def invalid_number(text): raise Damaged(f'{text} is not an integer')


class Members:
    """The members of an object, each of which must be used."""

    def __init__(self, item):
        if type(item) is not dict: raise Damaged('not an object')
        self.rest = dict(item)

    def optional(self, name, read=lambda item: item):
        item = self.rest.pop(name, None)
        return None if item is None else read(item)

    def required(self, name, read=lambda item: item):
        if self.rest.get(name) is None: raise Damaged(f'"{name}" is missing')
        return read(self.rest.pop(name))

    def list(self, name):
        items = self.rest.pop(name, None) or []
        if type(items) is not list: raise Damaged(f'"{name}" is not a list')
        return items

    def end(self):
        if self.rest: raise Damaged(f'unknown names: {", ".join(self.rest)}')


def integer(item):
    i64(item)
    return item


def boolean(item):
    if type(item) is not bool: raise Damaged('neither true nor false')
    return item


# The hashes of the article, from the objects of the lines.

def catalog_names(item):
    """Returns the bytes of G's input, and the numbers of the entities of a store by their names."""
    members, entities, attributes, classes = Members(item), [], [], {}
    invalid = members.optional('invalid', binary)
    if invalid is not None:
        members.end()
        return invalid, classes
    for item in members.list('entities'):
        entity = Members(item)
        number, name = entity.required('number', integer), entity.required('name', text)
        parent, table = entity.optional('superentity', integer), entity.optional('table', text)
        columns = entity.optional('keyColumns')
        entity.end()
        entities.append((number, i64(number) + raw(name) + optional(parent, i64) + optional(table, raw)
                         + optional(columns, lambda columns: array([raw(text(column)) for column in columns]))))
        if table is None: classes.setdefault(name, number)
    for item in members.list('attributes'):
        attribute = Members(item)
        entity, number = attribute.required('entity', integer), attribute.required('number', integer)
        attributes.append(((entity, number), i64(entity) + i64(number) + raw(attribute.required('name', text))
                           + optional(attribute.optional('type', text), raw) + optional(attribute.optional('destination', text), raw)
                           + u8(attribute.required('present', boolean))))
        attribute.end()
    members.end()
    order = lambda entries: array([entry for _, entry in sorted(entries, key=lambda pair: pair[0])])
    return label(b'catalog') + order(entities) + order(attributes), classes


def event_hash(number, members, event):
    kind, time = members.required('kind', text), members.required('time', real)
    texts = b''.join(optional(members.optional(name, text), raw) for name in ('author', 'program', 'process'))
    event['kind'], detail = kind.decode(), members.required('detail', text)
    try: event['detail'] = json.loads(detail)
    except ValueError: event['detail'] = {}
    parts = [Members(item) for item in members.list('parts')]
    event['parts'] = {part.required('seal', integer): part.optional('content', binary) or b'' for part in parts}
    for part in parts: part.end()
    return sha(label(b'event') + i64(number) + raw(kind) + time + texts + raw(detail)
               + array([i64(seal) + raw(content) for seal, content in sorted(event['parts'].items())]))


def description_hash(key, item):
    members = Members(item)
    time, server = members.required('time', real), members.optional('serverTime', real)
    texts = b''.join(optional(members.optional(name, text), raw) for name in ('author', 'context', 'program', 'process'))
    entries = []
    for entry in map(Members, members.list('metadata')):
        entries.append((entry.required('name', text), entry.required('value', text)))
        entry.end()
    members.end()
    return mac(key, label(b'descr') + time + (b'\x00' if server is None else b'\x01' + server) + texts
               + array([raw(name) + raw(content) for name, content in sorted(entries)]))


class Verifier:
    def __init__(self, lines):
        self.lines = enumerate(lines, 1)
        self.number = 0
        self.heads, self.differences = [], []
        self.counts = dict(seals=0, events=0, transactions=0, changes=0, erased=0, keys=0)
        self.events = {}            # by number: kind, detail, parts, seal, line
        self.ends = {}              # the last position of each seal
        self.gaps = []              # (line, first, last) of positions without rows
        self.unexpected = []        # (line, seal, index, position, is_absent, difference) of entries that need an event
        self.key = None             # the entity and the number of the last key line
        self.used = {}              # K by entity and number, with the line of a change that has it
        self.erased = {}            # (seal, event): the content of the part, and a line

    def next(self):
        try: self.number, line = next(self.lines)
        except StopIteration: raise Damaged('the export was cut off')
        if not line.endswith(b'\n'): raise Damaged('the export was cut off')
        try: item = json.loads(line.decode(), object_pairs_hook=unique, parse_float=invalid_number, parse_constant=invalid_number)
        except ValueError as error: raise Damaged(f'not a line of a sealed export: {error}')
        if type(item) is not dict or len(item) != 1: raise Damaged('not an object with one name')
        (self.kind, content), = item.items()
        self.line = Members(content)

    def differ(self, detail, line=None): self.differences.append((line or self.number, detail))

    def run(self):
        self.next()
        if self.kind != 'sealed': raise Damaged('not a sealed export')
        if self.line.required('version', integer) != 1: raise Damaged('a later version of the format')
        self.store, self.values = self.line.required('store', text), self.line.required('includesValues', boolean)
        self.first = self.line.required('firstSeal', integer)
        present, self.classes = catalog_names(self.line.required('catalog'))
        self.line.end()
        self.next()
        self.read_events(None)
        if self.kind != 'seal': raise Damaged('the first seal is missing')
        # The number of the previous seal, its last position, check value and hash, and the catalog.
        self.seal, self.position, self.check, self.hash, self.catalog = self.first - 1, None, None, None, None
        if self.first == 1: self.position, self.check, self.hash = 0, 0, bytes(32)
        while self.kind == 'seal': self.read_seal()
        if present != self.catalog and not any(event['kind'] == 'names' and event['seal'] is None for event in self.events.values()):
            self.differ('the present names are not those of the last seal', 1)
        while self.kind == 'key': self.read_key()
        for key, (hashed, line) in self.used.items(): self.differ(f'the numbered key {key[1]} of the entity {key[0]} is missing', line)
        self.read_end()
        self.check_events()

    def read_end(self):
        if self.kind != 'complete': raise Damaged(f'the line "{self.kind}" is misplaced')
        for name, count in self.counts.items():
            if self.line.required(name, integer) != count: raise Damaged(f'the number of {name} is not {count}')
        if self.line.required('head') != self.heads[-1]: self.differ('the head is not that of the last seal')
        self.line.end()
        if next(self.lines, None) is not None: raise Damaged('lines follow the last one')

    # Seals and events

    def read_events(self, seal):
        hashes = []
        while self.kind == 'event':
            number = self.line.required('number', integer)
            event = dict(seal=seal, line=self.number)
            hashes.append((number, event_hash(number, self.line, event)))
            self.line.end()
            if number in self.events: self.differ(f'the event {number} is there twice')
            self.events[number] = event
            self.counts['events'] += 1
            self.next()
        return sorted(hashes)

    def read_seal(self):
        line, number = self.number, self.line.required('number', integer)
        if self.counts['seals'] == 0 and number != self.first: raise Damaged('it is not the first seal')
        self.counts['seals'] += 1
        last, check = self.line.required('last', integer), self.line.required('lastCheck', integer)
        time, previous = self.line.required('time', real), self.line.required('previous', digest)
        names, stored = self.line.required('catalogHash', digest), self.line.required('hash', digest)
        listed = self.line.required('transactions', binary)
        self.line.optional('publicKey', digest), self.line.optional('signature', binary)
        self.line.end()
        if len(listed) % 40: raise Damaged('the list of transactions has no entries of 40 bytes')
        entries = [(struct.unpack('>q', listed[i:i + 8])[0], listed[i + 8:i + 40]) for i in range(0, len(listed), 40)]
        if number != self.seal + 1: self.differ(f'the seal {self.seal + 1} is missing')
        elif self.hash is not None and previous != self.hash: self.differ(f'the seal {number} does not follow the previous one')
        positions = ([] if self.position is None else [self.position]) + [position for position, _ in entries]
        if any(after <= before for before, after in zip(positions, positions[1:])):
            self.differ(f'the list of the seal {number} is not ascending')
        if positions and last != positions[-1] or not entries and self.check is not None and check != self.check:
            self.differ(f'the end of the seal {number} is not that of its transactions')
        self.ends[number] = last
        self.next()

        has_changed = False
        if self.kind == 'catalog':
            content, _ = catalog_names(self.line.rest)
            has_changed, self.catalog = self.catalog is not None and self.catalog != content, content
            if sha(content) != names: self.differ(f'the names are not those of the seal {number}')
            self.next()
        elif self.catalog is None or sha(self.catalog) != names: self.differ(f'the names of the seal {number} are missing', line)
        events = self.read_events(number)
        if has_changed and not any(self.events[event]['kind'] == 'names' for event, _ in events):
            self.differ(f'names were changed before the seal {number} without an event', line)
        computed = sha(label(b'seal') + raw(self.store) + i64(number) + previous + i64(last) + i64(check) + time + raw(listed)
                       + names + array([i64(event) + hashed for event, hashed in events]))
        if computed != stored: self.differ(f'the hash of the seal {number} is not that of its content', line)
        self.heads.append(f'{last}:{base64url(computed)}')
        self.read_transactions(line, number, check, entries)
        self.seal, self.position, self.check, self.hash = number, last, check, stored

    # Transactions

    def read_transactions(self, line, seal, check, entries):
        rest, before, rows = list(enumerate(entries)), self.position, {}
        while self.kind == 'transaction':
            position = self.line.required('position', integer)
            if before is not None and position <= before: raise Damaged('transactions are not ascending')
            if position > self.ends[seal]: raise Damaged('the transaction is after the end of the seal')
            # The rows of an absent transaction are absent as well, so nothing is known about what is before it.
            while rest and rest[0][1][0] < position:
                index, (absent, _) = rest.pop(0)
                self.unexpected.append((line, seal, index, absent, True, f'the transaction at {absent} is missing'))
                before = absent
            entry = rest.pop(0) if rest and rest[0][1][0] == position else None
            self.read_transaction(seal, position, entry, before, None if rest else check, rows)
            before = position
        for index, (absent, _) in rest:
            self.unexpected.append((line, seal, index, absent, True, f'the transaction at {absent} is missing'))
        while self.kind == 'erased':
            row, event = tuple(self.line.required('row')), self.line.required('event', integer)
            self.line.end()
            rows.setdefault(event, []).append(row)
            self.counts['erased'] += 1
            self.next()
        for event, erased in rows.items():
            erased.sort()
            self.erased[seal, event] = i64(len(erased)) + sha(label(b'erased') + b''.join(i64(key) for row in erased for key in row)), line

    def read_transaction(self, seal, position, entry, before, last_check, rows):
        line, members = self.number, self.line
        self.counts['transactions'] += 1
        check, kind, first = members.required('checkValue', integer), members.required('kind'), members.required('first', integer)
        description, commitment = members.optional('description'), members.optional('commitment', self.commitment)
        stray = members.optional('stray', integer)
        members.end()
        if kind not in ('ordinary', 'external', 'void'): raise Damaged(f'the kind {kind} is unknown')
        if description is not None and (kind == 'void' or not self.values): raise Damaged('there is a description')
        if kind == 'void' and (first != position or commitment): raise Damaged('a void header has its position as the first one, and no commitment')
        if stray is not None: self.differ(f'the row at {stray} belongs to no transaction')
        if last_check is not None and check != last_check: self.differ(f'the check value at {position}')
        key, hashed = (commitment or {}).get('key'), (commitment or {}).get('hash')
        if kind == 'void':
            hashed = bytes(32)
        elif hashed is None:
            self.differ(f'the commitment to the description at {position} is missing')
            hashed = bytes(32)
        elif self.values:
            if None in (key, description) or description_hash(key, description) != hashed: self.differ(f'the description at {position}')
        self.next()
        changes = []
        while self.kind == 'change' and kind != 'void':
            changes.append(self.read_change(first, rows))
            self.counts['changes'] += 1
            self.next()
        if entry is None: return self.differ(f'no seal contains the transaction at {position}', line)
        number = ('ordinary', 'external', 'void').index(kind)
        computed = sha(label(b'trans') + i64(position) + i64(check) + u8(number) + hashed + i64(first) + array(changes))
        index, (_, expected) = entry
        if computed != expected:
            # The newest transaction becomes a void header when it is deleted. It was the last one of its seal.
            is_remainder = kind == 'void' and last_check is not None and check == last_check
            return self.unexpected.append((line, seal, index, position, is_remainder, f'the content of the transaction at {position}'))
        # In PostgreSQL, the first change has a number that is not lower than the position.
        if before is not None and before + 1 < min(first, position): self.gaps.append((line, before + 1, min(first, position) - 1))

    def commitment(self, item):
        members = Members(item)
        commitment = {
            'attribute': members.optional('attribute', integer), 'key': members.optional('key', digest),
            'hash': members.optional('hash', digest), 'event': members.optional('event', integer),
        }
        members.end()
        if commitment['key'] is not None and not self.values: raise Damaged('there is a key')
        return commitment

    def read_change(self, first, rows):
        members = self.line
        position, kind = members.required('position', integer), members.required('kind')
        if kind not in ('insert', 'update', 'delete'): raise Damaged(f'the kind {kind} is unknown')
        entity, key, numbered = members.required('entity', integer), members.optional('primaryKey', integer), members.optional('numberedKey')
        attributes, slots = [i64(number) for number in members.list('attributes')], members.list('slots')
        members.end()
        if (key is None) == (numbered is None): raise Damaged('a change has one primary key')
        if numbered is None:
            written = b'\x01' + i64(key)
        else:
            numbered = Members(numbered)
            number, hashed = numbered.required('number', integer), numbered.required('hash', digest)
            numbered.end()
            known = self.used.setdefault((entity, number), (hashed, self.number))
            if known[0] != hashed: self.differ(f'the numbered key {number} of the entity {entity}')
            written = b'\x02' + i64(number) + hashed
        number = ('insert', 'update', 'delete').index(kind) + 1
        return (i64((position - first + 2**63) % 2**64 - 2**63) + u8(number) + i64(entity) + written + array(attributes)
                + array([self.slot(Members(item), rows) for item in slots]))

    def slot(self, members, rows):
        row, attribute = tuple(members.required('row')), members.optional('attribute', integer)
        item, commitment = members.optional('value'), members.optional('commitment', self.commitment)
        members.end()
        if len(row) not in (1, 3): raise Damaged('a row has one number or three')
        name = ', '.join(map(str, row))
        if item is not None and (attribute is None or not self.values): raise Damaged('there is a value')
        if commitment is None:
            if item is not None: self.differ(f'the value in the row {name} was not sealed')
            return b'\x00'
        number, key, hashed, event = (commitment[name] for name in ('attribute', 'key', 'hash', 'event'))
        if number is None or hashed is None:
            self.differ(f'the commitment of the row {name}')
            return b'\x00'
        if event is not None: rows.setdefault(event, []).append(row)
        if event is not None and (key is not None or item is not None): self.differ(f'the erased value in the row {name} was restored')
        elif event is None and self.values:
            if item is None or key is None: self.differ(f'the value in the row {name} is missing without an event')
            elif attribute != number or not self.is_committed(item, number, key, hashed): self.differ(f'the value in the row {name}')
        return b'\x01' + i64(number) + hashed

    def is_committed(self, item, attribute, key, hashed):
        sides = Members(item)
        before, after = sides.optional('before', self.forms) or [u8(0)], sides.optional('after', self.forms) or [u8(0)]
        sides.end()
        return any(mac(key, label(b'value') + i64(attribute) + old + new) == hashed for old in before for new in after)

    def forms(self, item):
        """A text can be the name of a class, which is hashed as its number."""
        forms = [value(item)]
        number = self.classes.get(item.encode()) if type(item) is str else None
        return forms if number is None else forms + [u8(5) + i64(number)]

    # Numbered keys

    def read_key(self):
        entity, number = self.line.required('entity', integer), self.line.required('number', integer)
        columns, commitment = self.line.optional('columns'), self.commitment(self.line.required('commitment'))
        self.line.end()
        if (columns is not None) != self.values: raise Damaged('the columns are missing, or not allowed')
        if self.key is not None and self.key >= (entity, number): raise Damaged('the keys are not in the order of the numbers')
        self.key = entity, number
        key, hashed = commitment['key'], commitment['hash']
        known = self.used.pop((entity, number), None)
        if known and known[0] != hashed: self.differ(f'the numbered key {number} of the entity {entity} is another one')
        if self.values and columns is not None and hashed is not None:
            computed = key and mac(key, label(b'key') + i64(entity) + array([value(column) for column in columns]))
            if computed != hashed: self.differ(f'the values of the numbered key {number} of the entity {entity}')
        self.counts['keys'] += 1
        self.next()

    # What events explain

    def check_events(self):
        details = lambda *kinds: [event['detail'] for event in self.events.values() if event['kind'] in kinds]
        integers = lambda name, *kinds: [detail[name] for detail in details(*kinds) if type(detail.get(name)) is int]
        purged, newest = max(integers('through', 'purge'), default=0), max(integers('newest', 'begun'), default=0)
        partial = integers('purged', 'purge')
        if self.first > 1 and purged < self.ends[self.first]: self.differ(f'no event explains that the chain begins with the seal {self.first}', 1)
        for line, seal, index, position, is_absent, detail in self.unexpected:
            is_deleted = any(
                event['kind'] == 'deletion' and index // 8 < len(bits := event['parts'].get(seal, b'')) and bits[index // 8] >> index % 8 & 1
                for event in self.events.values())
            if position in partial or is_absent and (is_deleted or position <= purged): continue
            self.differ(detail, line)
        ranges = [(1, newest)] + [tuple(pair) for detail in details('unproven') for pair in detail.get('ranges', [])]
        for line, start, end in self.gaps:
            while start <= end:
                reached = [last for first, last in ranges if first <= start <= last]
                if not reached: break
                start = max(reached) + 1
            if start <= end and end > purged: self.differ(f'the positions {start} to {end} are missing without an event', line)
        for number, event in self.events.items():
            if event['kind'] != 'erasure': continue
            for seal, content in event['parts'].items():
                found = self.erased.pop((seal, number), (i64(0) + sha(label(b'erased')), event['line']))
                if event['seal'] is not None and self.ends.get(seal, 0) > purged and found[0] != content:
                    self.differ(f'the event {number} did not erase these values of the seal {seal}', found[1])
        for (seal, number), (_, line) in self.erased.items(): self.differ(f'the event {number} erased no values of the seal {seal}', line)


def main(path, *heads):
    with open(path, 'rb') as file:
        verifier = Verifier(file)
        try: verifier.run()
        except Damaged as error:
            print(f'line {verifier.number}: {error}', file=sys.stderr)
            return 2
    for head in verifier.heads: print(head)
    for line, detail in sorted(verifier.differences): print(f'line {line}: {detail}', file=sys.stderr)
    missing = [head for head in heads if head not in verifier.heads]
    for head in missing: print(f'no seal has the head {head}', file=sys.stderr)
    return 1 if verifier.differences or missing else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
