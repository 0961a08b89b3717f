import Chronicle
import Testing

@Suite("Combinations of unique values")
struct CombinationsTests {
    private let rome: [PropertyValue] = [.text("Rome"), .integer(1)]
    private let oslo: [PropertyValue] = [.text("Oslo"), .integer(1)]

    @Test("Combinations keep their order and ignore repetitions")
    func order() {
        let combinations = DataStoreLookup.Combinations([rome, oslo, rome])
        #expect(Array(combinations) == [rome, oslo])
        #expect(combinations == [rome, oslo])
        #expect(combinations != [oslo, rome])
    }

    @Test("Combinations are found by their values")
    func membership() {
        let combinations: DataStoreLookup.Combinations = [rome, oslo]
        #expect(combinations.contains(oslo))
        #expect(combinations.firstIndex(of: oslo) == 1)
        #expect(!combinations.contains([.text("Rome"), .integer(2)]))
        #expect(combinations.firstIndex(of: [.text("Rome")]) == nil)
        #expect(!DataStoreLookup.Combinations([]).contains([]))
    }

    @Test("Values are compared by their stored bytes")
    func bytes() {
        // Equal as strings and as numbers.
        let combinations: DataStoreLookup.Combinations = [
            [.text("é")], [.text("e\u{301}")], [.real(0)], [.real(-0.0)], [.real(.nan)], [.real(.nan)],
        ]
        #expect(combinations.count == 5)
    }
}
