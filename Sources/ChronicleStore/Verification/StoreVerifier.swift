import ChronicleCore
import ChronicleSQLite

/// Checks a file in the open transaction of a connection.
final class StoreVerifier {
    let connection: Connection
    let isTracked: Bool
    private let progress: ((Double) -> Void)?
    private let body: (StoreProblem) throws -> Void
    private var counts: [String: Int] = [:]

    /// The number of reported problems of the same kind and table.
    private static let limit = 100

    init(
        _ connection: Connection, _ progress: ((Double) -> Void)?, _ body: @escaping (StoreProblem) throws -> Void
    ) throws {
        (self.connection, self.progress, self.body) = (connection, progress, body)
        isTracked = try FileFormat.isTracked(connection)
    }

    /// Checks whose basis is damaged are omitted.
    func run() throws {
        try check(.database) { try DatabaseCheck(verifier: self).run() }
        guard try check(.definition, { try DefinitionCheck(verifier: self).run() }) == true else { return }
        let properties = try MetaCheck(verifier: self).run()
        let registry = try check(.entity) { try RegistryCheck(verifier: self).run() } ?? nil
        try check(.position) { try HistoryCheck(self, properties, registry).run() }
        try check(.metadata) { try SatelliteCheck(verifier: self, properties: properties).checkMetadata() }
        try check(.view) { try checkViews() }
        try check(.tag) { try SatelliteCheck(verifier: self, properties: properties).checkTags() }
        try check(.consumer) { try SatelliteCheck(verifier: self, properties: properties).checkConsumers() }
        guard let registry else { return }
        if isTracked {
            try check(.trigger) { try TrackingCheck(verifier: self, properties: properties).run() }
        } else {
            try checkTables(properties, registry)
        }
        if properties.recordsHistory {
            try check(.row) { try ReplayCheck(self, properties, registry).run() }
        }
    }

    private func checkTables(_ properties: MetaCheck.Properties, _ registry: RegistryCheck.Registry) throws {
        try check(.trigger) {
            try TableCheck(verifier: self, registry: registry, recordsHistory: properties.recordsHistory).run()
        }
        try check(.column) { try ColumnCheck(verifier: self, registry: registry).run() }
        try check(.inverse) { try OneToOneCheck(verifier: self, registry: registry).run() }
    }

    /// A program may have changed the schema of a tracked database since the views were created.
    private func checkViews() throws {
        guard try !SchemaFollowing(connection).isDue else { return }
        for name in try PermanentViews(connection).changedNames() {
            try report(.view, name, detail: "the view was dropped or changed; use `chronicle views --install FILE`")
        }
    }

    // MARK: Reporting

    /// An error about the content of the file is a problem, and the check returns `nil`.
    @discardableResult
    func check<Result>(_ kind: StoreProblem.Kind, _ body: () throws -> Result) throws -> Result? {
        do { return try body() } catch let error as SwiftDataError where error == .damagedFile || error == .invalidModel
        {
            try report(kind, detail: error.detail ?? error.description)
        } catch let error as SQLiteError where error.isCorrupt {
            try report(.database, detail: error.message)
        }
        return nil
    }

    func report(_ kind: StoreProblem.Kind, _ table: String? = nil, _ row: Int64? = nil, detail: String) throws {
        let count = counts["\(kind) \(table ?? "")", default: 0] + 1
        counts["\(kind) \(table ?? "")"] = count
        guard count <= Self.limit else { return }
        try body(StoreProblem(kind: kind, table: table, row: row, detail: detail))
    }

    func report(_ kind: StoreProblem.Kind, at position: Int64, _ detail: String) throws {
        try report(kind, ChangeTable.name, position, detail: detail)
    }

    func show(_ part: Double) { progress?(part) }

    // MARK: Reading

    func forEachRow(
        _ sql: String, bind: (Statement) throws -> Void = { _ in }, _ body: (Statement) throws -> Void
    ) throws {
        let statement = try connection.prepare(sql)
        try bind(statement)
        while try statement.step() { try body(statement) }
    }
}
