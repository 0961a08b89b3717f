import Chronicle
import ChronicleSQL
import Foundation
import Testing

@Suite("SQL queries: segments and values") struct SQLQueryTests {
    @Test func valuesAreParameters() {
        let name = "Robert'); DROP TABLE Trip;--"
        let condition: SQLQuery = "\(name: "na\"me") = \(value: .text(name)) OR \(raw: "t.id") = \(value: .integer(7))"
        #expect(condition.sql == #""na""me" = ? OR t.id = ?"#)
        #expect(condition.sql(for: PostgreSQLDialect()) == #""na""me" = $1 OR t.id = $2"#)
        #expect(condition.bindings == [.text(name), .integer(7)])
    }

    /// A question mark in a name, a literal or a value is not a parameter.
    @Test func questionMarksAreNotParameters() {
        let part: SQLQuery = "\(name: "why?") = '?' AND x = \(value: .text("?"))"
        let query: SQLQuery = "é🏰 ? \(part) OR \(part) OR y = \(value: .real(0.5))"
        #expect(
            query.sql(for: PostgreSQLDialect())
                == #"é🏰 ? "why?" = '?' AND x = $1 OR "why?" = '?' AND x = $2 OR y = $3"#)
        #expect(query.sql(for: QuestionMarks()) == query.sql)
    }

    private struct QuestionMarks: TestDialect {}

    @Test(arguments: [0, 1, 2, 12]) func listsOfParameters(count: Int) {
        let values = (0..<count).map { PropertyValue.integer(Int64($0)) }
        let list = SQLQuery(values: values)
        let numbers = (0..<count).map { "$\($0 + 1)" }.joined(separator: ", ")
        #expect(list.sql(for: PostgreSQLDialect()) == numbers && list.bindings == values)
        let rows = SQLQuery(rows: values.map { [$0, $0] })
        let pairs = (0..<count).map { "($\($0 * 2 + 1), $\($0 * 2 + 2))" }.joined(separator: ", ")
        #expect(rows.sql(for: PostgreSQLDialect()) == pairs)
        #expect(rows.bindings == values.flatMap { [$0, $0] })
    }

    @Test func longChainsAreNested() {
        let terms = (0..<100).map { "x = \(value: .integer(Int64($0)))" as SQLQuery }
        let chain = terms.chained(" OR ")
        #expect(chain.sql.hasPrefix("(x = ? OR x = ? OR x = ? OR x = ?) OR ("))
        #expect(chain.bindings == (0..<100).map { .integer($0) })
        #expect(Array(terms.prefix(3)).chained(" OR ").sql == "x = ? OR x = ? OR x = ?")
    }

    @Test func equality() {
        let (a, b): (SQLQuery, SQLQuery) = ("x = \(value: .integer(1))", "x = \(value: .integer(2))")
        #expect(a != b && a != "x = ?" && a == "x = \(value: .integer(1))")
        #expect(Set([a, b, a]).count == 2)
    }
}
