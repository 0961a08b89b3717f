import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@Suite("Metadata of transactions")
struct TransactionMetadataTests {
    /// The requests to save that a scripted store received.
    private final class Requests: Sendable {
        private let state = Mutex<[EditingState]>([])

        var metadata: [[String: String]] { state.withLock { $0.map(\.metadata) } }

        init(_ script: ScriptedStore.Script) {
            script.change { script in
                script.save = { request, result in
                    self.state.withLock { $0.append(request.editingState) }
                    return result
                }
            }
        }
    }

    @Test("A save has the metadata of the context at that time, until it is changed")
    func saves() throws {
        let hotels = try ScriptedContainer()
        let requests = Requests(hotels.script)
        #expect(hotels.context.transactionMetadata.isEmpty)
        try hotels.add(("a", 1))
        hotels.context.transactionMetadata = ["reason": "import"]
        hotels.context.insert(Hotel("b", stars: 1))
        hotels.context.transactionMetadata["request"] = "7"
        #expect(requests.metadata == [[:]])
        try hotels.context.save()
        try hotels.add(("c", 1))
        hotels.context.transactionMetadata = [:]
        try hotels.add(("d", 1))
        let both = ["reason": "import", "request": "7"]
        #expect(requests.metadata == [[:], both, both, [:]])
    }

    @Test("Metadata is not an unsaved change")
    func unchanged() throws {
        let hotels = try ScriptedContainer()
        let requests = Requests(hotels.script)
        hotels.context.transactionMetadata = ["reason": "import"]
        #expect(!hotels.context.hasChanges)
        try hotels.context.save()
        #expect(requests.metadata.isEmpty)
        hotels.context.insert(Hotel("a", stars: 1))
        hotels.context.rollback()
        #expect(hotels.context.transactionMetadata == ["reason": "import"])
    }

    @Test("Contexts have their own metadata")
    func contexts() throws {
        let hotels = try ScriptedContainer()
        let requests = Requests(hotels.script)
        let other = ModelContext(hotels.container)
        hotels.context.transactionMetadata = ["reason": "import"]
        other.insert(Hotel("a", stars: 1))
        try other.save()
        try hotels.add(("b", 1))
        #expect(requests.metadata == [[:], ["reason": "import"]])
    }

    @Test("A batch delete that the context performs has its metadata")
    func batchDelete() throws {
        let hotels = try ScriptedContainer()
        let requests = Requests(hotels.script)
        try hotels.add(("a", 1))
        hotels.context.transactionMetadata = ["reason": "cleanup"]
        try hotels.context.delete(model: Hotel.self)
        #expect(requests.metadata == [[:], ["reason": "cleanup"]])
    }

    @Test("A model keeps the metadata of its released context")
    func releasedContext() throws {
        let hotels = try ScriptedContainer()
        func insert() -> Hotel {
            let context = ModelContext(hotels.container)
            context.transactionMetadata = ["reason": "import"]
            let hotel = Hotel("a", stars: 1)
            context.insert(hotel)
            return hotel
        }
        let hotel = insert()
        #expect(hotel.modelContext?.transactionMetadata == ["reason": "import"])
    }

    @Test("Editing states without metadata")
    func defaults() {
        #expect(EditingState(id: UUID(), author: "a", contextName: "b").metadata.isEmpty)
    }
}
