public import ChronicleCore
import ChronicleSQLite
public import Foundation

extension DefaultStore {
    /// Writes the models, links and history of a store of another type to a new file, which opens with the same classes.
    ///
    /// ```swift
    /// let source = try AppleStore(AppleStoreConfiguration(schema: Schema([Trip.self]), url: old), migrationPlan: nil)
    /// let conversion = try DefaultStore.convert(source, to: new)
    /// for omission in conversion.omissions { print(omission.subject, omission.detail) }
    /// let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: new))
    /// ```
    ///
    /// Models keep their primary keys. The new store has a new ``identifier`` and other tokens: transactions contain the
    /// identifier of the source and that of the transaction in it as metadata, see ``HistoryReplayStep/MetadataKey``.
    /// Transactions keep their author, context name, time and program, and changes the values that the source preserves.
    /// The history is not complete from the beginning, so a consumer that starts there is reset. If the history of the
    /// source contradicts its rows, which happens where a program deleted transactions or changed the file without a record,
    /// the history ends with a gap: it can be read, but its tokens are ``SwiftDataError/historyTokenGap``.
    ///
    /// The source is read as it is at one moment. The file is written in a directory beside its place, compared with the
    /// source, verified and then moved.
    ///
    /// - Parameters:
    ///   - source: The store to convert, such as an `AppleStore`. It does not change.
    ///   - url: The URL of the new file, in an existing directory.
    ///   - progress: A closure that receives the number of models, links and changes that were written so far.
    /// - Returns: The numbers and checksums of the tables, and what was not carried over.
    /// - Throws: One of the following errors. There is no file at the URL then.
    ///   - ``SwiftDataError/storeFailure`` if there is a file at the URL, if it cannot be created, or if the new file differs
    ///     from the source. Choose another URL, or check the disk.
    ///   - ``SwiftDataError/undecodableValue`` if a value does not fit its property, which is required and has no default
    ///     value. Make the property optional, or correct the value.
    ///   - ``SwiftDataError/modelValidationFailure`` if the destination of a required relationship does not exist. Make the
    ///     relationship optional.
    ///   - ``SwiftDataError/uniquenessViolation`` if two models have the same value of a unique property. Remove the
    ///     constraint from the class, or change one of the models.
    ///   - ``SwiftDataError/invalidModel`` if this store does not support a model of the source. Change the model.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Free space.
    ///   - `CancellationError` if the task is cancelled.
    ///   - An error of the source, such as ``SwiftDataError/storeBusy`` if another program writes to it. Try again.
    /// - Complexity: O(*n*) in the number of models, links and changes, which are read and written twice. The memory does not
    ///   depend on it, except that of the verification; see ``verify(fileAt:progress:_:)``.
    @discardableResult
    public static func convert<Source: DataStoreExporting>(
        _ source: Source, to url: URL, progress: ((Int) -> Void)? = nil
    ) throws -> StoreConversion {
        let file = try UnpublishedFile(for: url.resolvingSymlinksInPath())
        defer { file.remove() }
        let conversion = try StoreConverter(source, file.url).run(progress ?? { _ in })
        try file.publish()
        return conversion
    }
}

/// Writes a store to a file that does not exist.
private struct StoreConverter<Source: DataStoreExporting> {
    private let source: Source
    private let url: URL

    init(_ source: Source, _ url: URL) { (self.source, self.url) = (source, url) }

    func run(_ progress: @escaping (Int) -> Void) throws -> StoreConversion {
        let written = try write(progress)
        let (rows, history) = (written.rows, written.history)
        try compare(rows, history)
        var conversion = written.conversion
        conversion.omissions += try verify()
        conversion.tables = rows.nonempty.sorted { $0.key < $1.key }.map { name, table in
            StoreConversion.Table(name: name, count: table.count, checksum: ValueChecksum.text(table.sum))
        }
        (conversion.transactionCount, conversion.changeCount) = (history.transactionCount, history.changeCount)
        conversion.historyChecksum = history.text
        return conversion
    }

    private func open(allowsSave: Bool = true) throws -> DefaultStore {
        var configuration = ModelConfiguration(schema: source.schema, url: url, allowsSave: allowsSave)
        // Without classes, the file is not that of a program.
        configuration.isInspector = !source.schema.entities.allSatisfy(\.hasModelClass)
        return try DefaultStore(configuration, migrationPlan: nil)
    }

    // MARK: Writing

    private func write(
        _ progress: @escaping (Int) -> Void
    ) throws -> (conversion: StoreConversion, rows: RowChecksums, history: HistoryChecksum) {
        let store = try open()
        defer { store.database.close() }
        return try store.attributingErrors {
            try store.database.write { connection in
                // The rows have a history already, and their order is not that of their references.
                try connection.setTriggersEnabled(false)
                return try connection.withSetting(
                    "PRAGMA foreign_keys = OFF", restoredBy: "PRAGMA foreign_keys = ON"
                ) { try write(connection, store.layout, progress) }
            }
        }
    }

    private func write(
        _ connection: Connection, _ layout: StoreLayout, _ progress: @escaping (Int) -> Void
    ) throws -> (conversion: StoreConversion, rows: RowChecksums, history: HistoryChecksum) {
        var conversion = StoreConversion()
        var rows = RowCopier(connection, layout, source.schema)
        let end = try source.exportRows { row in
            try rows.add(row)
            progress(rows.count)
        }
        try rows.flush()
        conversion.omissions = try rows.removeMissingDestinations() + rows.replacements
        let count = rows.count
        var changes = 0
        var history = HistoryCopier(source, connection, layout) { number in
            changes += number
            progress(count + changes)
        }
        do { try history.run(through: end) } catch SwiftDataError.historyDisabled {
            conversion.omissions.append(StoreConversion.Omission("history", "the source has no history"))
        }
        if history.unnamedCount > 0 {
            conversion.omissions.append(
                StoreConversion.Omission(
                    "history", count: history.unnamedCount,
                    "updates whose attributes the source does not name are changes of an unknown property"))
        }
        return (conversion, rows.checksums, history.checksum)
    }

    // MARK: Comparing

    private func compare(_ rows: RowChecksums, _ history: HistoryChecksum) throws {
        let store = try open(allowsSave: false)
        defer { store.database.close() }
        var found = RowChecksums()
        _ = try store.exportRows { row in
            switch row {
            case .model(let snapshot): found.add(snapshot.persistentIdentifier, try snapshot.row(in: store.schema))
            case .link(let link):
                found.addLink(link.name, link.owner.integerPrimaryKey ?? 0, link.destination.integerPrimaryKey ?? 0)
            }
        }
        let (expected, present) = (rows.nonempty, found.nonempty)
        for name in Set(expected.keys).union(present.keys).sorted() where expected[name] != present[name] {
            throw difference("the rows of \(name): \(present[name]?.count ?? 0) of \(expected[name]?.count ?? 0)")
        }
        let foundHistory = try HistoryChecksum(of: store)
        guard foundHistory == history else {
            throw difference("the history: \(foundHistory.changeCount) of \(history.changeCount) changes")
        }
    }

    private func difference(_ detail: String) -> SwiftDataError {
        .storeFailure.with(detail: "the new file differs from the source in \(detail); check the disk and try again")
    }

    /// Problems that come from the source are omissions.
    private func verify() throws -> [StoreConversion.Omission] {
        var omissions: [StoreConversion.Omission] = []
        var counts: [StoreProblem.Kind: (count: Int, first: StoreProblem)] = [:]
        try DefaultStore.verify(fileAt: url) { problem in
            guard [.row, .inverse, .column].contains(problem.kind) else {
                throw difference("what its format requires (\(problem))")
            }
            counts[problem.kind, default: (0, problem)].count += 1
        }
        for (kind, found) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let subject = found.first.table ?? "history"
            let what =
                switch kind {
                case .row: "the history of the source contradicts its rows, and ends with a gap; for example"
                case .inverse: "the two sides of a one-to-one relationship differ; for example"
                default: "a value has another type than its property; for example"
                }
            omissions.append(StoreConversion.Omission(subject, count: found.count, "\(what) \(found.first)"))
        }
        if counts[.row] != nil {
            let store = try open()
            defer { store.database.close() }
            try store.attributingErrors {
                try store.database.write { connection in try connection.immediate { try HistoryGap.record(connection) }
                }
            }
        }
        return omissions
    }
}

extension RowCopier {
    fileprivate var replacements: [StoreConversion.Omission] {
        replaced.sorted { $0.key < $1.key }.map { name, replacement in
            StoreConversion.Omission(
                name, count: replacement.count,
                "the value of \(replacement.first) does not fit the property and became "
                    + (replacement.isDefault ? "its default value" : "nil"))
        }
    }
}

extension HistoryChecksum {
    fileprivate init(of store: DefaultStore) throws {
        self.init()
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        while true {
            descriptor.fetchLimit = 1_000
            let page = try store.fetchHistoryWithoutChanges(descriptor)
            for transaction in page {
                add(transaction)
                var request = HistoryChangesRequest(transaction, after: nil, limit: 1_000)
                request.returnsStoredValues = true
                while true {
                    let changes = try store.fetchHistoryChanges(request)
                    for change in changes { add(change) }
                    guard changes.count == request.limit else { break }
                    request.lastChange = changes.last
                }
            }
            guard let last = page.last, page.count == 1_000 else { return }
            descriptor = .after(last.token)
        }
    }
}
