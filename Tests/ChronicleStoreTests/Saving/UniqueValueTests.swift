import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Model private final class Moment {
    @Attribute(.unique) var date: Date
    var number: Int
    init(_ date: Date, _ number: Int) { (self.date, self.number) = (date, number) }
}

@Model private final class Word {
    @Attribute(.unique) var text: String
    var number: Int
    init(_ text: String, _ number: Int) { (self.text, self.number) = (text, number) }
}

/// Unique values that a round trip could change, or that Swift and the store could compare in different ways.
@Suite struct UniqueValueTests {
    /// Dates with all their bits, as far as the calendar and much farther.
    private func dates(_ count: Int) -> [Date] {
        var random = TestSeed.generator()
        var dates: Set<Date> = [.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0)]
        while dates.count < count {
            let bits = Double(bitPattern: random.next())
            let seconds =
                switch random.below(3) {
                case 0: bits.isFinite ? bits : 0
                case 1: Double(Int64(bitPattern: random.next())) / Double(1 << 30)
                default: Double(random.below(1_000_000_000)) + Double(random.below(1_000_000)) / 1e6
                }
            dates.insert(Date(timeIntervalSinceReferenceDate: seconds))
        }
        return Array(dates)
    }

    /// https://github.com/groue/GRDB.swift/issues/1227
    @Test(arguments: PredicateFixture.all) func datesAreExact(_ fixture: PredicateFixture) throws {
        let store = try fixture.open(Schema(Moment.self))
        let dates = dates(10_000)
        let context = store.context()
        for (number, date) in dates.enumerated() { context.insert(Moment(date, number)) }
        try context.save()
        func bits(_ dates: [Date]) -> [UInt64] { dates.map(\.timeIntervalSinceReferenceDate.bitPattern) }
        try store.read { context in
            let read = try context.fetch(FetchDescriptor<Moment>(sortBy: [SortDescriptor(\.number)]))
            #expect(bits(read.map(\.date)) == bits(dates), "\(TestSeed.description)")
            let sorted = try context.fetch(FetchDescriptor<Moment>(sortBy: [SortDescriptor(\.date)]))
            #expect(bits(sorted.map(\.date)) == bits(dates.sorted()), "\(TestSeed.description)")
            for (number, date) in dates.prefix(200).enumerated() {
                let found = try context.fetch(FetchDescriptor<Moment>(predicate: #Predicate { $0.date == date }))
                #expect(found.map(\.number) == [number], "\(date.timeIntervalSinceReferenceDate)")
            }
        }
        // Inserting a date that was read finds its row.
        let token = try context.currentHistoryToken()
        let other = store.context()
        for moment in try store.context().fetch(FetchDescriptor<Moment>()) {
            other.insert(Moment(moment.date, moment.number + 1))
        }
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<Moment>()) == dates.count)
        for change in try other.fetchHistory(.after(token)).flatMap(\.changes) {
            guard case .update(let update as DefaultHistoryUpdate<Moment>) = change else {
                Issue.record("\(change)")
                return
            }
            #expect(update.updatedAttributeNames == ["number"])
        }
    }

    private let composed = "\u{c4}rger"
    private let decomposed = "A\u{308}rger"

    private func words(_ store: PredicateFixture.OpenStore) throws -> [String: Int] {
        try store.read { context in
            Dictionary(
                try context.fetch(FetchDescriptor<Word>()).map { ("\(Array($0.text.utf8))", $0.number) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    private func expected(_ composed: Int, _ decomposed: Int) -> [String: Int] {
        ["\(Array(self.composed.utf8))": composed, "\(Array(self.decomposed.utf8))": decomposed]
    }

    /// Texts that Swift considers equal are two unique values, whether they are saved or not, and in all contexts.
    ///
    /// https://github.com/JohnEstropia/CoreStore/issues/349
    @Test(arguments: PredicateFixture.all) func equalTextsWithDifferentBytes(_ fixture: PredicateFixture) throws {
        #expect(composed == decomposed)
        let store = try fixture.open(Schema(Word.self))
        let (first, second) = (store.context(), store.context())
        first.insert(Word(composed, 1))
        try first.save()
        // One is saved, and the other one is not.
        second.insert(Word(decomposed, 2))
        for (text, number) in [(composed, 1), (decomposed, 2)] {
            let descriptor = FetchDescriptor<Word>(predicate: #Predicate { $0.text == text })
            #expect(try second.fetch(descriptor).map(\.number) == [number])
            #expect(try second.fetchCount(descriptor) == 1)
        }
        first.insert(Word(composed, 3))
        try second.save()
        #expect(second.lastSaveResult.mergedIdentifiers.isEmpty)
        try first.save()
        #expect(first.lastSaveResult.mergedIdentifiers.count == 1)
        #expect(try words(store) == expected(3, 2))
        // Both in one save, of which each updates its row.
        for word in [Word(decomposed, 4), Word(composed, 5)] { second.insert(word) }
        try second.save()
        #expect(second.lastSaveResult.mergedIdentifiers.count == 2)
        #expect(try words(store) == expected(5, 4))
        // Changing one to the other is a conflict.
        let text = composed
        let word = try #require(try first.fetch(FetchDescriptor<Word>(predicate: #Predicate { $0.text == text })).first)
        word.text = decomposed
        #expect(word.hasChanges)
        #expect(throws: SwiftDataError.uniquenessViolation) { try first.save() }
        first.rollback()
        #expect(try words(store) == expected(5, 4))
    }

    @Test(arguments: PredicateFixture.all) func sectionsOfEqualTexts(_ fixture: PredicateFixture) throws {
        let store = try fixture.open(Schema(Word.self))
        let context = store.context()
        context.insert(Word(composed, 1))
        let observer = try ResultsObserver<Word, String>(sectionBy: \.text, modelContext: context)
        try context.save()
        for state in ["unsaved", "saved"] {
            if state == "unsaved" { context.insert(Word(decomposed, 2)) } else { try context.save() }
            let sections = try #require(observer.sections)
            // In the order of their bytes.
            #expect(sections.map { $0.map(\.number) } == [[2], [1]], "\(state)")
            #expect(sections[sectionTitle: composed]?.map(\.number) == [1], "\(state)")
            #expect(sections[sectionTitle: decomposed]?.map(\.number) == [2], "\(state)")
        }
        let text = decomposed
        let filtered = try ResultsObserver<Word, Never>(
            filterBy: #Predicate { $0.text == text }, modelContext: context)
        #expect(filtered.results.map(\.number) == [2])
        let word = try #require(try context.fetch(FetchDescriptor<Word>(sortBy: [SortDescriptor(\.number)])).first)
        word.text = "other"
        #expect(filtered.results.map(\.number) == [2])
        filtered.results[0].text = composed
        #expect(filtered.results.isEmpty)
    }
}
