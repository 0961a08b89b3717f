/// A line of a sealed export. It has exactly one of the properties, whose name is the key of the JSON object.
struct SealedExportLine: SealedExportObject {
    var sealed: Exact<Header>?
    var event: Exact<Event>?
    var seal: Exact<Seal>?
    var catalog: Exact<Catalog>?
    var transaction: Exact<Transaction>?
    var change: Exact<Change>?
    var erased: Exact<Erased>?
    var key: Exact<Key>?
    var complete: Exact<Complete>?

    enum CodingKeys: CodingKey { case sealed, event, seal, catalog, transaction, change, erased, key, complete }

    static let version = 1

    var memberCount: Int {
        [
            sealed != nil, event != nil, seal != nil, catalog != nil, transaction != nil, change != nil, erased != nil,
            key != nil, complete != nil,
        ].count { $0 }
    }

    /// The first line.
    struct Header: SealedExportObject {
        var version: Int
        /// The identifier of the store.
        var store: SealedExportText
        /// Whether the values, the keys and the descriptions follow.
        var includesValues: Bool
        /// The number of the first seal that follows.
        var firstSeal: Int64
        /// The present names, which are those of classes in values.
        var catalog: Exact<Catalog>

        enum CodingKeys: CodingKey { case version, store, includesValues, firstSeal, catalog }
    }

    /// An event of the last seal before the line. Those before the first seal are in no seal.
    struct Event: SealedExportObject {
        var number: Int64
        var kind: SealedExportText
        var time: SealedExportReal
        var author: SealedExportText?
        var program: SealedExportText?
        var process: SealedExportText?
        var detail: SealedExportText
        var parts: [Exact<Part>]?

        enum CodingKeys: CodingKey { case number, kind, time, author, program, process, detail, parts }

        struct Part: SealedExportObject {
            var seal: Int64
            var content: SealedExportBytes

            enum CodingKeys: CodingKey { case seal, content }
        }
    }

    struct Seal: SealedExportObject {
        var number: Int64
        var last: Int64
        var lastCheck: Int64
        var time: SealedExportReal
        var previous: SealedExportDigest
        var catalogHash: SealedExportDigest
        var hash: SealedExportDigest
        /// The positions and hashes of its transactions, as they are hashed.
        var transactions: SealedExportBytes
        var publicKey: SealedExportBytes?
        var signature: SealedExportBytes?

        enum CodingKeys: CodingKey {
            case number, last, lastCheck, time, previous, catalogHash, hash, transactions, publicKey, signature
        }
    }

    /// The names of the last seal before the line.
    struct Catalog: SealedExportObject {
        var entities: [Exact<Entity>]?
        var attributes: [Exact<Attribute>]?
        /// The bytes of a damaged store that are not those of a catalog.
        var invalid: SealedExportBytes?

        enum CodingKeys: CodingKey { case entities, attributes, invalid }

        struct Entity: SealedExportObject {
            var number: Int64
            var name: SealedExportText
            var superentity: Int64?
            var table: SealedExportText?
            var keyColumns: [SealedExportText]?

            enum CodingKeys: CodingKey { case number, name, superentity, table, keyColumns }
        }

        struct Attribute: SealedExportObject {
            var entity: Int64
            var number: Int64
            var name: SealedExportText
            var type: SealedExportText?
            var destination: SealedExportText?
            var present: Bool

            enum CodingKeys: CodingKey { case entity, number, name, type, destination, present }
        }
    }

    /// A transaction or a void header of the last seal before the line.
    struct Transaction: SealedExportObject {
        enum Kind: String, Codable {
            case ordinary, external, void
        }

        var position: Int64
        var checkValue: Int64
        var kind: Kind
        var first: Int64
        var description: Exact<Description>?
        var commitment: Exact<Commitment>?
        /// A row before the transaction that belongs to none, in a damaged store.
        var stray: Int64?

        enum CodingKeys: CodingKey { case position, checkValue, kind, first, description, commitment, stray }

        struct Description: SealedExportObject {
            var time: SealedExportReal
            var serverTime: SealedExportReal?
            var author: SealedExportText?
            var context: SealedExportText?
            var program: SealedExportText?
            var process: SealedExportText?
            var metadata: [Exact<Entry>]?

            enum CodingKeys: CodingKey { case time, serverTime, author, context, program, process, metadata }
        }

        /// Not a member of an object: names can be canonically equivalent, or invalid UTF-8.
        struct Entry: SealedExportObject {
            var name: SealedExportText
            var value: SealedExportText

            enum CodingKeys: CodingKey { case name, value }
        }
    }

    /// A commitment to a value, to a description, or to a key.
    struct Commitment: SealedExportObject {
        var attribute: Int64?
        var key: SealedExportDigest?
        var hash: SealedExportDigest?
        /// The event that erased the value.
        var event: Int64?

        enum CodingKeys: CodingKey { case attribute, key, hash, event }
    }

    /// A change of the last transaction before the line.
    struct Change: SealedExportObject {
        enum Kind: String, Codable {
            case insert, update, delete
        }

        var position: Int64
        var kind: Kind
        var entity: Int64
        /// One of both.
        var primaryKey: Int64?
        var numberedKey: Exact<NumberedKey>?
        var attributes: [Int64]?
        var slots: [Exact<Slot>]?

        enum CodingKeys: CodingKey { case position, kind, entity, primaryKey, numberedKey, attributes, slots }

        struct NumberedKey: SealedExportObject {
            var number: Int64
            var hash: SealedExportDigest

            enum CodingKeys: CodingKey { case number, hash }
        }

        struct Slot: SealedExportObject {
            /// One integer, or three in PostgreSQL.
            var row: [Int64]
            var attribute: Int64?
            var value: Exact<Value>?
            var commitment: Exact<Commitment>?

            enum CodingKeys: CodingKey { case row, attribute, value, commitment }
        }

        /// A missing side is NULL.
        struct Value: SealedExportObject {
            var before: SealedExportValue?
            var after: SealedExportValue?

            enum CodingKeys: CodingKey { case before, after }
        }
    }

    /// The row of an erased value whose change was deleted from the last seal before the line, after its transactions.
    struct Erased: SealedExportObject {
        var row: [Int64]
        var event: Int64

        enum CodingKeys: CodingKey { case row, event }
    }

    /// A key that the history numbers, after all seals.
    struct Key: SealedExportObject {
        var entity: Int64
        var number: Int64
        var columns: [SealedExportValue]?
        var commitment: Exact<Commitment>

        enum CodingKeys: CodingKey { case entity, number, columns, commitment }
    }

    /// The last line. Without it, the export was cut off.
    struct Complete: SealedExportObject, Equatable {
        var seals = 0
        var events = 0
        var transactions = 0
        var changes = 0
        var erased = 0
        var keys = 0
        /// The head of the last seal.
        var head: HistorySeal?

        enum CodingKeys: CodingKey { case seals, events, transactions, changes, erased, keys, head }
    }
}
