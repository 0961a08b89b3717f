import Chronicle
import Foundation
import Testing

/// Known differences between SQL and Swift, as documented in the guide *Writing Predicates*.
@Suite("Predicates: known limits")
struct LimitTests {
    private let store: SightStore

    init() throws { store = try SightStore() }

    private func names(_ predicate: Predicate<Sight>) throws -> [String] {
        try store.context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    }

    @Test("Operations that trap in Swift match nothing")
    func traps() throws {
        let zero = 0
        #expect(try names(#Predicate { $0.rank / zero == 0 }) == [])
        #expect(try names(#Predicate { $0.rank / zero != 0 }) == [])
        #expect(try names(#Predicate { !($0.rank % ($0.rank - $0.rank) > 1) }) == [])
        #expect(try names(#Predicate { $0.score! == 10 }) == ["Tower"])
        #expect(try names(#Predicate { $0.score! != 7 }) == ["Tower", "", "Bridge"])
        #expect(try names(#Predicate { !($0.score! < 10) }) == ["Tower"])
        #expect(try names(#Predicate { $0.region!.name == "North" }) == ["Bridge", "Park \u{10FFFF}"])
    }

    @Test("A sum that overflows matches nothing")
    func overflow() throws {
        let most = Int.max
        #expect(try names(#Predicate { $0.rank + most > most && $0.rank > 3 }) == [])
        #expect(try names(#Predicate { -most - 1 - $0.rank >= 0 }) == [])
    }

    @Test("Text is compared by Unicode scalars")
    func scalars() throws {
        let decomposed = "A\u{308}rger"
        #expect(decomposed == "Ärger")
        #expect(try names(#Predicate { $0.name == decomposed }) == [])
        #expect(try names(#Predicate { $0.name == "Ärger" }) == ["Ärger"])

        let (line, word) = (Sight("line\r\n"), Sight(decomposed))
        store.context.insert(line)
        store.context.insert(word)
        try store.context.save()
        // Swift treats CR LF as one character, and a letter with a combining mark as a character different from the
        // letter.
        let hasLineFeed = #Predicate<Sight> { $0.name.contains("\n") }
        #expect(try !hasLineFeed.evaluate(line) && names(hasLineFeed) == [line.name])
        let startsWithA = #Predicate<Sight> { $0.name.starts(with: "A") }
        #expect(try !startsWithA.evaluate(word) && names(startsWithA) == [decomposed])
    }
}
