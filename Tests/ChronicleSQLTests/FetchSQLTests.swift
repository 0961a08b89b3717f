import Chronicle
import ChronicleSQL
import Foundation
import Testing

/// The parts of a query that stores of any database use, with a dialect that has all defaults.
@Suite("Fetches: parts of the query") struct FetchSQLTests {
    private let dialect = PlainDialect()

    @Test func defaults() throws {
        #expect(
            try Stays.condition(#Predicate<Stay> { $0.note ?? "a" == "b" }, dialect).sql
                == #"coalesce(t."note", ?) = ?"#)
        #expect(
            try Stays.condition(#Predicate<Stay> { $0.note != "b" }, dialect).sql == #"t."note" IS DISTINCT FROM ?"#)
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try Stays.condition(#Predicate<Stay> { $0.name.localizedStandardContains("x") }, dialect)
        }
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try Stays.condition(#Predicate<Stay> { $0.name.count == 1 }, dialect)
        }
        let one = Stays.identifiers("Stay", 1)
        #expect(try Stays.fetch(FetchDescriptor<Stay>(), dialect, excluding: one).excludesRows)
    }

    @Test func errorsNameThePart() throws {
        let error = #expect(throws: SwiftDataError.self) {
            try Stays.fetch(FetchDescriptor<Stay>(predicate: #Predicate { $0.tags[0] == "x" }))
        }
        #expect(error == .unsupportedPredicate && error?.detail?.contains("CollectionIndexSubscript") == true)
        let sort = SortDescriptor<Stay>(\.name.count)
        let sortError = #expect(throws: SwiftDataError.self) { try Stays.fetch(FetchDescriptor<Stay>(sortBy: [sort])) }
        #expect(sortError == .unsupportedSortDescriptor && sortError?.entityName == "Stay")
    }

    @Test func lookups() throws {
        let stay = try #require(Stays.schema.entitiesByName["Stay"])
        let (name, host) = (try #require(stay.property(named: "name")), try #require(stay.property(named: "host")))
        func condition(_ lookup: DataStoreLookup) throws -> SQLQuery? {
            try Stays.fetch(FetchDescriptor<Stay>(), lookup: lookup).condition
        }
        #expect(try condition(.identifiers(Stays.identifiers("Stay", 7))) == #"t."_rowid_" = \#(value: .integer(7))"#)
        #expect(try condition(.identifiers(Stays.identifiers("Host", 7))) == "FALSE")
        #expect(
            try condition(.references(host, to: Stays.identifiers("Host", 7))) == #"t."host" = \#(value: .integer(7))"#)
        let many = try #require(try condition(.references(host, to: Stays.identifiers("Host", 7, 8))))
        #expect(many.sql == #"t."host" = ANY(?::bigint[])"#)
        #expect([[.text("{7,8}")], [.text("{8,7}")]].contains(many.bindings))
        #expect(
            try condition(.values([name, host], in: [[.text("x"), .integer(1)], [.text("a\0"), .integer(1)]]))
                == #"t."name" = \#(value: .text("x")) AND t."host" = \#(value: .integer(1))"#)
        let combinations = try #require(try condition(.values([name], in: [[.text("x")], [.text("y")]])))
        #expect(combinations.sql == #"(t."name") IN (VALUES (?), (?))"#)
        #expect(combinations.bindings == [.text("x"), .text("y")])
        #expect(try condition(.values([name], in: [[.text("a\0")]])) == "FALSE")
    }

    @Test func linkedRows() throws {
        let stay = try #require(Stays.schema.entitiesByName["Stay"])
        let labels = try #require(stay.property(named: "labels"))
        let request = DataStoreLinksRequest<Label>(
            links: try #require(Stays.schema.links(of: labels)), property: labels,
            identifiers: Stays.identifiers("Stay", 7), editingState: EditingState(id: UUID()))
        let query = try FetchSQL.selectLinked(
            request, columns: #"t."text""#, schema: Stays.schema, storeIdentifier: "S", dialect: PostgreSQLDialect())
        #expect(
            query.sql(for: PostgreSQLDialect()) == """
                SELECT t."text", l.owner, l.destination FROM "Stay.labels" AS l JOIN "Label" AS t \
                ON t."_rowid_" = l.destination WHERE l.owner = $1 ORDER BY l.owner, l.destination
                """)
        #expect(query.bindings == [.integer(7)])
    }

    /// Rows from other places than the tables.
    private struct EarlierTables: SQLTables {
        func rows(of table: String) -> SQLQuery? { table == "Stay" ? "earlier.stay" : nil }
        func links(of table: String) throws -> SQLQuery? { "earlier.links" }
        func join(_ table: String, as alias: String) -> SQLJoin? {
            SQLJoin(
                clause: { "JOIN earlier.host AS \(raw: alias) ON \(raw: alias).id = \($0)" },
                column: { "value(\(raw: alias), '\(raw: $0)')" })
        }
        func count(_ rows: SQLQuery) -> SQLQuery { "SELECT number \(rows)" }
    }

    @Test func otherTables() throws {
        let predicate = #Predicate<Stay> { $0.host?.name == "x" && $0.labels.count == 2 }
        let fetch = try FetchSQL(
            FetchDescriptor(predicate: predicate), schema: Stays.schema, storeIdentifier: "S", dialect: dialect,
            tables: EarlierTables())
        #expect(
            fetch.rows.sql == """
                FROM earlier.stay AS t JOIN earlier.host AS j1 ON j1.id = t."host" WHERE value(j1, 'name') = ? \
                AND (SELECT number FROM earlier.links AS l2 JOIN "Label" AS e2 ON e2."_rowid_" = l2.destination \
                WHERE l2.owner = t."_rowid_") = ?
                """)
        #expect(fetch.tableNames.sorted() == ["Host", "Label", "Stay"] && fetch.readsLinks && fetch.limit == nil)
    }

    @Test func columns() throws {
        let room = try #require(Stays.schema.entitiesByName["Room"])
        let penthouse = try #require(Stays.schema.entitiesByName["Penthouse"])
        let columns = ModelColumns(room, in: Stays.schema)
        #expect(columns.names == ["_rowid_", "number", "chronicle_entity", "windows"])
        #expect(
            columns.selection(PostgreSQLDialect()).sql
                == #"t."_rowid_", t."number", t."chronicle_entity", t."windows""#)
        #expect(columns.entityPosition == 2)
        #expect(columns.member(named: nil)?.entity === room && columns.member(named: nil)?.positions == [1])
        #expect(columns.member(named: "Penthouse")?.positions == [1, 3] && columns.member(named: "Stay") == nil)
        let own = ModelColumns(penthouse, in: Stays.schema)
        #expect(own.names == ["_rowid_", "number", "windows"] && own.entityPosition == nil)
        #expect(own.member(named: nil)?.entity === penthouse)
        #expect(
            try Stays.fetch(FetchDescriptor<Penthouse>()).rows.sql
                == #"FROM "Room" AS t WHERE (t."chronicle_entity" IS NOT NULL AND t."chronicle_entity" IN ('Penthouse'))"#
        )
        #expect(try Stays.fetch(FetchDescriptor<Room>()).identifierColumns.sql == #"t."_rowid_", t."chronicle_entity""#)
    }

    /// A source for predicates on transactions.
    private struct TransactionSource: PredicateSource {
        let dialect: any SQLDialect = PostgreSQLDialect()

        func operand(_ path: PredicateTree<HistoryProperty>.Path) throws -> SQLOperand {
            switch path.properties.last {
            case .author: return SQLOperand(sql: "h.author", type: .text, isOptional: true)
            case .transactionIdentifier: return SQLOperand(sql: "h.position", type: .integer)
            default: throw SwiftDataError.unsupportedPredicate.with(detail: "no column")
            }
        }
    }

    @Test func predicatesOnTransactions() throws {
        var translator = PredicateSQL(source: TransactionSource())
        let tree = try PredicateTree(
            #Predicate<DefaultHistoryTransaction> { $0.author != "app" && $0.transactionIdentifier > 7 })
        let condition = try #require(try translator.whereCondition(tree))
        #expect(
            condition.sql(for: PostgreSQLDialect())
                == "h.author IS DISTINCT FROM $1::text AND h.position > $2::bigint")
        let rest = try translator.whereCondition(tree) { if case .compare = $0 { true } else { false } }
        #expect(rest?.bindings == [.text("app")])
        let changes = try PredicateTree(#Predicate<DefaultHistoryTransaction> { $0.changes.isEmpty })
        let error = #expect(throws: SwiftDataError.self) { try translator.whereCondition(changes) }
        #expect(error == .unsupportedPredicate && error?.detail?.contains("changes") == true)
    }
}
