import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

/// The changed rows of a table of models.
struct PastTable: Sendable {
    let name: String
    /// The table in a FROM clause, or the view that has its keys; see ``TrackedRows``.
    let present: String
    /// The quoted name of the temporary table.
    let temporary: String
    let columns: [Column]
    /// The keys in the temporary table.
    let changed: SQLRowSet
    private(set) var incomplete: Set<String> = []
    /// A FROM clause for the rows as of the position.
    private(set) var source = ""

    struct Column: Sendable {
        let number: Int
        let name: String
        /// Rows of both tables must have the same affinity.
        let type: String
        /// The collation of comparisons, or `nil` for `BINARY`.
        let collation: String?
        /// The value of rows that were added before the column.
        let defaultValue: PropertyValue
    }

    /// A column of the temporary table. Names of properties contain no period.
    static let isPresent = quoted("past.present")
    static let unknownNumbers = quoted("past.unknown")

    init(name: String, present: String, temporary: String, columns: [Column], changed: SQLRowSet) {
        (self.name, self.present, self.temporary) = (name, present, temporary)
        (self.columns, self.changed) = (columns, changed)
        source = makeSource()
    }

    mutating func addIncomplete(_ column: String) {
        guard incomplete.insert(column).inserted else { return }
        source = makeSource()
    }

    /// A value that is unknown ends the statement with an error if it is used. A subquery has the affinity of its column,
    /// which SQLite requires to combine ``source`` with a query.
    ///
    /// - Parameter key: The SQL expression for the key that the error names, or `nil` for the rowid.
    func value(_ column: String, _ alias: String, key: String? = nil) -> String {
        let value = "\(alias).\(quoted(column))"
        guard incomplete.contains(column), let number = columns.first(where: { $0.name == column })?.number else {
            return value
        }
        return """
            (SELECT \(value) WHERE ifnull(instr(\(alias).\(Self.unknownNumbers), ',\(number),'), 0) = 0 \
            OR \(PredicateFunctions.missing(column, of: name, key: key ?? "\(alias)._rowid_")))
            """
    }

    private var id: String { quoted(RecordedTable.primaryKey) }

    private func makeSource() -> String { "(SELECT \(presentRows) UNION ALL \(changedRows))" }

    /// The columns and the clauses FROM and WHERE of a SELECT that returns the rows that have not changed since.
    private var presentRows: String {
        let own = ([id] + columns.map { quoted($0.name) }).map { "m.\($0) AS \($0)" }.joined(separator: ", ")
        return "\(own) FROM \(present) AS m WHERE NOT (SELECT \(changed.name)(m._rowid_))"
    }

    /// Like ``source``, but without checks of unknown values. SQLite computes even unused columns of a source if the query
    /// aggregates, so ``checkedValue(_:_:)`` checks the values instead. The columns of both parts have equal affinities, so that
    /// SQLite evaluates the conditions of a query in each part.
    var unchecked: String {
        let names = ([id] + columns.map { quoted($0.name) })
        let changed = ["p._rowid_ AS \(id)"] + columns.map { "p.\(quoted($0.name)) AS \(quoted($0.name))" }
        return """
            (SELECT \(names.joined(separator: ", ")), CAST(NULL AS TEXT) AS \(Self.unknownNumbers) FROM (SELECT \(presentRows)) \
            UNION ALL SELECT \(changed.joined(separator: ", ")), p.\(Self.unknownNumbers) FROM \(temporary) AS p \
            WHERE p.\(Self.isPresent))
            """
    }

    func checkedValue(_ column: String, _ alias: String) -> String {
        let value = value(column, alias, key: "\(alias).\(id)")
        // A subquery has no collation.
        guard incomplete.contains(column), let collation = columns.first(where: { $0.name == column })?.collation else {
            return value
        }
        return "\(value) COLLATE \(quoted(collation))"
    }

    var changedRows: String {
        let values = columns.map { "\(value($0.name, "p")) AS \(quoted($0.name))" }
        return "SELECT \((["p._rowid_ AS \(id)"] + values).joined(separator: ", ")) FROM \(temporary) AS p "
            + "WHERE p.\(Self.isPresent)"
    }

    // MARK: Joins by primary key

    /// SQLite would compute all rows of ``source`` on the right side of a LEFT JOIN, so each table is joined by itself.
    func join(_ reference: SQLQuery, as alias: String) -> SQLQuery {
        """
        LEFT JOIN \(raw: temporary) AS \(raw: changed(alias)) ON \(raw: changed(alias))._rowid_ = \(reference) \
        LEFT JOIN \(raw: present) AS \(raw: alias) ON \(raw: alias)._rowid_ \
        = iif(\(raw: changed(alias))._rowid_ IS NULL, \(reference), NULL)
        """
    }

    func joinedValue(_ column: String, _ alias: String) -> String {
        let other = changed(alias)
        if column == RecordedTable.primaryKey {
            return "CASE WHEN \(other)._rowid_ IS NULL THEN \(alias)._rowid_ "
                + "WHEN \(other).\(Self.isPresent) THEN \(other)._rowid_ END"
        }
        return "iif(\(other)._rowid_ IS NULL, \(alias).\(quoted(column)), \(value(column, other)))"
    }

    private func changed(_ alias: String) -> String { "\(alias)p" }

    // MARK: Counting

    /// Counts rows by a condition on their own columns: the present number without the changed rows, and those as they
    /// were.
    func count(where condition: SQLQuery?, as alias: String) -> SQLQuery {
        let matches: SQLQuery = condition.map { " WHERE \($0)" } ?? ""
        let table: SQLQuery = "\(raw: present) AS \(raw: alias)"
        return """
            (SELECT count(*) FROM \(table)\(matches)) \
            - (SELECT count(*) FROM \(raw: temporary) AS p CROSS JOIN \(table) \
            ON \(raw: alias)._rowid_ = p._rowid_\(matches)) \
            + (SELECT count(*) FROM (\(raw: changedRows)) AS \(raw: alias)\(matches))
            """
    }
}

extension PastTable {
    /// Returns the columns of the present table that the history records.
    static func columns(
        of table: PastLayout.Table, _ layout: StoreLayout, _ connection: Connection
    ) throws -> [Column] {
        let statement = try connection.prepare(
            "SELECT name, type, dflt_value FROM pragma_table_info(?, 'main')")
        try statement.bind(table.name, at: 1)
        let tracked = try layout.isTracked ? TrackedTable(table.name, connection) : nil
        var columns: [Column] = []
        while try statement.step() {
            let name = statement.text(0)
            guard let number = table.attributes[name] else { continue }
            columns.append(
                .init(
                    number: number, name: name,
                    type: tracked?.columns.first { $0.name == name }?.affinity.rawValue ?? statement.text(1),
                    collation: connection.collation(ofColumn: name, inTable: table.name),
                    // The history of a tracked table begins again when a column is added.
                    defaultValue: try value(
                        of: statement.isNull(2) || layout.isTracked ? nil : statement.text(2), connection)))
        }
        return columns
    }

    private static func value(of expression: String?, _ connection: Connection) throws -> PropertyValue {
        guard let expression else { return .null }
        let statement = try connection.prepare("SELECT \(expression)")
        return try statement.step() ? statement.plainValue(0) : .null
    }
}
