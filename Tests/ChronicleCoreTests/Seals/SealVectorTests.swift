import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The values are the output of `Tests/Fixtures/seal-vectors.py`, which is written from the article alone.
@Suite struct SealVectorTests {
    private let hashing = ReferenceHashing()
    private let store = Array("9E02C1D4-0000-4000-8000-000000000001".utf8)

    private func key(_ byte: UInt8) throws -> HistoryDigest {
        try #require(HistoryDigest([UInt8](repeating: byte, count: 32)))
    }

    /// The seal of the vector in the article, with the hash that is expected.
    private func expectFirstSeal() throws -> HistoryDigest {
        let value = try "Oslo".withRawText {
            try hashing.commitment(toAttribute: 0, before: .null, after: .text($0), key: key(1))
        }
        expect(value, "ea4664c24d9e1d81f2f9c90d4db93b008cb142c1bbf73aaf61e75b8bd6cb8581")
        var description = SealedDescription(time: 785548800.25)
        description.author = Array("ann".utf8)
        description.program = Array("app".utf8)
        description.process = Array("71".utf8)
        description.metadata = [(Array("reason".utf8), Array("import".utf8))]
        let author = try description.commitment(key: key(2), hashing)
        expect(author, "2dace1717199a3460952271d3a546f6199021d9d14f63061fa7ada70c164920b")
        var transaction = SealedTransaction(
            position: 2, checkValue: -811, kind: .ordinary, description: author, first: 1, hashing)
        transaction.append(.insert, at: 1, entity: 3, key: .integer(7), attributes: [])
        transaction.append(attribute: 0, commitment: value)
        let hash = try transaction.finish()
        expect(hash, "9a8cad75b7e813a84dcef3cdedb66e911e363b8b1641c8c4815dc71f7673ebfb")
        let catalog = SealedCatalog(
            entities: [.init(number: 3, name: Array("Trip".utf8))],
            attributes: [
                .init(entity: 3, number: 0, name: Array("name".utf8), type: Array("String".utf8), isPresent: true)
            ])
        let names = try SealedCatalog.hash(catalog.bytes, hashing)
        expect(names, "4193ce8d699b7d990f2daab58b06f1eb0fe1aa1dcc5708450cf713999d397064")
        var event = SealedEvent(number: 1, kind: Array("begun".utf8), time: 785548800.5, detail: Array("{}".utf8))
        (event.author, event.program, event.process) = (description.author, description.program, description.process)
        let begun = try event.hash(hashing)
        expect(begun, "82aabdb5c744507c7ad11d82aafec20aab1182d4c51896b099bdb4ec111730c6")
        var seal = SealContent(
            store: store, number: 1, previous: .zero, last: 2, lastCheck: -811, time: 785548801, catalog: names)
        seal.append(position: 2, hash: hash)
        seal.events = [(1, begun)]
        let head = try seal.hash(hashing)
        expect(head, "b714a53a9ac7c817c203a5ccd22f8877407a9496373517e2a90c1925b9d8598c")
        return head
    }

    private func expect(_ digest: HistoryDigest, _ hex: String, _ location: SourceLocation = #_sourceLocation) {
        expect(Array(digest.data), hex, location)
    }

    private func expect(_ bytes: [UInt8], _ hex: String, _ location: SourceLocation = #_sourceLocation) {
        let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text == hex, sourceLocation: location)
    }

    @Test func vectorOfTheArticle() throws {
        let head = try expectFirstSeal()
        #expect(
            HistorySeal(position: 2, hash: head.data)?.description == "2:txSlOprHyBfCA6XM0i-Id0B6lJY3NRfiqQwZJbnYWYw")
    }

    @Test func everyForm() throws {
        let (composed, decomposed) = (Array("\u{e9}".utf8), Array("e\u{301}".utf8))
        let first = try "a\0b".withRawText {
            try hashing.commitment(toAttribute: 61, before: .real(-0.0), after: .text($0), key: key(1))
        }
        expect(first, "3c64e7d39b6e403ad427e29cfc6c928ea6feb1ec3f4dbf14c9da07523d18be47")
        let second = try "".withRawText {
            try hashing.commitment(toAttribute: 30_999, before: .null, after: .binary($0), key: key(3))
        }
        expect(second, "f44d8781b33c0b30de3415ef386839504064222a4b259cb21d0adc40e263f1df")
        let third = try hashing.commitment(
            toAttribute: 4, before: .entity(7), after: .real(-Double.signalingNaN), key: key(4))
        expect(third, "f6cb8ffa164d8321503f95dbbe13d73a137305cad65952508d490ae55b7adefd")
        let fourth = try [UInt8(0xff)].withUnsafeBytes {
            try hashing.commitment(toAttribute: 5, before: .text($0), after: .integer(.min), key: key(5))
        }
        expect(fourth, "04b8868851bf4fdcae76b2b3ebc30d701f190cf897cef7720a8883ba49029b52")
        let numbered = try "x".withRawText {
            try hashing.commitment(toKeyOf: 9, columns: [.text($0), .integer(1), .null], key: key(6))
        }
        expect(numbered, "4e457350b4ff6b189f70643e6e9150fc38b445f56d2502cbcc3c96d38fbcbed6")

        var description = SealedDescription(time: -1.5)
        (description.serverTime, description.author, description.context) = (2.5, composed, [])
        description.process = Array("71".utf8)
        description.metadata = [(composed, Array("2".utf8)), (decomposed, Array("1".utf8)), (Array("a".utf8), [])]
        let author = try description.commitment(key: key(7), hashing)
        expect(author, "47bd79d4bc7b3b81068e407ffc8299741e86fa2119e33b62e98e5c14bc563172")
        var transaction = SealedTransaction(
            position: 100, checkValue: .min, kind: .external, description: author, first: 90, hashing)
        transaction.append(.update, at: 90, entity: 3, key: .integer(-7), attributes: [0, 62, 30_999])
        transaction.append(attribute: 61, commitment: first)
        transaction.appendSlotWithoutValue()
        transaction.append(attribute: 30_999, commitment: second)
        transaction.append(.delete, at: 95, entity: 9, key: .numbered(12, numbered), attributes: [])
        transaction.append(attribute: 4, commitment: third)
        transaction.append(.insert, at: 99, entity: 3, key: .integer(1 << 62), attributes: [])
        let hash = try transaction.finish()
        expect(hash, "766e34d0c752df97b4d7480c702571ddea1f25de2131e3f6ab657a7a4e74abe3")
        let void = try SealedTransaction.void(position: 101, checkValue: 5, hashing)
        expect(void, "c78182d70f2f2705e662a5ef06df3b1e845fbed8c44bbab13f171f370dfc7dc3")

        let catalog = SealedCatalog(
            entities: [
                .init(
                    number: 9, name: decomposed, superentity: 3, table: Array("t".utf8),
                    keyColumns: [Array("a".utf8), Array("b".utf8)]),
                .init(number: 3, name: Array("Base".utf8)),
            ],
            attributes: [
                .init(entity: 9, number: 0, name: Array("x".utf8), destination: Array("Base".utf8), isPresent: false),
                .init(entity: 3, number: 1, name: Array("other".utf8), isPresent: true),
                .init(entity: 3, number: 0, name: Array("name".utf8), type: Array("String".utf8), isPresent: true),
            ])
        let names = try SealedCatalog.hash(catalog.bytes, hashing)
        expect(names, "b886b81a63f72b8d0edd923128e32e3d6306797ed148705dfa01fe8b95f06170")
        let events = try expectEvents(composed)
        var seal = SealContent(
            store: store, number: 2, previous: try expectFirstSeal(), last: 101, lastCheck: 5, time: 2, catalog: names)
        seal.append(position: 100, hash: hash)
        seal.append(position: 101, hash: void)
        seal.events = events.reversed()
        expect(try seal.hash(hashing), "b533aff0e3177293951874039419fe2fd7475e786ff06e3c68f4f822b4566856")
    }

    private func expectEvents(_ author: [UInt8]) throws -> [(number: Int64, hash: HistoryDigest)] {
        let single = try SealedEvent.content(erasing: [[1], [5]], hashing)
        expect(single, "0000000000000002dedcc92ab790210dbcb6243629ce697fbf614dcce07e1b4a3cf4451741df3b1a")
        let triple = try SealedEvent.content(erasing: [[1, 2, 3], [1, 2, 4]], hashing)
        expect(triple, "0000000000000002c0c4dbddbf2ca015242abef6853bd526055a48cb367748e9a8cebedf3a858115")
        var erasure = SealedEvent(number: 7, kind: Array("erasure".utf8), time: 0.5, detail: Array(#"{"a":1}"#.utf8))
        erasure.parts = [(2, single), (1, SealedEvent.content(deleting: [0, 9], of: 10))]
        let seventh = try erasure.hash(hashing)
        expect(seventh, "697d9b673e75b5e0f5eb47a745a599841e546cd154232b087ac1e748f3030c5d")
        var emptied = SealedEvent(number: 8, kind: Array("emptied".utf8), time: 0.75, detail: Array("{}".utf8))
        (emptied.author, emptied.program, emptied.process) = (author, Array("app".utf8), Array("71".utf8))
        emptied.parts = [(1, triple)]
        let eighth = try emptied.hash(hashing)
        expect(eighth, "67a16be949976d9c18649060073c1085068d0bde4db389026cb4204171534e56")
        return [(7, seventh), (8, eighth)]
    }

    /// Parts longer than the buffer, in every position relative to its end.
    @Test(arguments: [1, 4_000, 4_063, 4_064, 4_065, 4_096, 4_097, 10_000])
    func longValues(_ count: Int) throws {
        let bytes = [UInt8](repeating: 7, count: count)
        func integer(_ number: Int) -> [UInt8] { withUnsafeBytes(of: Int64(number).bigEndian) { Array($0) } }
        let label = Array("chr1:value".utf8) + [UInt8](repeating: 0, count: 6)
        let input = label + integer(1) + [3] + integer(count) + bytes + [4] + integer(count) + bytes
        let function = hashing.authenticationCode(key: try key(1))
        input.withUnsafeBytes { function.update($0) }
        let hash = try bytes.withUnsafeBytes {
            try hashing.commitment(toAttribute: 1, before: .text($0), after: .binary($0), key: key(1))
        }
        #expect(try hash == function.finish())
    }

    @Test func entriesOutsideOfTheListAreNotDeleted() {
        #expect(SealedEvent.content(deleting: [7, 8, 16], of: 9) == [128, 1])
        #expect(SealedEvent.content(deleting: [], of: 0).isEmpty)
    }

    @Test func digestsHave32Bytes() throws {
        #expect(HistoryDigest([UInt8](repeating: 0, count: 31)) == nil)
        #expect(HistoryDigest([UInt8](repeating: 0, count: 33)) == nil)
        let bytes = (0..<32).map { UInt8($0) }
        #expect(try #require(HistoryDigest(bytes)).data == Data(bytes))
        let keys = Set((0..<100).map { _ in HistoryDigest.randomKey() })
        #expect(keys.count == 100 && !keys.contains(.zero))
    }
}

extension String {
    fileprivate func withRawText<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Array(utf8).withUnsafeBytes(body)
    }
}
