import ChronicleCore
import Foundation

/// A checksum of values, FNV-1a with 64 bits: https://www.rfc-editor.org/rfc/rfc9923
struct ValueChecksum {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    var text: String { Self.text(value) }

    static func text(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }

    mutating func add(_ integer: Int64) {
        withUnsafeBytes(of: integer.littleEndian) { add($0) }
    }

    /// The length separates a text from the next value.
    mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        add(text.utf8)
    }

    mutating func add(_ text: String?) {
        add(text == nil ? 0 : 1 as UInt8)
        if let text { add(text) }
    }

    mutating func add(_ value: PropertyValue) {
        switch value {
        case .null: add(0 as UInt8)
        case .integer(let integer):
            add(1 as UInt8)
            add(integer)
        case .real(let real):
            add(2 as UInt8)
            // A column of SQLite does not keep the sign of zero.
            add(Int64(bitPattern: (real == 0 ? 0 : real).bitPattern))
        case .text(let text):
            add(3 as UInt8)
            add(text)
        case .blob(let data):
            add(4 as UInt8)
            add(Int64(data.count))
            data.withUnsafeBytes { add($0) }
        case .reference(let identifier):
            add(5 as UInt8)
            add(identifier.integerPrimaryKey ?? 0)
        case .references: add(6 as UInt8)
        }
    }
}

/// The number and the checksum of the rows of each entity and relationship. The order of the rows does not matter, so that a
/// row can be removed again.
struct RowChecksums: Equatable {
    struct Table: Equatable {
        var count = 0
        var sum: UInt64 = 0
    }

    private var tables: [String: Table] = [:]

    var nonempty: [String: Table] { tables.filter { $0.value.count > 0 } }

    mutating func add(_ identifier: PersistentIdentifier, _ values: some Sequence<PropertyValue>) {
        change(identifier.entityName, 1, Self.checksum(identifier, values))
    }

    mutating func remove(_ identifier: PersistentIdentifier, _ values: some Sequence<PropertyValue>) {
        change(identifier.entityName, -1, Self.checksum(identifier, values))
    }

    mutating func addLink(_ name: String, _ owner: Int64, _ destination: Int64) {
        change(name, 1, Self.checksum(owner, destination))
    }

    mutating func removeLink(_ name: String, _ owner: Int64, _ destination: Int64) {
        change(name, -1, Self.checksum(owner, destination))
    }

    private mutating func change(_ name: String, _ count: Int, _ checksum: UInt64) {
        tables[name, default: Table()].count += count
        if count > 0 {
            tables[name, default: Table()].sum &+= checksum
        } else {
            tables[name, default: Table()].sum &-= checksum
        }
    }

    private static func checksum(
        _ identifier: PersistentIdentifier, _ values: some Sequence<PropertyValue>
    ) -> UInt64 {
        var checksum = ValueChecksum()
        checksum.add(identifier.integerPrimaryKey ?? 0)
        for value in values { checksum.add(value) }
        return checksum.value
    }

    private static func checksum(_ owner: Int64, _ destination: Int64) -> UInt64 {
        var checksum = ValueChecksum()
        checksum.add(owner)
        checksum.add(destination)
        return checksum.value
    }
}

/// The numbers of transactions and changes, and a checksum of them in their order. Identifiers of transactions and changes
/// differ between two stores and are not part of it.
struct HistoryChecksum: Equatable {
    private(set) var transactionCount = 0
    private(set) var changeCount = 0
    private var checksum = ValueChecksum()

    static func == (a: HistoryChecksum, b: HistoryChecksum) -> Bool {
        a.transactionCount == b.transactionCount && a.changeCount == b.changeCount && a.text == b.text
    }

    var text: String { checksum.text }

    /// An update whose attributes the history does not name.
    static let unknownProperty = "unknown property"

    private static let added = Set(HistoryReplayStep.MetadataKey.allCases.map(\.rawValue))

    mutating func add(_ transaction: DefaultHistoryTransaction) {
        transactionCount += 1
        checksum.add(transaction.author)
        checksum.add(transaction.contextName)
        checksum.add(transaction.bundleIdentifier)
        checksum.add(transaction.processIdentifier)
        checksum.add(PropertyValue.real(transaction.timestamp.timeIntervalSinceReferenceDate))
        for (name, value) in transaction.metadata.sorted(by: { $0.key < $1.key }) where !Self.added.contains(name) {
            checksum.add(name)
            checksum.add(value)
        }
    }

    mutating func add(_ change: HistoryChange) {
        changeCount += 1
        let model = change.changedPersistentIdentifier
        checksum.add(model.entityName)
        checksum.add(model.integerPrimaryKey ?? 0)
        switch change {
        case .insert: checksum.add(1 as UInt8)
        case .update(let update):
            checksum.add(2 as UInt8)
            let names = update.updatedAttributeNames
            for name in names.isEmpty ? [Self.unknownProperty] : Set(names).sorted() { checksum.add(name) }
        case .delete: checksum.add(3 as UInt8)
        }
        // Several values can have the same name: the destinations of a relationship.
        var sum: UInt64 = 0
        for preserved in change.preservedValues {
            let (old, new) = (preserved.previousValue as? PropertyValue, preserved.value as? PropertyValue)
            if old?.isNull ?? true, new?.isNull ?? true { continue }
            var value = ValueChecksum()
            value.add(preserved.name)
            value.add(old ?? .null)
            value.add(new ?? .null)
            sum &+= value.value
        }
        checksum.add(Int64(bitPattern: sum))
    }
}
