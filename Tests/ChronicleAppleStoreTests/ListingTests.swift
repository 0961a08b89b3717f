import Chronicle
import ChronicleAppleStore
import ChronicleTestSupport
import Foundation
import Testing

@Suite("Listings of the documentation")
struct ListingTests {
    @Test func readsModelsAndHistory() throws {
        let url = try AppleTrips.write(to: TemporaryDirectory())
        let container = try ModelContainer(
            for: Trip.self, BusinessTrip.self, Stop.self, Person.self,
            configurations: AppleStoreConfiguration(url: url))
        let context = ModelContext(container)
        let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Rome" }))
        let transactions: [DefaultHistoryTransaction] = try context.fetchHistory(
            HistoryDescriptor(predicate: #Predicate { $0.author == "widget" }))
        let names = transactions.flatMap { $0.updates(of: Trip.self) }.flatMap(\.updatedAttributeNames)
        #expect(trips.count == 1)
        #expect(names == ["name", "rating"])
    }

    @Test func convertsOnce() throws {
        let folder = try TemporaryDirectory()
        let (old, new) = (try AppleTrips.write(to: folder), folder.file("trips.store"))
        let schema = Schema([Trip.self, BusinessTrip.self, Stop.self, Person.self])
        if !FileManager.default.fileExists(atPath: new.path) {
            let source = try AppleStore(AppleStoreConfiguration(schema: schema, url: old), migrationPlan: nil)
            let conversion = try source.convert(to: new)
            for omission in conversion.omissions { print(omission.subject, omission.detail) }
        }
        let container = try ModelContainer(for: schema, configurations: ModelConfiguration(url: new))
        let context = ModelContext(container)
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 3)
        #expect(try unread(after: "4", context).map(\.author) == [nil, "sync"])
        #expect(try unread(after: "7", context).isEmpty)
    }

    private func unread(after number: String, _ context: ModelContext) throws -> [DefaultHistoryTransaction] {
        let key = HistoryReplayStep.MetadataKey.transaction.rawValue
        let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: #Predicate { $0.metadata[key] == number })
        guard let last = try context.fetchHistory(descriptor).first else { return [] }
        let unread = try context.fetchHistory(.after(last.token))
        return unread
    }
}
