import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Computes the hashes of a chain from the rows, as the article "The seal format" says.
struct ChainCheck {
    private let connection: Connection
    private let identifier: String
    private let hashing: ReferenceHashing
    private let classes: [String: Int64]
    private let classAttributes: Set<Int64>
    /// The entities of a tracked database whose keys have numbers.
    private let numberedEntities: Set<Int64>

    init(_ connection: Connection, _ identifier: String, _ hashing: ReferenceHashing) throws {
        (self.connection, self.identifier, self.hashing) = (connection, identifier, hashing)
        var classes: [String: Int64] = [:]
        var numberedEntities: Set<Int64> = []
        let entities = try connection.prepare("SELECT id, name, key_columns FROM chronicle_entity")
        while try entities.step() {
            classes[entities.text(1)] = entities.int64(0)
            if !entities.isNull(2) { numberedEntities.insert(entities.int64(0)) }
        }
        let isTracked = try connection.scalarInt64("SELECT 1 FROM chronicle_meta WHERE name = 'tracked'") != nil
        (self.classes, self.numberedEntities) = (isTracked ? [:] : classes, numberedEntities)
        var attributes: Set<Int64> = []
        let names = try connection.prepare("SELECT number FROM chronicle_attribute WHERE name = 'chronicle_entity'")
        while try names.step() { attributes.insert(names.int64(0)) }
        classAttributes = attributes
    }

    func failures() throws -> [String] {
        var failures: [String] = []
        var previous: Data?
        let seals = try connection.prepare(
            """
            SELECT number, last, last_check, sealed, previous, transactions, catalog_hash, hash, catalog FROM chronicle_seal \
            ORDER BY number
            """)
        while try seals.step() {
            let number = seals.int64(0)
            func bytes(_ column: Int32) -> Data { seals.withBlob(column) { Data($0) } }
            guard let link = HistoryDigest(bytes(4)), let catalog = HistoryDigest(bytes(6)) else {
                return ["seal \(number) is damaged"]
            }
            if let previous, previous != bytes(4) { failures.append("seal \(number) does not follow the previous one") }
            if number == 1, link != .zero { failures.append("seal 1 follows another one") }
            if !seals.isNull(8), try SealedCatalog.hash(Array(bytes(8)), hashing) != catalog {
                failures.append("the catalog of seal \(number)")
            }
            var content = SealContent(
                store: Array(identifier.utf8), number: number, previous: link, last: seals.int64(1),
                lastCheck: seals.int64(2), time: seals.double(3), catalog: catalog)
            let list = bytes(5)
            for start in stride(from: 0, to: list.count, by: 40) {
                let position = list[start..<start + 8].reduce(0 as Int64) { $0 << 8 | Int64($1) }
                guard let hash = HistoryDigest(Data(list[start + 8..<start + 40])) else { return ["seal \(number)"] }
                content.append(position: position, hash: hash)
                if let found = try transaction(position), found != hash {
                    failures.append("the transaction at \(position)")
                }
            }
            content.events = try events(number)
            if try content.hash(hashing).data != bytes(7) { failures.append("the hash of seal \(number)") }
            previous = bytes(7)
        }
        return failures
    }

    /// `nil` if it was deleted.
    private func transaction(_ position: Int64) throws -> HistoryDigest? {
        let header = try connection.prepare(
            """
            SELECT c.kind, c.attributes, c.primary_key, c.old_value, c.new_value, s.author, s.context, s.program \
            FROM chronicle_change AS c LEFT JOIN chronicle_source AS s ON s.id = -c.kind WHERE c.id = \(position)
            """)
        guard try header.step() else { return nil }
        func text(_ statement: Statement, _ column: Int32) -> [UInt8]? {
            statement.isNull(column) ? nil : statement.withText(column) { Array($0) }
        }
        let check = header.int64(1)
        let (key, commitment) = try self.commitment(position)
        guard header.int64(0) < 0 else {
            // A void header that was sealed has no commitment; a deleted transaction had one.
            let isDeleted =
                try connection.scalarInt64(
                    "SELECT 1 FROM chronicle_event WHERE kind IN ('deletion', 'purge') LIMIT 1") != nil
            return isDeleted ? nil : try SealedTransaction.void(position: position, checkValue: check, hashing)
        }
        var description = SealedDescription(time: header.double(2))
        description.author = text(header, 5)
        description.context = text(header, 6)
        description.program = text(header, 7)
        description.process = text(header, 4)
        let metadata = try connection.prepare("SELECT name, value FROM chronicle_metadata WHERE position = \(position)")
        while try metadata.step() { description.metadata.append((text(metadata, 0) ?? [], text(metadata, 1) ?? [])) }
        guard let key, try description.commitment(key: key, hashing) == commitment, let commitment else { return .zero }
        let first = header.int64(3)
        var transaction = SealedTransaction(
            position: position, checkValue: check, kind: header.int64(0) == -1 ? .external : .ordinary,
            description: commitment, first: first, hashing)
        let rows = try connection.prepare(
            """
            SELECT id, kind, primary_key, attributes, old_value, new_value FROM chronicle_change \
            WHERE id >= \(first) AND id < \(position) ORDER BY id
            """)
        while try rows.step() {
            let (row, entity, operation) = (rows.int64(0), rows.int64(1) >> 4, rows.int64(1) & 15)
            if operation == 2 {
                let numbers = (0..<62).filter { rows.int64(3) >> $0 & 1 == 1 }.map(Int64.init)
                let key = try rowKey(rows.int64(2), entity)
                transaction.append(.update, at: row, entity: entity, key: key, attributes: numbers)
                continue
            }
            if operation != 0 {
                try transaction.append(
                    operation == 1 ? .insert : .delete, at: row, entity: entity, key: rowKey(rows.int64(2), entity),
                    attributes: [])
            }
            let (key, commitment) = try self.commitment(row)
            guard let commitment, let attribute = try attribute(row) else {
                transaction.appendSlotWithoutValue()
                continue
            }
            // The value is there if the key is.
            if let key {
                let isClass = classAttributes.contains(attribute)
                let found = try withValue(rows, 4, isClass) { before in
                    try withValue(rows, 5, isClass) { after in
                        try hashing.commitment(toAttribute: attribute, before: before, after: after, key: key)
                    }
                }
                if found != commitment { return .zero }
            }
            transaction.append(attribute: attribute, commitment: commitment)
        }
        return try transaction.finish()
    }

    private func withValue<Result>(
        _ statement: Statement, _ column: Int32, _ isClass: Bool, _ body: (SealedValue) throws -> Result
    ) throws -> Result {
        switch statement.storageClass(column) {
        case .null: return try body(.null)
        case .integer: return try body(.integer(statement.int64(column)))
        case .real: return try body(.real(statement.double(column)))
        case .blob: return try statement.withBlob(column) { try body(.binary($0)) }
        case .text:
            if isClass, let number = classes[statement.text(column)] { return try body(.entity(number)) }
            return try statement.withText(column) { try body(.text(UnsafeRawBufferPointer($0))) }
        }
    }

    private func commitment(_ position: Int64) throws -> (key: HistoryDigest?, commitment: HistoryDigest?) {
        let statement = try connection.prepare(
            "SELECT key, commitment FROM chronicle_commitment WHERE position = \(position)")
        guard try statement.step() else { return (nil, nil) }
        return (statement.withBlob(0) { HistoryDigest($0) }, statement.withBlob(1) { HistoryDigest($0) })
    }

    private func rowKey(_ number: Int64, _ entity: Int64) throws -> SealedTransaction.Key {
        guard numberedEntities.contains(entity) else { return .integer(number) }
        let statement = try connection.prepare(
            "SELECT key, commitment FROM chronicle_commitment_key WHERE entity = \(entity) AND number = \(number)")
        guard try statement.step(), let key = statement.withBlob(0, { HistoryDigest($0) }) else {
            return .numbered(number, .zero)
        }
        var columns: [RecordedValue] = []
        let table = "chronicle_key_\(entity)"
        if try connection.scalarInt64("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'") != nil {
            let row = try connection.prepare("SELECT * FROM \(table) WHERE id = \(number)")
            if try row.step() { columns = (1..<row.columnCount).map { row.recordedValue($0) } }
        }
        let found = try columns.withSealedValues { try hashing.commitment(toKeyOf: entity, columns: $0, key: key) }
        return .numbered(number, found == statement.withBlob(1) { HistoryDigest($0) } ? found : .zero)
    }

    private func attribute(_ position: Int64) throws -> Int64? {
        try connection.scalarInt64("SELECT attribute FROM chronicle_commitment WHERE position = \(position)")
    }

    private func events(_ seal: Int64) throws -> [(number: Int64, hash: HistoryDigest)] {
        let statement = try connection.prepare(
            "SELECT id, kind, time, author, program, process, detail FROM chronicle_event WHERE seal = \(seal) ORDER BY id"
        )
        var events: [(Int64, HistoryDigest)] = []
        while try statement.step() {
            func text(_ column: Int32) -> [UInt8]? {
                statement.isNull(column) ? nil : statement.withText(column) { Array($0) }
            }
            var event = SealedEvent(
                number: statement.int64(0), kind: text(1) ?? [], time: statement.double(2), detail: text(6) ?? [])
            (event.author, event.program, event.process) = (text(3), text(4), text(5))
            let parts = try connection.prepare(
                "SELECT seal, content FROM chronicle_event_part WHERE event = \(event.number) ORDER BY seal")
            while try parts.step() { event.parts.append((parts.int64(0), parts.withBlob(1) { Array($0) })) }
            events.append((event.number, try event.hash(hashing)))
        }
        return events
    }
}

extension [RecordedValue] {
    func withSealedValues<Result>(_ body: ([SealedValue]) throws -> Result) throws -> Result {
        func add(_ values: [SealedValue], _ rest: ArraySlice<RecordedValue>) throws -> Result {
            guard let first = rest.first else { return try body(values) }
            return try first.withSealed { try add(values + [$0], rest.dropFirst()) }
        }
        return try add([], self[...])
    }
}

extension DefaultStore {
    /// Checks the commitments of all values and the hashes of all seals with other code than the sealer's, and what a reader reads.
    func chainFailures() throws -> [String] {
        let failures = try database.write { connection in
            try connection.deferredRead { try ChainCheck(connection, identifier, ReferenceHashing()).failures() }
        }
        return try failures + ReaderCheck.failures(self)
    }
}

extension TestStore {
    /// Seals in small steps.
    func sealChain(observing observe: (HistorySealer.Step) throws -> Void = { _ in }) throws -> HistorySeal {
        try HistorySealer.$limits.withValue(HistorySealer.Limits(transactions: 8, rows: 60, page: 10)) {
            try store.sealHistory(ReferenceHashing(), observing: observe)
        }
    }

    func chainFailures() throws -> [String] { try store.chainFailures() }

    func expectIntact(_ location: SourceLocation = #_sourceLocation) throws {
        let failures = try chainFailures()
        #expect(failures.isEmpty, "\(failures)", sourceLocation: location)
    }
}
