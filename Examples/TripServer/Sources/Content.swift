import Chronicle
import Foundation

/// The JSON of requests and responses.

struct NewTrip: Decodable {
    let name: String
    let destination: String
    let price: Int
}

struct TripChange: Decodable {
    /// That of the trip which the client has changed.
    let version: Int
    let name: String?
    let destination: String?
    let price: Int?
}

struct TripContent: Encodable {
    let id: Int64
    let name: String
    let destination: String
    let price: Int
    let version: Int

    init(_ trip: Trip) {
        id = trip.persistentModelID.integerPrimaryKey ?? 0
        (name, destination, price, version) = (trip.name, trip.destination, trip.price, trip.version)
    }
}

struct TripList: Encodable {
    let token: String
    let trips: [TripContent]
}

/// A transaction, or a part of it.
struct TransactionContent: Encodable {
    /// The position after the transaction.
    let token: String
    /// None if another program has changed the rows.
    let author: String?
    let date: Date
    let metadata: [String: String]
    let changes: [ChangeContent]

    init(_ transaction: DefaultHistoryTransaction, _ changes: [HistoryChange], in store: TripStore) {
        token = TokenText.text(transaction.token, in: store)
        (author, date, metadata) = (transaction.author, transaction.timestamp, transaction.metadata)
        self.changes = changes.filter { $0.changedPersistentIdentifier.entityName == "Trip" }
            .map { ChangeContent(ModelHistoryEntry(transaction: transaction, change: $0)) }
    }
}

struct ChangeContent: Encodable {
    let id: Int64
    /// `insert`, `update` or `delete`.
    let kind: String
    /// The values that the change has set, and those before.
    let values: [String: Values]
    /// The properties that the change has set to values that the history does not contain, for example because they were erased.
    /// A client that needs them reads the trips again.
    let missing: [String]?

    struct Values: Encodable {
        let before: Value?
        let after: Value?
    }

    init(_ entry: ModelHistoryEntry<DefaultHistoryTransaction>) {
        id = entry.change.changedPersistentIdentifier.integerPrimaryKey ?? 0
        kind = "\(entry.kind)"
        var values: [String: Values] = [:]
        var missing: [String] = []
        for name in ["name", "destination", "price", "version"] where entry.affects(attributeNamed: name) {
            let before = Value(entry.previousValue(named: name)), after = Value(entry.value(named: name))
            if before != nil || after != nil { values[name] = Values(before: before, after: after) }
            if entry.kind != .delete, entry.value(named: name) == nil { missing.append(name) }
        }
        self.values = values
        self.missing = missing.isEmpty ? nil : missing
    }

    enum Value: Encodable {
        case text(String)
        case number(Int)

        /// `nil` if there is no value, for example before an insert.
        init?(_ value: (any Sendable)??) {
            switch value ?? nil {
            case let text as String: self = .text(text)
            case let number as Int: self = .number(number)
            default: return nil
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            }
        }
    }
}

/// Tokens as texts, in the form of the tool `chronicle`: the position and the check value, such as `6-7bc726c6c060e5cc`.
enum TokenText {
    static func text(_ token: DefaultHistoryToken, in store: TripStore) -> String {
        let position = String(token.position(in: store.identifier) ?? 0)
        guard let check = token.checkValue(in: store.identifier) else { return position }
        let digits = String(UInt64(bitPattern: check), radix: 16)
        return "\(position)-" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns `nil` if the text is not a token. 0 is the position before the first transaction.
    static func token(_ text: String, in store: TripStore) -> DefaultHistoryToken? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.allSatisfy(\.isHexDigit) }), let position = Int64(parts[0]) else { return nil }
        if parts.count == 1 { return DefaultHistoryToken(storeIdentifier: store.identifier, position: position) }
        guard parts.count == 2, parts[1].count == 16, let check = UInt64(parts[1], radix: 16) else { return nil }
        return DefaultHistoryToken(
            storeIdentifier: store.identifier, position: position, checkValue: Int64(bitPattern: check))
    }
}

enum JSON {
    /// JSON without line breaks, as an event requires.
    static func data(_ content: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        return try encoder.encode(content)
    }

    /// Returns the date of a text such as `2026-03-01` or `2026-03-01T14:30:00.250Z`.
    static func date(_ text: String) -> Date? {
        let day = Date.ISO8601FormatStyle().year().month().day()
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true), day]
        // Each throws for the texts of the others.
        return styles.lazy.compactMap { try? $0.parse(text) }.first
    }
}
