/// What a seal is a hash over (S).
package struct SealContent: Sendable {
    /// The identifier of the store.
    package var store: [UInt8]
    /// The number of the seal, from 1 on.
    package var number: Int64
    /// The hash of the previous seal; zeros for the first one.
    package var previous: HistoryDigest
    /// The position of the last transaction and its check value; those of the previous seal if there is none.
    package var last: Int64
    package var lastCheck: Int64
    /// Seconds since 2001-01-01 00:00:00 UTC.
    package var time: Double
    /// The positions and hashes of the transactions, see ``append(position:hash:)``.
    package private(set) var transactions: [UInt8] = []
    /// The hash of the catalog (G).
    package var catalog: HistoryDigest
    /// The numbers and hashes (E) of the events.
    package var events: [(number: Int64, hash: HistoryDigest)] = []

    package init(
        store: [UInt8], number: Int64, previous: HistoryDigest, last: Int64, lastCheck: Int64, time: Double,
        catalog: HistoryDigest
    ) {
        (self.store, self.number, self.previous) = (store, number, previous)
        (self.last, self.lastCheck, self.time, self.catalog) = (last, lastCheck, time, catalog)
    }

    /// The content of a seal and of its list, without events.
    init(_ seal: RecordedSeal, store: [UInt8]) {
        self.init(
            store: store, number: seal.number, previous: seal.previous, last: seal.last, lastCheck: seal.lastCheck,
            time: seal.time, catalog: seal.catalogHash)
        for entry in seal.entries { append(position: entry.position, hash: entry.hash) }
    }

    /// Appends a transaction, in the order of the positions.
    package mutating func append(position: Int64, hash: HistoryDigest) {
        withUnsafeBytes(of: position.bigEndian) { transactions.append(contentsOf: $0) }
        hash.withUnsafeBytes { transactions.append(contentsOf: $0) }
    }

    /// Returns the entries of ``transactions``; `nil` if the last one is incomplete.
    package static func entries(_ bytes: UnsafeRawBufferPointer) -> [RecordedSeal.Entry]? {
        let size = MemoryLayout<Int64>.size + HistoryDigest.count
        guard bytes.count % size == 0 else { return nil }
        return stride(from: 0, to: bytes.count, by: size).compactMap { offset in
            let position = Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
            // There is always a hash, because the length is right.
            return HistoryDigest(UnsafeRawBufferPointer(rebasing: bytes[offset + 8..<offset + size])).map {
                (position, $0)
            }
        }
    }

    /// Returns the hash of the seal.
    package func hash(_ hashing: any HistoryHashing) throws -> HistoryDigest {
        var writer = SealWriter(.seal, hashing.hash())
        writer.append(store)
        writer.append(number)
        writer.append(previous)
        writer.append(last)
        writer.append(lastCheck)
        writer.append(time)
        writer.append(transactions)
        writer.append(catalog)
        writer.append(list: events.sorted { $0.number < $1.number }) { writer, event in
            writer.append(event.number)
            writer.append(event.hash)
        }
        return try writer.finish()
    }
}

/// A primary key that the history of a tracked database numbers.
package struct SealedKey: Hashable, Sendable {
    package var entity: Int64
    package var number: Int64

    package init(entity: Int64, number: Int64) { (self.entity, self.number) = (entity, number) }
}

/// A commitment to a ``SealedKey`` with its secret.
package struct SealedKeyCommitment: Sendable {
    package var key: HistoryDigest
    package var commitment: HistoryDigest

    package init(key: HistoryDigest, commitment: HistoryDigest) { (self.key, self.commitment) = (key, commitment) }
}

/// The permanent numbers of entities and attributes with their present names.
package struct SealedCatalog: Sendable {
    package struct Entity: Sendable {
        package var number: Int64
        package var name: [UInt8]
        package var superentity: Int64?
        /// The table and the columns of its key in a tracked database.
        package var table: [UInt8]?
        package var keyColumns: [[UInt8]]?

        package init(
            number: Int64, name: [UInt8], superentity: Int64? = nil, table: [UInt8]? = nil, keyColumns: [[UInt8]]? = nil
        ) {
            (self.number, self.name, self.superentity) = (number, name, superentity)
            (self.table, self.keyColumns) = (table, keyColumns)
        }
    }

    package struct Attribute: Sendable {
        package var entity: Int64
        package var number: Int64
        package var name: [UInt8]
        package var type: [UInt8]?
        package var destination: [UInt8]?
        package var isPresent: Bool

        package init(
            entity: Int64, number: Int64, name: [UInt8], type: [UInt8]? = nil, destination: [UInt8]? = nil,
            isPresent: Bool
        ) {
            (self.entity, self.number, self.name) = (entity, number, name)
            (self.type, self.destination, self.isPresent) = (type, destination, isPresent)
        }
    }

    package var entities: [Entity]
    package var attributes: [Attribute]

    package init(entities: [Entity], attributes: [Attribute]) {
        (self.entities, self.attributes) = (entities, attributes)
    }

    /// The entities whose primary keys the history of a tracked database numbers. A program can give a table another primary key
    /// later, so the present names do not apply to earlier seals.
    package var numberedEntities: Set<Int64> {
        Set(entities.filter { $0.keyColumns != nil }.map(\.number))
    }

    /// The input of the catalog's hash, which a seal stores.
    package var bytes: [UInt8] {
        var writer = SealWriter(.catalog)
        writer.append(list: entities.sorted { $0.number < $1.number }) { writer, entity in
            writer.append(entity.number)
            writer.append(entity.name)
            writer.append(optional: entity.superentity) { $0.append($1) }
            writer.append(optional: entity.table)
            writer.append(optional: entity.keyColumns) { writer, columns in
                writer.append(list: columns) { $0.append($1) }
            }
        }
        let sorted = attributes.sorted { ($0.entity, $0.number) < ($1.entity, $1.number) }
        writer.append(list: sorted) { writer, attribute in
            writer.append(attribute.entity)
            writer.append(attribute.number)
            writer.append(attribute.name)
            writer.append(optional: attribute.type)
            writer.append(optional: attribute.destination)
            writer.append(byte: attribute.isPresent ? 1 : 0)
        }
        return writer.bytes
    }

    /// Returns the hash of ``bytes`` (G).
    package static func hash(_ bytes: [UInt8], _ hashing: any HistoryHashing) throws -> HistoryDigest {
        let function = hashing.hash()
        bytes.withUnsafeBytes { function.update($0) }
        return try function.finish()
    }
}

/// A purge, a deletion, an erasure, or another event that the chain contains.
package struct SealedEvent: Sendable {
    /// Each number is that of the previous event plus one.
    package static let validNumbers: ClosedRange<Int64> = 1...(1 << 62) - 1

    package var number: Int64
    package var kind: [UInt8]
    /// Seconds since 2001-01-01 00:00:00 UTC.
    package var time: Double
    package var author: [UInt8]?
    package var program: [UInt8]?
    package var process: [UInt8]?
    /// JSON, as it is stored.
    package var detail: [UInt8]
    /// What the event concerns in earlier seals, by their numbers.
    package var parts: [(seal: Int64, content: [UInt8])] = []

    package init(number: Int64, kind: [UInt8], time: Double, detail: [UInt8]) {
        (self.number, self.kind, self.time, self.detail) = (number, kind, time, detail)
    }

    /// What tells whether anything has happened since.
    package struct State: Equatable {
        package let id: Int64
        /// `nil` if the event is sealed and cannot change.
        let detail: [UInt8]?

        package init(id: Int64, detail: [UInt8]?) { (self.id, self.detail) = (id, detail) }
    }

    /// Returns the hash of the event (E).
    package func hash(_ hashing: any HistoryHashing) throws -> HistoryDigest {
        var writer = SealWriter(.event, hashing.hash())
        writer.append(number)
        writer.append(kind)
        writer.append(time)
        for text in [author, program, process] { writer.append(optional: text) }
        writer.append(detail)
        writer.append(list: parts.sorted { $0.seal < $1.seal }) { writer, part in
            writer.append(part.seal)
            writer.append(part.content)
        }
        return try writer.finish()
    }

    /// Returns the content of a part that erased values.
    ///
    /// - Parameter rows: The primary keys of the rows of the erased values in the order of the keys: one integer each in SQLite,
    ///   three in PostgreSQL.
    package static func content(
        erasing rows: some Sequence<[Int64]>, _ hashing: any HistoryHashing
    ) throws -> [UInt8] {
        var (writer, count) = (SealWriter(.erasedValues, hashing.hash()), Int64(0))
        for row in rows {
            for integer in row { writer.append(integer) }
            count += 1
        }
        let hash = try writer.finish()
        return withUnsafeBytes(of: count.bigEndian) { Array($0) } + hash.withUnsafeBytes { Array($0) }
    }

    /// Returns the content of a part that deleted transactions: a bit for each entry of the list of the seal, the lowest bit
    /// of a byte first.
    ///
    /// - Parameters:
    ///   - entries: The numbers of the deleted entries, from 0 on.
    ///   - count: The number of entries of the list.
    package static func content(deleting entries: some Sequence<Int>, of count: Int) -> [UInt8] {
        var bits = [UInt8](repeating: 0, count: (count + 7) / 8)
        for entry in entries where entry / 8 < bits.count { bits[entry / 8] |= 1 << (entry % 8) }
        return bits
    }
}
