import Chronicle
import Testing

@testable import JournalStore

/// Pages of rows behave like a dictionary that is ordered by its keys.
@Suite struct RowPagesTests {
    private func agree(_ pages: RowPages, _ rows: [Int64: [PropertyValue]]) {
        #expect(pages.count == rows.count)
        #expect(Array(pages.keys) == rows.keys.sorted())
        #expect(pages.keys.allSatisfy { pages[$0] == rows[$0] })
    }

    @Test(arguments: 1...20)
    func pagesMatchADictionary(_ seed: UInt64) {
        var random = Generator(state: seed)
        var (pages, rows) = (RowPages(), [Int64: [PropertyValue]]())
        var next: Int64 = 1
        for number in 0..<200 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let new = (0..<Int.random(in: 1...300, using: &random)).map { [PropertyValue.integer(Int64($0))] }
                let isFree = pages.insert(new, from: next)
                #expect(isFree)
                for (offset, row) in new.enumerated() { rows[next + Int64(offset)] = row }
                next += Int64(new.count)
            case 1:
                let key = Int64.random(in: 1...next + 600, using: &random)
                let (row, old) = ([PropertyValue.integer(Int64(number))], pages[key])
                let before = pages.set(row, key)
                #expect(before == old && old == rows.updateValue(row, forKey: key))
                next = max(next, key + 1)
            default:
                for key in rows.keys.sorted().filter({ _ in Int.random(in: 0..<3, using: &random) == 0 }) {
                    let before = pages.set(nil, key)
                    #expect(before == rows.removeValue(forKey: key))
                }
            }
        }
        agree(pages, rows)
        // Not over another row.
        if let taken = rows.keys.min() {
            var copy = pages
            let isFree = copy.insert([[.null], [.null]], from: taken - 1)
            #expect(!isFree)
        }
        agree(pages, rows)
        for key in rows.keys { _ = pages.set(nil, key) }
        agree(pages, [:])
    }

    /// Returns the same numbers for the same seed.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }
}
