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
}
