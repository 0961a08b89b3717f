import Chronicle
import ChronicleHTTP
import Foundation

// The JSON of requests and responses.

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
        token = transaction.token.text(in: store.identifier)
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

extension HTTPConnection {
    func send(
        _ status: HTTPStatus, json content: some Encodable, fields: KeyValuePairs<String, String> = [:]
    ) throws {
        let data = try JSON.data(content)
        try send(status, type: "application/json", length: data.count, fields: fields)
        try send(data)
    }
}
