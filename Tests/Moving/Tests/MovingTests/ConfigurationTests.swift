import Configurations
import Foundation
import SwiftData
import Testing

/// One class of models in two stores, and another class in a third.
@Suite struct ConfigurationTests {
    private static func entries(_ days: ClosedRange<Int>) -> [Entry] {
        days.map { Entry(text: "day \($0)", date: Date(timeIntervalSinceReferenceDate: Double($0) * 86_400)) }
    }

    @Test func aFetchMergesTheStores() throws {
        let folder = try TemporaryFolder()
        try JournalContainer.archive(Self.entries(1...3), in: folder.url)
        let journal = try JournalContainer(directory: folder.url)
        #expect(Set(journal.container.configurations.map(\.name)) == ["current", "archive", "templates"])
        let context = ModelContext(journal.container)
        Self.entries(4...5).forEach { context.insert($0) }
        context.insert(Template(title: "Travel"))
        try context.save()
        #expect(try journal.latest(4) == ["day 5", "day 4", "day 3", "day 2"])
        #expect(try journal.latest(2, skipping: 2) == ["day 3", "day 2"])
        #expect(try context.fetchCount(FetchDescriptor<Entry>()) == 5)

        // New models belong to the first store, and others stay where they are.
        let name = journal.container.configurationName(forStoreIdentifier:)
        let stores = try context.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.date)]))
            .map { $0.persistentModelID.storeIdentifier.flatMap(name) }
        #expect(stores == ["archive", "archive", "archive", "current", "current"])
    }

    @Test func theHistoryOfAllStoresIsReadInALoop() throws {
        let folder = try TemporaryFolder()
        try JournalContainer.archive(Self.entries(1...1), in: folder.url)
        let container = try JournalContainer(directory: folder.url).container
        let context = ModelContext(container)
        var token: DefaultHistoryToken?
        var counts: [Int] = []
        for day in 2...4 {
            Self.entries(day...day).forEach { context.insert($0) }
            context.insert(Template(title: "\(day)"))
            try context.save()
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
            if let token { descriptor.predicate = #Predicate { $0.token > token } }
            let transactions = try context.fetchHistory(descriptor)
            token = transactions.last?.token
            counts.append(transactions.flatMap(\.changes).count)
        }
        #expect(counts == [3, 2, 2])
    }
}
