import ChronicleCore
import ChronicleSQLite
import Foundation

/// The transactions of the next seal, whose commitments and hashes are computed while their rows are read.
struct SealBatch {
    struct Entry {
        let position: Int64
        let checkValue: Int64
        let hash: HistoryDigest
    }

    struct Header {
        let position: Int64
        let checkValue: Int64
        /// `nil` for a void header.
        let transaction: HistoryHeader?
        /// The text of the process as it is stored. That of ``transaction`` has no invalid sequences.
        var process: [UInt8]?

        var rowCount: Int { transaction?.rowCount ?? 1 }
    }

    private struct Commitment {
        let position: Int64
        /// `nil` for a description.
        let attribute: Int64?
        let key: HistoryDigest
        let commitment: HistoryDigest
    }

    let catalog: [UInt8]
    private(set) var entries: [Entry] = []
    private(set) var rowCount = 0
    private let connection: Connection
    private let hashing: any HistoryHashing
    private let classes: SealedClasses
    private var position: Int64
    private var commitments: [Commitment] = []
    private var transaction: SealedTransaction?
    /// The rows of the transaction that were read.
    private var changeRows = 0

    init(after position: Int64, _ hashing: any HistoryHashing, _ connection: Connection) throws {
        let names = try SealedCatalog(connection)
        (catalog, classes) = (names.bytes, SealedClasses(names))
        (self.position, self.hashing, self.connection) = (position, hashing, connection)
    }

    var isFull: Bool { commitments.count >= HistorySealer.limits.page }

    /// The next transaction or void header up to a position.
    func nextHeader(through newest: Int64) throws -> Header? {
        let statement = try connection.cached(
            """
            SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id > ? AND id <= ? \
            AND \(ChangeTable.endsTransaction()) ORDER BY id LIMIT 1
            """)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        try statement.bind(newest, at: 2)
        guard try statement.step() else { return nil }
        let position = try statement.position(ChangeTable.Column.id)
        let checkValue = try statement.integer(ChangeTable.Column.checkValue, of: .change(position))
        guard try statement.kind(ChangeTable.Column.kind, at: position).isHeader else {
            try requireNoChanges(before: position)
            return Header(position: position, checkValue: checkValue, transaction: nil)
        }
        let header = try HistoryHeader(statement)
        guard header.first > self.position else {
            throw SwiftDataError.damagedRow(.change(position), "the transaction begins before the previous one ends")
        }
        try requireNoChanges(before: header.first)
        let column = ChangeTable.Column.process
        return Header(
            position: position, checkValue: checkValue, transaction: header,
            process: statement.isNull(column) ? nil : statement.withText(column) { Array($0) })
    }

    /// What precedes a transaction was deleted, or is a part of the previous one.
    private func requireNoChanges(before first: Int64) throws {
        guard first > position + 1 else { return }
        let change = try connection.scalarInt64("SELECT id FROM \(ChangeTable.name) WHERE id > ? AND id < ? LIMIT 1") {
            try $0.bind(position, at: 1)
            try $0.bind(first, at: 2)
        }
        guard let change else { return }
        throw SwiftDataError.damagedRow(.change(change), "the change belongs to no transaction")
    }

    // MARK: Transactions

    /// Begins a transaction with its description.
    mutating func begin(_ header: Header) throws {
        guard let transaction = header.transaction else {
            return append(
                header, try SealedTransaction.void(position: header.position, checkValue: header.checkValue, hashing))
        }
        let key = HistoryDigest.randomKey()
        let description = try description(transaction, header.process).commitment(key: key, hashing)
        commitments.append(
            Commitment(position: header.position, attribute: nil, key: key, commitment: description))
        let isExternal = transaction.source == SourceTable.external
        self.transaction = SealedTransaction(
            position: header.position, checkValue: header.checkValue, kind: isExternal ? .external : .ordinary,
            description: description, first: transaction.first, hashing)
        position = transaction.first - 1
        changeRows = 0
    }

    /// Reads some rows of a transaction. Returns whether there are more.
    mutating func hashPage(of header: Header) throws -> Bool {
        guard transaction != nil else { return false }
        let statement = try connection.cached(
            """
            SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id > ? AND id < ? ORDER BY id LIMIT ?
            """)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        try statement.bind(header.position, at: 2)
        try statement.bind(HistorySealer.limits.page, at: 3)
        var count = 0
        while try statement.step() {
            try hash(statement)
            count += 1
        }
        changeRows += count
        guard count < HistorySealer.limits.page else { return true }
        // Readers do not see a transaction that a purge has deleted in part. What remains is sealed.
        guard try changeRows == header.rowCount || HistoryPositions(connection).purged() ?? 0 >= header.position else {
            throw SwiftDataError.damagedRow(.change(header.position), "changes of the transaction are missing")
        }
        if let hash = try transaction?.finish() { append(header, hash) }
        return false
    }

    private mutating func append(_ header: Header, _ hash: HistoryDigest) {
        entries.append(Entry(position: header.position, checkValue: header.checkValue, hash: hash))
        rowCount += header.rowCount
        position = header.position
        transaction = nil
    }

    private mutating func hash(_ statement: Statement) throws {
        let position = try statement.position(ChangeTable.Column.id)
        let row = FileRow.change(position)
        let kind = try statement.kind(ChangeTable.Column.kind, at: position)
        guard kind.isChange, let operation = kind.operation else {
            throw SwiftDataError.damagedRow(row, "the row is no change")
        }
        self.position = position
        guard operation != .preservedValue else { return try hashSlot(statement, position, kind.entity) }
        let key = SealedTransaction.Key.integer(try statement.integer(ChangeTable.Column.primaryKey, of: row))
        var attributes: [Int64] = []
        if operation == .update {
            let column = ChangeTable.Column.attributes
            let masks =
                statement.isInteger(column)
                ? AttributeMasks(statement.int64(column)) : try statement.masks(column, at: position)
            guard masks.isValid else { throw SwiftDataError.damagedRow(row, "the attribute masks are invalid") }
            masks.forEach { attributes.append(Int64($0)) }
        }
        let change: SealedTransaction.Change =
            switch operation {
            case .insert: .insert
            case .update, .preservedValue: .update
            case .delete: .delete
            }
        transaction?.append(change, at: position, entity: kind.entity, key: key, attributes: attributes)
        if operation != .update { try hashSlot(statement, position, kind.entity) }
    }

    private mutating func hashSlot(_ statement: Statement, _ position: Int64, _ entity: Int64) throws {
        guard !statement.isNull(ChangeTable.Column.attributes) else {
            transaction?.appendSlotWithoutValue()
            return
        }
        let attribute = try statement.integer(ChangeTable.Column.attributes, of: .change(position))
        let key = HistoryDigest.randomKey()
        let isClass = classes.isClass(attribute, of: entity)
        let commitment = try statement.withSealedValue(ChangeTable.Column.oldValue, isClass ? classes : nil) { before in
            try statement.withSealedValue(ChangeTable.Column.newValue, isClass ? classes : nil) { after in
                try hashing.commitment(toAttribute: attribute, before: before, after: after, key: key)
            }
        }
        transaction?.append(attribute: attribute, commitment: commitment)
        commitments.append(Commitment(position: position, attribute: attribute, key: key, commitment: commitment))
    }

    // MARK: Descriptions

    private func description(_ header: HistoryHeader, _ process: [UInt8]?) throws -> SealedDescription {
        var description = SealedDescription(time: header.timestamp.timeIntervalSinceReferenceDate)
        description.process = process
        let source = try connection.cached("SELECT author, context, program FROM \(SourceTable.name) WHERE id = ?")
        defer { source.reset() }
        try source.bind(header.source, at: 1)
        guard try source.step() else {
            throw SwiftDataError.damagedRow(.source(header.source), "the row is missing")
        }
        let row = FileRow.source(header.source)
        description.author = try source.bytes(0, of: row)
        description.context = try source.bytes(1, of: row)
        description.program = try source.bytes(2, of: row)
        let metadata = try connection.cached("SELECT name, value FROM \(MetadataTable.name) WHERE position = ?")
        defer { metadata.reset() }
        try metadata.bind(header.position, at: 1)
        while try metadata.step() {
            let row = FileRow.metadata(header.position)
            description.metadata.append((try metadata.bytes(0, of: row) ?? [], try metadata.bytes(1, of: row) ?? []))
        }
        return description
    }

    // MARK: Commitments

    /// Writes the commitments of the rows that were read since the last call.
    mutating func writeCommitments() throws {
        let statement = try connection.cached(
            "INSERT INTO \(SealTables.commitment)(position, attribute, key, commitment) VALUES (?, ?, ?, ?)")
        for commitment in commitments {
            try statement.bind(commitment.position, at: 1)
            if let attribute = commitment.attribute {
                try statement.bind(attribute, at: 2)
            } else {
                try statement.bindNull(2)
            }
            try commitment.key.withUnsafeBytes { try statement.bind($0, at: 3) }
            try commitment.commitment.withUnsafeBytes { try statement.bind($0, at: 4) }
            try statement.run()
        }
        commitments = []
    }
}

/// The numbers of classes, which are hashed instead of their names: a migration that renames a class changes the names in
/// the history.
struct SealedClasses {
    fileprivate let numbers: [[UInt8]: Int64]
    /// The attribute with the class, by the number of the entity.
    private var attributes: [Int64: Int64] = [:]

    init(_ catalog: SealedCatalog) {
        numbers = Dictionary(catalog.entities.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        let name = Array(Schema.entityAttribute.utf8)
        for attribute in catalog.attributes where attribute.name == name {
            attributes[attribute.entity] = attribute.number
        }
        // The attributes of entities that inherit from others are those of the topmost one.
        for _ in catalog.entities {
            var isComplete = true
            for entity in catalog.entities where attributes[entity.number] == nil {
                guard let number = entity.superentity.flatMap({ attributes[$0] }) else { continue }
                attributes[entity.number] = number
                isComplete = false
            }
            if isComplete { break }
        }
    }

    func isClass(_ attribute: Int64, of entity: Int64) -> Bool { attributes[entity] == attribute }
}

extension Statement {
    /// Passes a value of the history. The bytes are valid during the call.
    ///
    /// - Parameter classes: The classes, if the value is the name of one.
    fileprivate func withSealedValue<Result>(
        _ column: Int32, _ classes: SealedClasses?, _ body: (SealedValue) throws -> Result
    ) throws -> Result {
        switch storageClass(column) {
        case .null: return try body(.null)
        case .integer: return try body(.integer(int64(column)))
        case .real: return try body(.real(double(column)))
        case .text:
            return try withText(column) { text in
                if let number = classes?.numbers[Array(text)] { return try body(.entity(number)) }
                return try body(.text(UnsafeRawBufferPointer(text)))
            }
        case .blob: return try withBlob(column) { try body(.binary($0)) }
        }
    }
}
