import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// The JSON of the page.
struct TimelineBlockTests {
    private func json(_ value: (any Sendable)?, isLink: Bool = false) -> String {
        var json = JSONBytes()
        TimelineValues.append(value, isLink: isLink, to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    @Test func `encodes values`() throws {
        #expect(json(nil) == "null")
        #expect(json(nil, isLink: true) == #"{"none":1}"#)
        #expect(json(true) == "true")
        #expect(json(42) == "42")
        #expect(json(Int8(-3)) == "-3")
        // JavaScript would round it.
        #expect(json(Int64.max) == #""9223372036854775807""#)
        #expect(json(UInt64.max) == #""18446744073709551615""#)
        #expect(json(1.5) == "1.5")
        #expect(json(Double.nan) == #""nan""#)
        #expect(json(-Double.infinity) == #""-inf""#)
        #expect(json(Date(timeIntervalSince1970: 1.5)) == #"{"date":1500}"#)
        #expect(json(Date(timeIntervalSinceReferenceDate: .infinity)) == #"{"date":8640000000000000}"#)
        #expect(json(Date(timeIntervalSinceReferenceDate: .nan)) == #"{"date":0}"#)
        #expect(json(Data([1, 2, 3])) == #"{"bytes":3}"#)
        #expect(json("</script>\"\\\n\u{1}") == #""\u003c/script>\"\\\n\u0001""#)
        let model = PersistentIdentifier.Origin(storeIdentifier: "s", entityName: "Trip").identifier(7)
        #expect(json(model) == #"{"model":"Trip/7"}"#)
    }

    @Test(arguments: [(250, nil), (251, 251), (5_000, 5_000)] as [(Int, Int?)])
    func `shortens texts`(count: Int, length: Int?) {
        // Two bytes each.
        let shortened = TimelineValues.shortened(String(repeating: "é", count: count))
        #expect(shortened?.length == length)
        #expect(shortened.map { $0.text.unicodeScalars.count } == length.map { _ in 250 })
    }

    @Test func `contains no text that ends a script`() throws {
        var generator = TestSeed.generator(16)
        let schema = Schema()
        let pieces = ["<", "</script", "<!--", "-->", "\"", "\\", "\u{2028}", "\u{0}", "é", "👩‍👩‍👧", "\r\n", "'"]
        for _ in 0..<200 {
            func text() -> String { (0..<8).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined() }
            var block = TimelineBlock(schema)
            let model = PersistentIdentifier.Origin(storeIdentifier: "s", entityName: text()).identifier(1)
            let value = text(), author = text()
            let change = HistoryChange.update(
                of: model, updatedAttributeNames: [], changeIdentifier: 1, transactionIdentifier: 2,
                preservedValues: [PreservedValue(name: text(), previousValue: nil, value: value)], schema: schema)
            let transaction = DefaultHistoryTransaction(
                transactionIdentifier: 2, storeIdentifier: "s",
                token: DefaultHistoryToken(storeIdentifier: "s", position: 2, checkValue: 1), timestamp: .now,
                author: author, contextName: text(), bundleIdentifier: text(), processIdentifier: "1",
                metadata: [text(): text()], changes: [])
            try block.append(transaction, [change], isComplete: true)
            let json = Data(block.json.bytes)
            #expect(!json.contains(UInt8(ascii: "<")) && !json.contains(10), "\(TestSeed.description)")
            struct Read: Decodable { let authors: [String], entities: [Entity] }
            struct Entity: Decodable { let name: String }
            let read = try JSONDecoder().decode(Read.self, from: json)
            #expect(read.authors == [author] && read.entities.map(\.name) == [model.entityName])
        }
    }
}
