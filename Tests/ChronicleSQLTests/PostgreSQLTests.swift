import Chronicle
import ChronicleSQL
import Foundation
import Testing

/// Predicates in Swift next to the SQL of PostgreSQL. The tests of the PostgreSQL store evaluate it.
@Suite("PostgreSQL: generated SQL") struct PostgreSQLTests {
    private func expect<Model: PersistentModel>(
        _ predicate: Predicate<Model>, _ sql: String, _ values: [PropertyValue] = [],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try Stays.condition(predicate)
        #expect(found.sql == sql, sourceLocation: location)
        #expect(found.values == values, sourceLocation: location)
    }

    @Test func equality() throws {
        let (none, invalid): (String?, Double) = (nil, .nan)
        try expect(#Predicate<Stay> { $0.name == "x" }, #"t."name" = $1::text"#, [.text("x")])
        try expect(#Predicate<Stay> { $0.note == "x" }, #"t."note" = $1::text"#, [.text("x")])
        try expect(#Predicate<Stay> { $0.note != "x" }, #"t."note" IS DISTINCT FROM $1::text"#, [.text("x")])
        try expect(#Predicate<Stay> { $0.note == none }, #"t."note" IS NULL"#)
        try expect(#Predicate<Stay> { !($0.note == "x") }, #"t."note" IS DISTINCT FROM $1::text"#, [.text("x")])
        try expect(#Predicate<Stay> { $0.stars == $0.stars }, #"t."stars" IS NOT DISTINCT FROM t."stars""#)
        try expect(
            #Predicate<Stay> { $0.cost == $0.cost },
            #"(t."cost" = t."cost" AND t."cost" IS DISTINCT FROM 'NaN'::float8)"#)
        try expect(#Predicate<Stay> { $0.cost != invalid }, "-")
    }

    @Test func booleans() throws {
        try expect(#Predicate<Stay> { $0.isPaid }, #"t."isPaid" <> 0"#)
        try expect(#Predicate<Stay> { !$0.isPaid }, #"NOT (t."isPaid" <> 0)"#)
        try expect(
            #Predicate<Stay> { $0.isPaid == ($0.nights > 2) },
            #"t."isPaid" = (t."nights" > $1::bigint)::integer::bigint"#,
            [.integer(2)])
        try expect(#Predicate<Stay> { _ in false }, "FALSE")
        #expect(try Stays.fetch(FetchDescriptor<Stay>(predicate: #Predicate { _ in true })).condition == nil)
    }

    @Test func order() throws {
        try expect(#Predicate<Stay> { $0.name < "x" }, #"t."name" < $1::text COLLATE "C""#, [.text("x")])
        try expect(
            #Predicate<Stay> { $0.cost > 1 }, #"(t."cost" > $1::float8 AND t."cost" <= 'Infinity'::float8)"#, [.real(1)]
        )
        try expect(#Predicate<Stay> { $0.cost < 1 }, #"t."cost" < $1::float8"#, [.real(1)])
    }

    @Test func text() throws {
        let last = "\u{10FFFF}"
        try expect(#Predicate<Stay> { $0.name.contains("%") }, #"strpos(t."name", $1::text) > 0"#, [.text("%")])
        try expect(
            #Predicate<Stay> { $0.name.starts(with: "ab") },
            #"(t."name" >= $1::text COLLATE "C" AND t."name" < $2::text COLLATE "C")"#, [.text("ab"), .text("ac")])
        try expect(
            #Predicate<Stay> { $0.name.starts(with: last) }, #"t."name" >= $1::text COLLATE "C""#, [.text(last)])
        try expect(
            #Predicate<Stay> { $0.name.starts(with: $0.note ?? "") },
            #"starts_with(t."name", coalesce(t."note", $1::text))"#, [.text("")])
    }

    @Test(arguments: ["localizedStandardContains", "count the characters"])
    func unsupported(operation: String) {
        let predicate: Predicate<Stay> =
            operation.hasPrefix("count")
            ? #Predicate { $0.name.count > 2 }
            : #Predicate { $0.name.localizedStandardContains("x") }
        let error = #expect(throws: SwiftDataError.self) { try Stays.condition(predicate) }
        #expect(error == .unsupportedPredicate && error?.entityName == "Stay")
        #expect(error?.detail?.contains(operation) == true)
    }

    /// PostgreSQL's texts cannot contain U+0000, so a text with it equals no stored text and is part of none.
    @Test func unrepresentableTexts() throws {
        let (nul, other, texts) = ("a\0", "b\0", ["a\0", "b"])
        try expect(#Predicate<Stay> { $0.name == nul }, "FALSE")
        try expect(#Predicate<Stay> { $0.note != nul }, "-")
        try expect(#Predicate<Stay> { _ in nul == other }, "FALSE")
        try expect(#Predicate<Stay> { _ in nul == nul }, "-")
        try expect(#Predicate<Stay> { $0.name.contains(nul) || $0.name.starts(with: nul) }, "(FALSE OR FALSE)")
        try expect(#Predicate<Stay> { texts.contains($0.name) }, #"t."name" = ANY($1::text[])"#, [.text(#"{"b"}"#)])
        let error = #expect(throws: SwiftDataError.self) {
            try Stays.condition(#Predicate<Stay> { $0.name > nul })
        }
        #expect(error == .unsupportedPredicate && error?.detail?.contains("cannot store a captured value") == true)
    }

    @Test func lists() throws {
        let (nights, stars, costs) = ([1, 2], [3, nil], [0.5, .infinity, .nan])
        let (names, blobs) = (
            ["a\"b", "c\\d", "NULL", "{}"],
            [UUID](repeating: UUID(uuid: (0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), count: 1)
        )
        let none: [Int] = []
        try expect(
            #Predicate<Stay> { nights.contains($0.nights) }, #"t."nights" = ANY($1::bigint[])"#, [.text("{1,2}")])
        try expect(
            #Predicate<Stay> { stars.contains($0.stars) }, #"(t."stars" = ANY($1::bigint[]) OR t."stars" IS NULL)"#,
            [.text("{3}")])
        try expect(
            #Predicate<Stay> { costs.contains($0.cost) }, #"t."cost" = ANY($1::double precision[])"#,
            [.text("{0.5,inf}")])
        try expect(
            #Predicate<Stay> { names.contains($0.name) }, #"t."name" = ANY($1::text[])"#,
            [.text(#"{"a\"b","c\\d","NULL","{}"}"#)])
        try expect(#Predicate<Stay> { none.contains($0.nights) }, "FALSE")
        let found = try Stays.condition(#Predicate<Stay> { blobs.contains($0.address.key!) })
        #expect(found.sql.hasSuffix(" = ANY($1::bytea[])"))
        #expect(found.values == [.text(#"{"\\x00ff0000000000000000000000000001"}"#)])
    }

    @Test func relationships() throws {
        let host = Stays.identifiers("Host", 7).first!
        try expect(#Predicate<Stay> { $0.host?.persistentModelID == host }, #"t."host" = $1::bigint"#, [.integer(7)])
        try expect(#Predicate<Stay> { $0.host?.name == "x" }, #"j1."name" = $1::text"#, [.text("x")])
        try expect(
            #Predicate<Stay> { $0.guests.contains { $0.age > 3 } },
            #"EXISTS (SELECT 1 FROM "Guest" AS e1 WHERE e1."stay" = t."_rowid_" AND e1."age" > $1::bigint)"#,
            [.integer(3)])
        try expect(
            #Predicate<Stay> { $0.labels.count == 2 },
            """
            (SELECT count(*) FROM "Stay.labels" AS l1 JOIN "Label" AS e1 ON e1."_rowid_" = l1.destination \
            WHERE l1.owner = t."_rowid_") = $1::bigint
            """, [.integer(2)])
    }

    @Test func members() throws {
        try expect(
            #Predicate<Stay> { $0.address.city == "Rome" }, #"((t."address")::json ->> 'city'::text) = $1::text"#,
            [.text("Rome")])
        try expect(
            #Predicate<Stay> { $0.tags.contains("x") },
            """
            EXISTS (SELECT 1 FROM json_array_elements_text((SELECT CASE json_typeof(v) WHEN 'array' THEN v END \
            FROM (SELECT (t."tags")::json AS v OFFSET 0) AS o)) WITH ORDINALITY AS v1(value, key) \
            WHERE TRUE AND v1.value = $1::text)
            """, [.text("x")])
    }

    @Test func statements() throws {
        let dialect = PostgreSQLDialect(schemaName: "app")
        var descriptor = FetchDescriptor<Stay>(
            predicate: #Predicate { $0.host?.name == "x" },
            sortBy: [
                SortDescriptor(\.note), SortDescriptor(\.nights, order: .reverse),
                SortDescriptor(\.stars, order: .reverse),
            ])
        descriptor.fetchLimit = 3
        descriptor.fetchOffset = 2
        let rows =
            #"FROM "app"."Stay" AS t LEFT JOIN "app"."Host" AS j1 ON j1."_rowid_" = t."host" WHERE j1."name" = $1::text"#
        let order = #"t."note" COLLATE "C" NULLS FIRST, t."nights" DESC, t."stars" DESC NULLS LAST, t."_rowid_""#
        let fetch = try Stays.fetch(descriptor, dialect)
        #expect(
            fetch.identifiers.sql(for: dialect) == #"SELECT t."_rowid_" \#(rows) ORDER BY \#(order) LIMIT $2 OFFSET $3"#
        )
        #expect(fetch.count.sql(for: dialect) == "SELECT count(*) FROM (SELECT 1 \(rows) LIMIT $2 OFFSET $3) AS rows")
        #expect(
            fetch.delete.sql(for: dialect)
                == #"DELETE FROM "app"."Stay" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" \#(rows))"#)
        descriptor.fetchLimit = nil
        #expect(try Stays.fetch(descriptor, dialect).identifiers.sql(for: dialect).hasSuffix(" OFFSET $2"))
        let excluding = try Stays.fetch(FetchDescriptor<Host>(), excluding: Stays.identifiers("Host", 7, 7)).identifiers
        #expect(
            excluding.sql == #"SELECT t."_rowid_" FROM "Host" AS t WHERE NOT (t."_rowid_" = ?) ORDER BY t."_rowid_""#)
    }

    @Test func updates() throws {
        let request = DataStoreBatchUpdateRequest<Stay>(
            predicate: #Predicate { $0.isPaid },
            updates: [
                PropertyUpdate(\.name, to: "x"), PropertyUpdate(\.nights, to: \.nights + 1),
                PropertyUpdate(\.isPaid, to: #Expression { $0.nights > 2 }),
            ], editingState: EditingState(id: UUID()))
        let query = try Stays.fetch(FetchDescriptor(predicate: request.predicate)).update(
            request.values(in: Stays.schema))
        let sql = query.sql(for: PostgreSQLDialect())
        #expect(sql.hasPrefix(#"UPDATE "Stay" AS t SET "name" = $1, "nights" = (SELECT CASE WHEN v BETWEEN "#))
        #expect(sql.hasSuffix(#""isPaid" = (t."nights" > $3::bigint)::integer::bigint WHERE t."isPaid" <> 0"#))
        #expect(query.bindings == [.text("x"), .integer(1), .integer(2)])
    }

    @Test func propertyOutOfRange() {
        func name(_ value: String) -> String? {
            PostgreSQLDialect.propertyOutOfRange("invalid input syntax for type bigint: \"\(value)\"")
        }
        #expect(name("chronicle value out of range: nights 9223372036854775808") == "nights")
        #expect(name("chronicle value out of range: nights ") == "nights")
        #expect(name("x") == nil)
        #expect(PostgreSQLDialect.propertyOutOfRange("value out of range: overflow") == nil)
    }

    @Test func columnTypes() throws {
        let entity = try #require(Stays.schema.entitiesByName["Stay"])
        let types = entity.storedProperties.map { "\($0.name) \(PostgreSQLDialect().columnType(of: $0))" }
        #expect(
            types == [
                #"name text COLLATE "C""#, #"note text COLLATE "C""#, "nights bigint", "stars bigint",
                "cost double precision", "discount double precision", "isPaid bigint", #"price text COLLATE "C""#,
                #"tags text COLLATE "C""#, #"address text COLLATE "C""#, "host bigint",
            ])
    }
}
