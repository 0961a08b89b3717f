#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// Random statements and migrations: the history explains the rows, and earlier rows are read from it.
    @Suite("PostgreSQL random tracked tables", .requiresPostgres) struct RandomTrackedTableTests {
        @Test(arguments: TestSeed.rounds(2)) func theHistoryExplainsTheRows(_ number: Int) throws {
            var program = RandomTables(TestSeed.generator(number))
            let fixture = try TrackedFixture(program.creation, track: false)
            for _ in 0..<5 { try fixture.sql(program.change()) }
            try fixture.tracking.track()
            var store = try fixture.store()
            var token = try #require(try store.currentHistoryToken())
            var state = try TrackedFixture.rows(store)
            var states = [(token: token, rows: state)]
            var log: [String] = [program.creation]
            for _ in 0..<40 {
                let comment = { Comment(rawValue: "\(log.joined(separator: ";\n")) \(TestSeed.description)") }
                if program.below(8) == 0 {
                    // The statements after a migration succeed, whether or not they are recorded.
                    log.append(program.migration())
                    try fixture.sql(log[log.count - 1])
                    for _ in 0..<2 {
                        log.append(program.change())
                        try fixture.sql(log[log.count - 1])
                    }
                    log.append("-- track")
                    #expect(try fixture.tracking.track().contains { $0.isNew }, comment())
                    store = try fixture.store()
                    token = try #require(try store.currentHistoryToken())
                    state = try TrackedFixture.rows(store)
                    states = [(token, state)]
                    continue
                }
                log.append(program.change())
                try fixture.sql(log[log.count - 1])
                let transactions = try store.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>.after(token))
                for change in transactions.flatMap(\.changes) { TrackedFixture.assign(change, in: &state) }
                token = transactions.last?.token ?? token
                let present = try TrackedFixture.rows(store)
                let differences = Set(present.keys).union(state.keys).filter { present[$0] != state[$0] }
                    .map { "\($0): \(String(describing: state[$0])) is \(String(describing: present[$0]))" }
                try #require(differences.isEmpty, "\(differences) \(comment())")
                // The rows that are read are those of the tables.
                for (table, key) in program.tables {
                    let names = program.columns(of: table)
                    let values = names.map { "coalesce(\($0)::text, 'nil')" }.joined(separator: ", ")
                    let only = table == "part" ? "" : "ONLY "
                    let rows = try fixture.sql("SELECT concat_ws('|', \(values)) FROM \(only)\(table) ORDER BY \(key)")
                    let found = present.filter { $0.key.entityName == table }.values
                        .map { row in names.map { row[$0] ?? "?" }.joined(separator: "|") }
                    try #require(
                        found.sorted() == rows.split(separator: "\n").map(String.init).sorted(), "\(table) \(comment())"
                    )
                }
                states.append((token, state))
            }
            for (index, (token, rows)) in states.enumerated() {
                let past = try #require(try store.store(asOf: token) as? PostgresStore)
                try #require(
                    try TrackedFixture.rows(past) == rows,
                    "\(token) \(log.joined(separator: ";\n")) \(TestSeed.description)")
                // Each query creates its views.
                if index % 5 == 0 { try requireQueries(rows, program.tables.map(\.0), past, store, token, log) }
            }
            #expect(try fixture.problems() == [], "\(log.joined(separator: ";\n")) \(TestSeed.description)")
        }

        /// The views of a query have the rows as of a position, and so have the revisions that were current.
        private func requireQueries(
            _ rows: [PersistentIdentifier: TrackedFixture.Row], _ tables: [String], _ past: PostgresStore,
            _ store: PostgresStore, _ token: DefaultHistoryToken, _ log: [String]
        ) throws {
            let position = token.position(in: store.identifier) ?? 0
            for table in tables {
                let properties = try #require(store.schema.entitiesByName[table]).storedProperties.map(\.name)
                let columns = properties.map(quoted).joined(separator: ", ")
                let expected = rows.filter { $0.key.entityName == table }.values
                    .map { row in properties.map { row[$0] ?? "?" }.joined(separator: "|") }.sorted()
                func lines(_ store: PostgresStore, _ source: String) throws -> [String] {
                    var lines: [String] = []
                    try store.query("SELECT \(columns) FROM \(source)") { row in
                        lines.append(row.map { $0.isNull ? "nil" : QueryText.text($0) }.joined(separator: "|"))
                    }
                    return lines.sorted()
                }
                let comment = Comment(
                    rawValue: "\(table) \(token) \(log.joined(separator: ";\n")) \(TestSeed.description)")
                try #require(try lines(past, quoted(table)) == expected, comment)
                let current = "coalesce(\"from\", 0) <= \(position) AND (\"to\" IS NULL OR \"to\" > \(position))"
                try #require(
                    try lines(store, "\(quoted("\(table)_revisions")) WHERE \(current)") == expected, comment)
            }
        }
    }

    /// A program with tables of each kind of key, which it changes at random.
    private struct RandomTables {
        private var generator: SplitMix
        /// The columns besides the key, all of them texts or integers.
        private var added: [String: [String]] = [:]
        private var count = 0
        let tables = [
            ("plain", "id"), ("pair", "a, b"), ("label", "name"), ("part", "id"), ("parent", "id"), ("child", "id"),
        ]

        init(_ generator: SplitMix) {
            self.generator = generator
            for (table, _) in tables { added[table] = ["t", "n"] }
            added["child"]?.append("m")
        }

        var creation: String {
            """
            CREATE TABLE plain(id int PRIMARY KEY, t text, n int);
            CREATE TABLE pair(a int, b text, t text, n bigint, PRIMARY KEY (a, b));
            CREATE TABLE label(name varchar(9) PRIMARY KEY, t text, n smallint);
            CREATE TABLE part(id int PRIMARY KEY, t text, n int) PARTITION BY RANGE (id);
            CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (MINVALUE) TO (3);
            CREATE TABLE part_high PARTITION OF part DEFAULT;
            CREATE TABLE parent(id int PRIMARY KEY, t text, n int);
            CREATE TABLE child(id int PRIMARY KEY, t text, n int, m int REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE \
            DEFERRABLE INITIALLY DEFERRED)
            """
        }

        mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

        private mutating func any<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

        func columns(of table: String) -> [String] {
            let key = tables.first { $0.0 == table }?.1 ?? ""
            // An integer key is no attribute.
            return (key == "id" ? [] : key.split(separator: ", ").map(String.init)) + (added[table] ?? [])
        }

        private mutating func value(_ column: String) -> String {
            if column.hasPrefix("m") { return "(SELECT min(id) FROM parent)" }
            if column.hasPrefix("n") { return any(["NULL", "0", "1", "2"]) }
            return any(["NULL", "''", "'x'", "'å'", "'it''s'"])
        }

        private mutating func key(_ table: String) -> String {
            switch table {
            case "pair": "\(below(3)), '\(any(["x", "y"]))'"
            case "label": "'\(any(["a", "b", "c", "d"]))'"
            default: "\(below(6))"
            }
        }

        /// A statement, or a transaction of several.
        mutating func change() -> String {
            if below(5) > 0 { return statement() }
            let statements = [statement(), statement(), statement()].joined(separator: "; ")
            return below(4) == 0 ? "BEGIN; \(statements); ROLLBACK" : "BEGIN; \(statements); COMMIT"
        }

        private mutating func statement() -> String {
            let (table, key) = any(tables)
            let columns = added[table] ?? []
            let names = ([key] + columns).joined(separator: ", ")
            func row(_ program: inout RandomTables) -> String {
                "(" + ([program.key(table)] + columns.map { program.value($0) }).joined(separator: ", ") + ")"
            }
            let condition =
                "\(key.prefix { $0 != "," }) >= \(table == "label" ? "'\(any(["a", "b", "c"]))'" : "\(below(5))")"
            switch below(10) {
            case 0, 1: return "INSERT INTO \(table)(\(names)) VALUES \(row(&self)) ON CONFLICT DO NOTHING"
            case 2, 3:
                let assigned = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
                return
                    "INSERT INTO \(table)(\(names)) VALUES \(row(&self)) ON CONFLICT (\(key)) DO UPDATE SET \(assigned)"
            case 4, 5:
                let column = any(columns)
                return "UPDATE \(table) SET \(column) = \(value(column)) WHERE \(condition)"
            case 6: return "DELETE FROM \(table) WHERE \(condition)"
            case 7 where table == "plain" || table == "part" || table == "child":
                // Keys that no other row has.
                return "UPDATE \(table) SET id = id + 100 WHERE id < 6 AND id = \(below(6)) "
                    + "AND NOT EXISTS (SELECT FROM \(table) AS o WHERE o.id = \(table).id + 100)"
            case 8 where below(3) == 0:
                // Deferred checks would prevent it.
                return "SET CONSTRAINTS ALL IMMEDIATE; TRUNCATE \(table)\(table == "parent" ? " CASCADE" : "")"
            default:
                let line = columns.map { $0.hasPrefix("m") ? "\\N" : $0.hasPrefix("n") ? "7" : "copied" }
                let keys: [String] =
                    switch table {
                    case "pair": ["9", "z"]
                    case "label": ["z"]
                    default: ["50"]
                    }
                let text = (keys + line).joined(separator: ",").replacingOccurrences(of: "\\N", with: "")
                return "DELETE FROM \(table) WHERE \(key.prefix { $0 != "," }) = '\(keys[0])'; "
                    + "COPY \(table)(\(names)) FROM PROGRAM 'echo \(text)' (FORMAT csv)"
            }
        }

        mutating func migration() -> String {
            let (table, _) = any(tables)
            count += 1
            let columns = added[table] ?? []
            switch below(4) {
            case 0:
                let column = any(["t\(count)", "n\(count)"])
                added[table]?.append(column)
                return
                    "ALTER TABLE \(table) ADD COLUMN \(column) \(column.hasPrefix("n") ? "int DEFAULT \(below(3))" : "text")"
            case 1 where columns.count > 2 && !(columns.last ?? "m").hasPrefix("m"):
                let column = added[table]?.removeLast() ?? ""
                return "ALTER TABLE \(table) DROP COLUMN \(column)"
            case 2:
                // Also to the same type: the values change.
                let column = columns.first { $0.hasPrefix("n") } ?? ""
                return
                    "ALTER TABLE \(table) ALTER COLUMN \(column) TYPE \(any(["numeric", "int"])) USING (\(column) + 1)"
            default:
                let column = columns[below(2)]
                let name = "\(column.prefix(1))_\(count)"
                added[table] = columns.map { $0 == column ? name : $0 }
                return "ALTER TABLE \(table) RENAME COLUMN \(column) TO \(name)"
            }
        }
    }
#endif
