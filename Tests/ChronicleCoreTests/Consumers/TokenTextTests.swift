import Chronicle
import ChronicleTestSupport
import Testing

/// Positions as texts, for URLs and command lines.
@Suite struct TokenTextTests {
    @Test func textsAreRead() throws {
        var random = TestSeed.generator()
        for _ in 0..<1_000 {
            let position = Int64.random(in: 0 ... .max >> Int64.random(in: 0...62, using: &random), using: &random)
            let check =
                Bool.random(using: &random) ? Int64(bitPattern: random.next() >> UInt64.random(in: 0...63)) : nil
            let token = DefaultHistoryToken(storeIdentifier: "S", position: position, checkValue: check)
            let text = token.text(in: "S")
            let read = try #require(DefaultHistoryToken(text: text, storeIdentifier: "S"))
            #expect(read == token && read.checkValue(in: "S") == check, "\(text) \(TestSeed.description)")
        }
    }

    @Test func aTextHasOneForm() {
        let token = DefaultHistoryToken(storeIdentifier: "S", position: 6, checkValue: 0xC0FFEE)
        #expect(token.text(in: "S") == "6-0000000000c0ffee")
        #expect(token.text(in: "T") == "0")
    }

    @Test(arguments: [
        "", "-", "a", "-6", "+6", "06", "6-", "6-0", "6-00000000c0ffee00c0ffee", "6-+000000000c0ffee",
        "6-0000000000C0FFEE",
        "6-0000000000c0ffee-0", "6 ", "٦", "9223372036854775808", "6-000000000000000g",
    ])
    func otherTextsAreNoPositions(_ text: String) {
        #expect(DefaultHistoryToken(text: text, storeIdentifier: "S") == nil)
    }
}
