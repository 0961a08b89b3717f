/// The hash of a transaction (T), which is computed while its rows are read.
package struct SealedTransaction {
    package enum Kind: UInt8, Sendable {
        case ordinary = 0
        /// Changes of other programs.
        case external = 1
    }

    package enum Change: UInt8, Sendable {
        case insert = 1
        case update = 2
        case delete = 3
    }

    package enum Key: Sendable {
        case integer(Int64)
        /// A number that the history assigned to another key, and the commitment (K) to that key.
        case numbered(Int64, HistoryDigest)
    }

    private static let voidKind: UInt8 = 2

    private var writer: SealWriter
    private let first: Int64
    private var changeCount: Int64 = 0
    private var slotCount: Int64 = 0

    /// - Parameters:
    ///   - position: The position of the header.
    ///   - description: The commitment (A) to author, time and the like.
    ///   - first: The position of the first change.
    package init(
        position: Int64, checkValue: Int64, kind: Kind, description: HistoryDigest, first: Int64,
        _ hashing: any HistoryHashing
    ) {
        self.init(position, checkValue, kind.rawValue, description, first, hashing)
    }

    private init(
        _ position: Int64, _ checkValue: Int64, _ kind: UInt8, _ description: HistoryDigest, _ first: Int64,
        _ hashing: any HistoryHashing
    ) {
        self.first = first
        writer = SealWriter(.transaction, hashing.hash())
        writer.append(position)
        writer.append(checkValue)
        writer.append(byte: kind)
        writer.append(description)
        writer.append(first)
    }

    /// Returns the hash of a void header, which has no description and no changes.
    package static func void(
        position: Int64, checkValue: Int64, _ hashing: any HistoryHashing
    ) throws -> HistoryDigest {
        var transaction = SealedTransaction(position, checkValue, voidKind, .zero, position, hashing)
        return try transaction.finish()
    }

    /// Begins a change, after the slots of the previous one.
    ///
    /// - Parameters:
    ///   - position: The position of the change. A file may contain any number.
    ///   - attributes: The numbers of the attributes of an update, ascending; empty for an insert or a delete.
    package mutating func append(
        _ change: Change, at position: Int64, entity: Int64, key: Key, attributes: some Sequence<Int64>
    ) {
        endChange()
        changeCount += 1
        writer.beginElement()
        writer.append(position &- first)
        writer.append(byte: change.rawValue)
        writer.append(entity)
        switch key {
        case .integer(let key):
            writer.append(byte: 1)
            writer.append(key)
        case .numbered(let number, let commitment):
            writer.append(byte: 2)
            writer.append(number)
            writer.append(commitment)
        }
        writer.append(list: attributes) { $0.append($1) }
    }

    /// Appends the commitment (C) to a preserved value of the change.
    package mutating func append(attribute: Int64, commitment: HistoryDigest) {
        beginSlot()
        writer.append(byte: 1)
        writer.append(attribute)
        writer.append(commitment)
    }

    /// Appends a row of the change that had no value when it was sealed.
    package mutating func appendSlotWithoutValue() {
        beginSlot()
        writer.append(byte: 0)
    }

    /// Returns the hash of all changes.
    package mutating func finish() throws -> HistoryDigest {
        endChange()
        writer.endList(of: changeCount)
        return try writer.finish()
    }

    private mutating func beginSlot() {
        slotCount += 1
        writer.beginElement()
    }

    private mutating func endChange() {
        guard changeCount > 0 else { return }
        writer.endList(of: slotCount)
        slotCount = 0
    }
}

/// What a transaction's header tells about it. The texts are the bytes of the database, which are compared as such.
package struct SealedDescription: Sendable {
    /// Seconds since 2001-01-01 00:00:00 UTC, by the clock of the program.
    package var time: Double
    /// The same by the clock of the database server.
    package var serverTime: Double?
    package var author: [UInt8]?
    package var context: [UInt8]?
    package var program: [UInt8]?
    package var process: [UInt8]?
    /// Not a dictionary of strings, which would merge two names that are canonically equivalent.
    package var metadata: [(name: [UInt8], value: [UInt8])] = []

    package init(time: Double) {
        self.time = time
    }

    /// Returns the commitment to the description (A).
    package func commitment(key: HistoryDigest, _ hashing: any HistoryHashing) throws -> HistoryDigest {
        var writer = SealWriter(.description, hashing.authenticationCode(key: key))
        writer.append(time)
        writer.append(optional: serverTime) { $0.append($1) }
        for text in [author, context, program, process] { writer.append(optional: text) }
        let sorted = metadata.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        writer.append(list: sorted) { writer, entry in
            writer.append(entry.name)
            writer.append(entry.value)
        }
        return try writer.finish()
    }
}

extension HistoryHashing {
    /// Returns the commitment to a preserved value (C). A missing side is ``SealedValue/null``.
    package func commitment(
        toAttribute attribute: Int64, before: SealedValue, after: SealedValue, key: HistoryDigest
    ) throws -> HistoryDigest {
        var writer = SealWriter(.value, authenticationCode(key: key))
        writer.append(attribute)
        writer.append(before)
        writer.append(after)
        return try writer.finish()
    }

    /// Returns the commitment to a key that the history numbers (K): the values of its columns, in their order.
    package func commitment(
        toKeyOf entity: Int64, columns: some Sequence<SealedValue>, key: HistoryDigest
    ) throws -> HistoryDigest {
        var writer = SealWriter(.key, authenticationCode(key: key))
        writer.append(entity)
        writer.append(list: columns) { $0.append($1) }
        return try writer.finish()
    }
}
