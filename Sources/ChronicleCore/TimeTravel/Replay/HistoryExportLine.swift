import Foundation

/// A line of an export. It has exactly one of the properties, whose name is the key of the JSON object.
struct HistoryExportLine: Codable {
    var header: Header?
    /// The beginning of a transaction.
    var begin: Transaction?
    /// A change of the transaction, or a model of the snapshot, which is an insert.
    var insert: Change?
    var update: Change?
    var delete: Change?
    var link: Link?
    /// The end of the snapshot or of a transaction.
    var end: End?
    var complete: Complete?

    static let version = 1

    struct Header: Codable {
        let version: Int
        let store: String
        /// The hash of its models, ``Schema/versionHash``.
        let schemaHash: String
        /// The descriptions of its models, for other programs.
        var entities: [Schema.Entity]?
        /// Whether the models of the store follow.
        let hasSnapshot: Bool

        private enum CodingKeys: CodingKey { case version, store, schemaHash, entities, hasSnapshot }

        init(_ store: any DataStore, hasSnapshot: Bool) {
            version = HistoryExportLine.version
            self.store = store.identifier
            schemaHash = store.schema.versionHash
            entities = store.schema.entities
            self.hasSnapshot = hasSnapshot
        }

        /// A later version may describe entities in another way.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            version = try container.decode(Int.self, forKey: .version)
            store = try container.decode(String.self, forKey: .store)
            schemaHash = try container.decode(String.self, forKey: .schemaHash)
            hasSnapshot = try container.decode(Bool.self, forKey: .hasSnapshot)
        }
    }

    struct Transaction: Codable {
        /// The position before the transaction.
        let after: DefaultHistoryToken
        /// The position after the transaction.
        let token: DefaultHistoryToken
        /// A number of seconds since 2001-01-01 00:00:00 UTC.
        let timestamp: Double
        let author: String?
        let contextName: String?
        let metadata: [String: String]?
        let program: String?
        let process: String?
    }

    struct Change: Codable {
        /// The identifier of the change in the source; `nil` for a model of the snapshot.
        let change: Int64?
        let entity: String
        let key: Int64
        /// The previous values by the names of the properties.
        var old: [String: StoredValue]?
        /// The values by the names of the properties.
        var values: [String: StoredValue]?
        /// The keys of removed destinations by the names of relationships that are stored as links.
        var removed: [String: [Int64]]?
        /// The keys of added destinations.
        var added: [String: [Int64]]?
    }

    struct Link: Codable {
        let name: String
        let owner: Int64
        let destination: Int64
    }

    struct End: Codable {
        /// The position after the transaction, or that of the snapshot.
        let token: DefaultHistoryToken
        /// The number of changes, or of models and links.
        let count: Int
        /// The checksum of all lines before this one.
        let checksum: String
    }

    struct Complete: Codable {
        let transactions: Int
    }
}

/// A checksum of the lines of an export, which detects damage. It is not a signature. FNV-1a with 64 bits:
/// https://www.rfc-editor.org/rfc/rfc9923
struct HistoryExportChecksum {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ line: Data) {
        var hash = hash
        line.withUnsafeBytes { bytes in
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        }
        self.hash = hash
    }

    var text: String { String(hash, radix: 16) }
}
