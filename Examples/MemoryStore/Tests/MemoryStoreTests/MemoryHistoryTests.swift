import Chronicle
import Foundation
import MemoryStore
import Testing

@Suite struct MemoryHistoryTests {
    private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    private let fixture: Fixture
    private let app: ModelContext
    private let widget: ModelContext

    init() throws {
        fixture = try Fixture()
        app = fixture.context("app")
        widget = fixture.context("widget")
        app.insert(Trip("Rome"))
        try app.save()
        try fixture.trip("Rome", in: widget)?.note = "umbrella"
        try widget.save()
        app.delete(try #require(try fixture.trip("Rome", in: app)))
        try app.save()
    }

    @Test func changesAreTypedByModel() throws {
        let history = try app.fetchHistory(Descriptor())
        #expect(history.map(\.author) == ["app", "widget", "app"])
        let changes = history.flatMap(\.changes)
        guard case .insert(let insert as DefaultHistoryInsert<Trip>) = changes[0],
            case .update(let update as DefaultHistoryUpdate<Trip>) = changes[1],
            case .delete(let delete as DefaultHistoryDelete<Trip>) = changes[2]
        else {
            Issue.record("\(changes)")
            return
        }
        #expect(insert.changedPersistentIdentifier == update.changedPersistentIdentifier)
        #expect(update.updatedAttributes == [\Trip.note])
        #expect(delete.tombstone[\.name] == "Rome" && delete.tombstone[\.start] == nil)
    }

    @Test func readingContinuesFromAToken() throws {
        let token = try #require(try app.fetchHistory(Descriptor()).first?.token)
        #expect(try app.fetchHistory(Descriptor.after(token)).map(\.author) == ["widget", "app"])
        let author = "app"
        let mine = Descriptor(predicate: #Predicate { $0.token > token && $0.author == author })
        #expect(try app.fetchHistory(mine).map(\.transactionIdentifier) == [3])
    }

    @Test func incompleteReadsThrow() throws {
        let tokens = try app.fetchHistory(Descriptor()).map(\.token)
        try app.deleteHistory(Descriptor.before(tokens[1]))
        #expect(throws: SwiftDataError.historyTokenExpired) { try app.fetchHistory(Descriptor.after(tokens[0])) }
        #expect(try app.fetchHistory(Descriptor.after(tokens[1])).map(\.token) == [tokens[2]])

        let ahead = DefaultHistoryToken(storeIdentifier: app.container.stores[0].identifier, position: 99)
        #expect(throws: SwiftDataError.historyTokenAhead) { try app.fetchHistory(Descriptor.after(ahead)) }
        let foreign = DefaultHistoryToken(storeIdentifier: "elsewhere", position: 1)
        #expect(throws: SwiftDataError.historyTokenStoreMismatch) { try app.fetchHistory(Descriptor.after(foreign)) }
        #expect(throws: SwiftDataError.historyTokenStoreMismatch) { try app.deleteHistory(Descriptor.before(foreign)) }
    }

    @Test func savesWithoutAnEffectAreNotRecorded() throws {
        app.insert(Trip("Oslo"))
        try app.save()
        let (one, other) = (fixture.context(), fixture.context())
        for context in [one, other] { context.delete(try #require(try fixture.trip("Oslo", in: context))) }
        try one.save()
        try other.save()
        #expect(try app.fetchHistory(Descriptor()).count == 5)
    }
}
