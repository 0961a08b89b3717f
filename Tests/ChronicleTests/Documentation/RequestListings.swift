import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listing of the guide about the author of a request.

struct Request {
    let user: String
    let identifier: String
    let trip: PersistentIdentifier
    let name: String
}

func handle(_ request: Request, _ container: ModelContainer) async throws {
    try await HistoryAuthor.withValue(request.user, metadata: ["request": request.identifier]) {
        try await renameTrip(request.trip, to: request.name, in: container)
    }
}

func renameTrip(_ identifier: PersistentIdentifier, to name: String, in container: ModelContainer) async throws {
    // A context without an author uses that of the request.
    let context = ModelContext(container)
    let trip = try context.existingModel(for: identifier, as: Trip.self)
    trip.name = name
    try context.save()
}

@Suite struct RequestListings {
    @Test func savesHaveTheAuthorOfTheRequest() async throws {
        let store = try TestStore(.inMemory)
        let trip = try store.add("Rome")[0].persistentModelID
        let request = Request(user: "alice", identifier: "7", trip: trip, name: "Paris")
        try await handle(request, store.container)
        let transaction = try #require(try store.history().last)
        #expect(transaction.author == "alice" && transaction.metadata == ["request": "7"])
    }
}
