import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite struct HistorySealTests {
    private static let hash = "txSlOprHyBfCA6XM0i-Id0B6lJY3NRfiqQwZJbnYWYw"

    @Test func text() throws {
        let seal = try #require(HistorySeal("2:\(Self.hash)"))
        #expect(seal.position == 2 && seal.hash.count == 32 && seal.hash.first == 0xb7 && seal.hash.last == 0x8c)
        #expect(seal.description == "2:\(Self.hash)")
        #expect(seal == HistorySeal(position: 2, hash: seal.hash))
        let longest = try #require(HistorySeal(position: .max, hash: seal.hash))
        #expect(longest.description.count == 63 && HistorySeal(longest.description) == longest)
        #expect(HistorySeal("0:\(Self.hash)")?.position == 0)
    }

    @Test(arguments: [
        "", ":", "2", "2:", ":\(hash)", "\(hash):2", "2:\(hash)=", "2:\(hash):", "2:\(hash):2", "02:\(hash)",
        "+2:\(hash)",
        "-2:\(hash)", " 2:\(hash)", "2:\(hash)\n", "2 :\(hash)", "2: \(hash)", "\u{feff}2:\(hash)",
        "9223372036854775808:\(hash)",
        "２:\(hash)", "2：\(hash)", "2:\(hash.dropLast())", "2:\(hash)A", "2:\(hash.dropLast())x",
        "2:\(hash.dropLast())+",
        "2:\(hash.replacing("-", with: "+"))", "2:\(hash.replacing("-", with: "!"))",
        "2:\(hash.replacing("t", with: "t\u{301}"))",
        "2:\(hash.replacing("p", with: "р"))", "2:\(hash.dropLast(2))\u{0}w",
    ])
    func otherSpellings(_ text: String) throws {
        #expect(HistorySeal(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(HistorySeal.self, from: JSONEncoder().encode(text))
        }
    }

    @Test func json() throws {
        let seal = try #require(HistorySeal("2:\(Self.hash)"))
        let json = try JSONEncoder().encode([seal])
        #expect(String(decoding: json, as: UTF8.self) == #"["2:\#(Self.hash)"]"#)
        #expect(try JSONDecoder().decode([HistorySeal].self, from: json) == [seal])
    }

    @Test func invalidParts() {
        #expect(HistorySeal(position: -1, hash: Data(count: 32)) == nil)
        #expect(HistorySeal(position: 1, hash: Data(count: 31)) == nil)
        #expect(HistorySeal(position: 1, hash: Data()) == nil)
        // A slice, whose first index is not 0.
        #expect(HistorySeal(position: 1, hash: Data(count: 40)[4..<36])?.hash.first == 0)
    }

    @Test(arguments: UInt64(1)...200)
    func randomHeads(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let hash = Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &random) })
        let seal = try #require(HistorySeal(position: .random(in: 0...(.max), using: &random), hash: hash))
        #expect(HistorySeal(seal.description) == seal)
        // Every other last character has the same bits that count, or others.
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        for character in alphabet where character != seal.description.last {
            #expect(HistorySeal(seal.description.dropLast() + String(character)) != seal)
        }
    }
}
