import Chronicle
import ChronicleSQL
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Lists that exceed the number of parameters of a statement.
@Suite("Predicates: long lists")
struct LongListTests {
    /// 300 values are bound as one parameter if possible; 40,000 could not be bound individually.
    @Test("Numbers, text, and identifiers", arguments: PredicateFixture.all, [300, 40_000])
    func plain(_ fixture: PredicateFixture, count: Int) throws {
        let store = try SightStore(fixture)
        let ranks = Array(2..<count)
        let scores: [Int?] = (6..<count).map { $0 == 6 ? nil : $0 }
        let names = (0..<count).map { "\"name\" \\\n\u{1} \($0) é 🏰" } + ["Tower", "Ärger", "Park \u{10FFFF}"]
        let nul = names + ["Br\0idge%_"]
        let ids =
            [store.sights[3].persistentModelID]
            + (100..<count).map { number in
                PersistentIdentifier.Origin(storeIdentifier: number % 2 == 0 ? "" : "other", entityName: "Sight")
                    .identifier(Int64(number))
            }
        try store.agree(#Predicate<Sight> { ranks.contains($0.rank) })
        try store.agree(#Predicate<Sight> { !ranks.contains($0.rank) })
        try store.agree(#Predicate<Sight> { scores.contains($0.score) })
        try store.agree(#Predicate<Sight> { !scores.contains($0.score) })
        try store.agree(#Predicate<Sight> { names.contains($0.name) })
        try store.agree(#Predicate<Sight> { nul.contains($0.name) })
        try store.agree(#Predicate<Sight> { !nul.contains($0.name) })
        try store.agree(#Predicate<Sight> { ids.contains($0.persistentModelID) })
    }

    @Test("Blobs", arguments: PredicateFixture.all, [300, 40_000])
    func blobs(_ fixture: PredicateFixture, count: Int) throws {
        let store = try SightStore(fixture)
        let codes = (0..<count).map { _ in UUID() } + [store.sights[0].code, store.sights[2].code]
        let images = (0..<count).map { Data("\($0)".utf8) } + [Data("Tower".utf8), Data()]
        try store.agree(#Predicate<Sight> { codes.contains($0.code) })
        try store.agree(#Predicate<Sight> { images.contains($0.image) })
        try store.agree(#Predicate<Sight> { !images.contains($0.image) })
    }

    @Test("Reals match exactly", arguments: PredicateFixture.all, [300, 40_000])
    func reals(_ fixture: PredicateFixture, count: Int) throws {
        let store = try SightStore(fixture)
        let costs = (0..<count).map { Double($0) * 0.1 + 20 } + [.infinity, -.infinity, -0.0, .nan, 12.5, 1e300]
        try store.agree(#Predicate<Sight> { costs.contains($0.cost) })
        try store.agree(#Predicate<Sight> { !costs.contains($0.cost) })
    }

    /// Numbers that decimals of 15 or 17 digits do not always distinguish.
    @Test("Adjacent reals are distinguished")
    func neighbours() throws {
        let store = try SightStore()
        var numbers: [Double] = [.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 0.1, -0.1]
        var random = TestSeed.generator()
        for _ in 0..<300 {
            numbers.append(Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &random)))
        }
        let values = numbers.flatMap { [$0, $0.nextUp, $0.nextDown] }
        let list = SQLList(numbers.map { .real($0) })
        let operand = SQLOperand(sql: "column1", type: .real)
        let found = try store.store.database.read { connection in
            let condition = try #require(list.found(operand))
            let rows = values.map { "(\(value: .real($0)))" as SQLQuery }.joined(", ")
            let query: SQLQuery = "SELECT column1 FROM (VALUES \(rows)) WHERE \(condition)"
            let statement = try connection.prepare(query.sql)
            for (index, value) in query.bindings.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
            var found: [Double] = []
            while try statement.step() { found.append(statement.double(0)) }
            return found
        }
        let expected = Set(numbers)
        #expect(found == values.filter(expected.contains), "\(TestSeed.description)")
    }
}
