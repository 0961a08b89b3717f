import Chronicle
import ChronicleTestSupport

@testable import ChronicleStore

/// Computes the hashes of a chain from what a reader of the sealed history returns.
struct ReaderCheck {
    private let hashing = ReferenceHashing()
    private let classes: SealedClasses
    private let bounds: RecordedHistoryBounds?
    private var failures: [String] = []

    static func failures(_ store: DefaultStore) throws -> [String] {
        let failures = try store.readSealedHistory(includesValues: true) { reader in
            var check = try ReaderCheck(reader)
            return try check.run(reader)
        }
        return failures ?? ["the history is not sealed"]
    }

    private init(_ reader: any SealedHistoryReading) throws {
        classes = SealedClasses(try reader.catalog())
        bounds = try reader.bounds()
    }

    private mutating func run(_ reader: any SealedHistoryReading) throws -> [String] {
        var reader = reader
        var previous: RecordedSeal?
        while let seal = try reader.nextSeal() {
            if let previous, seal.number != previous.number + 1 || seal.previous != previous.hash {
                failures.append("reader: seal \(seal.number) does not follow the previous one")
            }
            try check(seal, reader.store)
            let isBoundary = previous == nil && seal.number > 1
            let hashes = Dictionary(uniqueKeysWithValues: seal.entries.map { ($0.position, $0.hash) })
            while let transaction = try reader.nextTransaction(through: seal.last) {
                try check(transaction, hashes, isBoundary, &reader)
            }
            previous = seal
        }
        while let key = try reader.nextKey() {
            let found = try key.columns?.withSealedValues { columns in
                try key.commitment.key.map { try hashing.commitment(toKeyOf: key.entity, columns: columns, key: $0) }
            }
            if found != key.commitment.commitment { failures.append("reader: the key \(key.number)") }
        }
        return failures
    }

    private mutating func check(_ seal: RecordedSeal, _ store: [UInt8]) throws {
        var content = SealContent(
            store: store, number: seal.number, previous: seal.previous, last: seal.last, lastCheck: seal.lastCheck,
            time: seal.time, catalog: seal.catalogHash)
        for entry in seal.entries { content.append(position: entry.position, hash: entry.hash) }
        content.events = try seal.events.map { ($0.number, try $0.hash(hashing)) }
        if try content.hash(hashing) != seal.hash { failures.append("reader: the hash of seal \(seal.number)") }
    }

    private mutating func check(
        _ transaction: RecordedTransaction, _ hashes: [Int64: HistoryDigest], _ isBoundary: Bool,
        _ reader: inout any SealedHistoryReading
    ) throws {
        let position = transaction.position
        if let stray = transaction.strayPosition { failures.append("reader: the stray row \(stray)") }
        guard let hash = hashes[position] else {
            failures.append("reader: no seal contains the transaction at \(position)")
            return
        }
        guard let kind = transaction.kind else {
            // The newest transaction becomes a void header when it is deleted.
            return
        }
        if isBoundary { failures.append("reader: the transaction at \(position) is before the boundary") }
        guard let commitment = transaction.commitment?.commitment, let key = transaction.commitment?.key,
            try transaction.description?.commitment(key: key, hashing) == commitment
        else {
            failures.append("reader: the description at \(position)")
            return
        }
        var found = SealedTransaction(
            position: position, checkValue: transaction.checkValue, kind: kind, description: commitment,
            first: transaction.first, hashing)
        var change = RecordedChange()
        while try reader.nextChange(into: &change) {
            found.append(
                change.change, at: change.position, entity: change.entity, key: change.key,
                attributes: change.attributes)
            for slot in change.slots { try check(slot, change.entity, &found) }
        }
        // A purge has deleted a part of the others.
        let result = try found.finish()
        if position > bounds?.purged ?? 0, result != hash {
            failures.append("reader: the transaction at \(position)")
        }
    }

    private mutating func check(_ slot: RecordedSlot, _ entity: Int64, _ transaction: inout SealedTransaction) throws {
        guard let known = slot.commitment, let attribute = known.attribute, let commitment = known.commitment else {
            return transaction.appendSlotWithoutValue()
        }
        transaction.append(attribute: attribute, commitment: commitment)
        guard let key = known.key else {
            if known.event == nil || slot.attribute != nil {
                failures.append("reader: the erased value at \(slot.row)")
            }
            return
        }
        let names = classes.isClass(attribute, of: entity) ? classes.numbers : nil
        let found = try slot.value.map { value in
            try value.before.withSealed(classes: names) { before in
                try value.after.withSealed(classes: names) { after in
                    try hashing.commitment(toAttribute: attribute, before: before, after: after, key: key)
                }
            }
        }
        if found != commitment || slot.attribute != attribute { failures.append("reader: the value at \(slot.row)") }
    }
}
