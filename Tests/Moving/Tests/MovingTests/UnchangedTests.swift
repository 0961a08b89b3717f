import Foundation
import SwiftData
import Testing
import Trips

@Suite struct UnchangedTests {
    @MainActor @Test func modelsCompileAndWork() throws {
        #expect(
            try Library.inventory() == [
                #"["JD"]"#, "1", #"["Walk"] [Trips.Medium.audio(minutes: 3)] [Trips.Rating.good] [1.0 kg]"#,
                #"["b true"]"#,
            ])
    }

    @Test func declarationsCompileAndWork() throws {
        #expect(
            try Catalog.lines() == [
                #"a Road map of Italy 4 onSale ["a", "map"]"#, #"b City map 2 onSale ["b", "map"]"#, #"["Maps"] 36"#,
            ])
    }

    @Test func relationshipsCompileAndWork() throws {
        #expect(
            try Packing.lines() == [
                "full", "not empty", "1 Café crème", "0 2", "Book of Ada, open", "Café crème of Charles",
                "Hat of Ada, open",
            ])
    }

    @Test func modelLayerWorks() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: directory) } catch { Issue.record(error) } }
        let container = try TripStore.container(at: directory.appendingPathComponent("Trips.store"))
        var history = TripHistory(modelContainer: container)
        let store = TripStore(modelContainer: container)

        let trip = Trip(name: "Honeymoon", destination: "Rome")
        trip.bucketList = [BucketListItem(title: "Forum", isInPlan: true), BucketListItem(title: "Pantheon")]
        trip.livingAccommodation = LivingAccommodation(
            placeName: "Albergo", address: .init(street: "Via", city: "Rome"))
        try store.add(trip)
        #expect(try history.news() == ["app added a trip"])

        let importer = TripImporter(modelContainer: container)
        let imported = try await importer.importTrips(named: ["Spring", "Autumn"], to: "Rome")
        try await importer.rename(imported[0], to: "Summer")
        #expect(try store.trips(to: "Rome").map(\.name) == ["Autumn", "Honeymoon", "Summer"])
        #expect(try store.trips(to: "Rome", after: Date(timeIntervalSinceNow: -3600)).map(\.name) == ["Honeymoon"])
        #expect(try store.tripsWithPlans() == 1)
        #expect(store.file?.lastPathComponent == "Trips.store")
        #expect(try await TripImporter(inMemory: "other").importTrips(named: ["Other"], to: "Oslo").count == 1)

        let item = try #require(trip.bucketList.first)
        item.complete()
        #expect(try store.item(item.id) === item && item.trip === trip)
        try store.delete(trip)
        #expect(try store.item(item.id) == nil)
        #expect(
            try history.news() == [
                "importer added a trip", "importer added a trip", "importer renamed a trip", "app deleted Honeymoon",
            ])
    }
}
