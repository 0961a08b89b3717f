#!/usr/bin/env python3
"""Prints the values of the test vectors in SealVectorTests: `python3 Tests/Fixtures/seal-vectors.py`.

Written from the article "The seal format" and with the standard library alone, so that it is independent of the package.
"""

import base64, hashlib, hmac, struct


def label(name): return b'chr1:' + name + bytes(16 - 5 - len(name))
def u8(number): return struct.pack('>B', number)
def i64(number): return struct.pack('>q', number)
def f64(number): return bytes.fromhex('7ff8000000000000') if number != number else struct.pack('>d', number)
def raw(data): return i64(len(data)) + data
def optional(value, write=raw): return b'\x00' if value is None else b'\x01' + write(value)
def array(elements): return b''.join(b'\x01' + element for element in elements) + b'\x00' + i64(len(elements))


def value(item):
    if item is None: return u8(0)
    kind, content = item
    write = {'integer': i64, 'real': f64, 'text': raw, 'binary': raw, 'entity': i64}
    return u8(list(write).index(kind) + 1) + write[kind](content)


def sha(data): return hashlib.sha256(data).digest()
def mac(key, data): return hmac.new(bytes([key]) * 32, data, hashlib.sha256).digest()


def commitment(key, attribute, before, after): return mac(key, label(b'value') + i64(attribute) + value(before) + value(after))
def key_commitment(key, entity, columns): return mac(key, label(b'key') + i64(entity) + array([value(column) for column in columns]))


def description(key, time, server=None, author=None, context=None, program=None, process=None, metadata={}):
    entries = [raw(name) + raw(metadata[name]) for name in sorted(metadata)]
    texts = b''.join(optional(text) for text in (author, context, program, process))
    return mac(key, label(b'descr') + f64(time) + optional(server, f64) + texts + array(entries))


def change(offset, kind, entity, key, attributes, slots):
    key = b'\x01' + i64(key) if isinstance(key, int) else b'\x02' + i64(key[0]) + key[1]
    slots = [b'\x00' if slot is None else b'\x01' + i64(slot[0]) + slot[1] for slot in slots]
    return i64(offset) + u8(kind) + i64(entity) + key + array([i64(number) for number in attributes]) + array(slots)


def transaction(position, check, kind, description, first, changes):
    return sha(label(b'trans') + i64(position) + i64(check) + u8(kind) + description + i64(first) + array(changes))


def catalog(entities, attributes):
    return sha(label(b'catalog') + array([
        i64(number) + raw(name) + optional(parent, i64) + optional(table)
        + optional(columns, lambda columns: array([raw(column) for column in columns]))
        for number, name, parent, table, columns in entities
    ]) + array([
        i64(entity) + i64(number) + raw(name) + optional(type) + optional(destination) + u8(present)
        for entity, number, name, type, destination, present in attributes
    ]))


def event(number, kind, time, author, program, process, detail, parts):
    return sha(label(b'event') + i64(number) + raw(kind) + f64(time) + optional(author) + optional(program) + optional(process)
               + raw(detail) + array([i64(seal) + raw(content) for seal, content in parts]))


def erased(rows): return i64(len(rows)) + sha(label(b'erased') + b''.join(i64(key) for row in rows for key in row))


def seal(store, number, previous, last, check, time, transactions, catalog, events):
    entries = b''.join(i64(position) + entry for position, entry in transactions)
    return sha(label(b'seal') + raw(store) + i64(number) + previous + i64(last) + i64(check) + f64(time) + raw(entries)
               + catalog + array([i64(number) + entry for number, entry in events]))


def show(name, digest): print(f'{name:2} {digest.hex()}')


store = b'9E02C1D4-0000-4000-8000-000000000001'
print('The vector of the article:')
C = commitment(1, 0, None, ('text', b'Oslo'))
A = description(2, 785548800.25, author=b'ann', program=b'app', process=b'71', metadata={b'reason': b'import'})
T = transaction(2, -811, 0, A, 1, [change(0, 1, 3, 7, [], [(0, C)])])
G = catalog([(3, b'Trip', None, None, None)], [(3, 0, b'name', b'String', None, 1)])
E = event(1, b'begun', 785548800.5, b'ann', b'app', b'71', b'{}', [])
S = seal(store, 1, bytes(32), 2, -811, 785548801, [(2, T)], G, [(1, E)])
for name, digest in zip('CATGES', (C, A, T, G, E, S)): show(name, digest)
print('the head 2:' + base64.urlsafe_b64encode(S).decode().rstrip('='))

print('Every form:')
composed, decomposed = 'é'.encode(), 'e\u0301'.encode()
C1 = commitment(1, 61, ('real', -0.0), ('text', b'a\0b'))
C2 = commitment(3, 30999, None, ('binary', b''))
C3 = commitment(4, 4, ('entity', 7), ('real', float('nan')))
C4 = commitment(5, 5, ('text', b'\xff'), ('integer', -2**63))
K = key_commitment(6, 9, [('text', b'x'), ('integer', 1), None])
A = description(7, -1.5, 2.5, composed, b'', None, b'71', {composed: b'2', decomposed: b'1', b'a': b''})
T = transaction(100, -2**63, 1, A, 90, [
    change(0, 2, 3, -7, [0, 62, 30999], [(61, C1), None, (30999, C2)]),
    change(5, 3, 9, (12, K), [], [(4, C3)]),
    change(9, 1, 3, 2**62, [], []),
])
V = transaction(101, 5, 2, bytes(32), 101, [])
G = catalog([(3, b'Base', None, None, None), (9, decomposed, 3, b't', [b'a', b'b'])],
            [(3, 0, b'name', b'String', None, 1), (3, 1, b'other', None, None, 1), (9, 0, b'x', None, b'Base', 0)])
P1 = erased([[1], [5]])
P3 = erased([[1, 2, 3], [1, 2, 4]])
E7 = event(7, b'erasure', 0.5, None, None, None, b'{"a":1}', [(1, bytes([1, 2])), (2, P1)])
E8 = event(8, b'emptied', 0.75, composed, b'app', b'71', b'{}', [(1, P3)])
S2 = seal(store, 2, S, 101, 5, 2, [(100, T), (101, V)], G, [(7, E7), (8, E8)])
values = {'C1': C1, 'C2': C2, 'C3': C3, 'C4': C4, 'K': K, 'A': A, 'T': T, 'V': V, 'G': G, 'P1': P1, 'P3': P3, 'E7': E7, 'E8': E8, 'S': S2}
for name, digest in values.items(): show(name, digest)
