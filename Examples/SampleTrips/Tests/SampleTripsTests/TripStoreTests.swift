import Chronicle
import Foundation
import SampleTrips
import Testing

/// The kind of a store, and the error if it is another one.
@Suite struct TripStoreTests {
    private func store(_ path: String) -> TripStore { TripStore(URL(fileURLWithPath: path)) }

    @Test func fileExtensionDeterminesTheKind() {
        #expect(store("/t/Trips.store").kind == .sqlite)
        #expect(store("/t/Trips").kind == .sqlite)
        #expect(store("/t.journal/Trips.db").kind == .sqlite)
        #expect(store("/t/Trips.journal").kind == .journal)
        #expect(store("/t/Trips.JOURNAL").kind == .journal)
        #expect(TripStore.standard.kind == .sqlite)
    }

    @Test func databasesHaveAddresses() {
        let store = TripStore("postgresql://anna:secret@db.example.org/trips")
        #expect(store.kind == .postgres)
        #expect(store.name == "the database db.example.org/trips")
        #expect(TripStore("Trips.store").kind == .sqlite)
    }

    @Test(arguments: StoreKind.files)
    func storeOfAnotherKindIsNotChanged(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        let directory = trips.store.url.deletingLastPathComponent().appending(path: "other")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for other in StoreKind.files where other != kind {
            let misnamed = TripStore(directory.appending(path: "Trips.\(other.fileExtension)"))
            try FileManager.default.copyItem(at: trips.store.url, to: misnamed.url)
            let bytes = try Data(contentsOf: misnamed.url)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()

            let error = #expect(throws: SwiftDataError.self) { try misnamed.open(author: nil) }
            #expect(error == .notADatabase)
            let explanation = try #require(error).explanation(misnamed)
            #expect(explanation.contains(".journal") && explanation.contains("It was left as it is."))
            #expect(try Data(contentsOf: misnamed.url) == bytes)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == files)
        }
        #expect(try trips.marked().isEmpty && trips.app.trips().map(\.name) == ["Rome"])
    }

    @Test(arguments: StoreKind.files)
    func misspelledPathCreatesNoFile(_ kind: StoreKind) throws {
        let trips = try TripsFixture(kind)
        let typo = TripStore(
            trips.store.url.deletingLastPathComponent().appending(path: "Typo.\(kind.fileExtension)"))
        let error = #expect(throws: Failure.self) { try typo.open(author: nil) }
        #expect(error?.description.contains("there is no store at") == true)
        #expect(!FileManager.default.fileExists(atPath: typo.url.path))
    }
}
