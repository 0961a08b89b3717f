import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Replicas whose history has consumers, and whose source changes its schema.
@Suite struct ReplicaUseTests {
    @Test(arguments: StoreKind.allCases)
    func aConsumerOfAReplicaReceivesEachTransactionOnce(_ kind: StoreKind) throws {
        let source = try TestStore(kind, [Trip.self], preservesValues: true)
        let replica = try TestStore(kind, [Trip.self], preservesValues: true)
        let consumer = try replica.container.historyConsumer(named: "index", startingNewAt: .beginning)
        var received: [String] = []
        func receive() throws {
            while let batch = try consumer.nextBatch() {
                guard case .changes(let transactions) = batch.content else {
                    Issue.record("\(batch.content)")
                    return
                }
                for transaction in transactions {
                    let names = transaction.changes.flatMap(\.preservedValues).filter { $0.name == "name" }
                    received.append("\(transaction.author ?? "-"): \(names.compactMap { $0.value as? String })")
                }
                try consumer.acknowledge(batch)
            }
        }
        let context = source.context(author: "ann")
        try source.add("a", "b", in: context)
        let first = try ReplicaHarness.export(source)
        try ReplicaHarness.replay(first, to: replica)
        try receive()
        #expect(received == ["ann: [\"a\"]", "ann: [\"b\"]"])
        // A change of the replica, and a file that contains what the replica has.
        let own = replica.context(author: "replica")
        for trip in try own.fetch(FetchDescriptor<Trip>()) where trip.name == "a" { trip.note = "own" }
        try own.save()
        try source.add("c", in: context)
        try ReplicaHarness.replay(ReplicaHarness.export(source, startingAt: .beginning), to: replica, partSize: 7)
        try receive()
        #expect(received.dropFirst(2) == ["replica: []", "ann: [\"c\"]"])
        #expect(try ReplicaHarness.replay(first, to: replica) == 0)
        #expect(try consumer.nextBatch() == nil)
    }

    /// A replica is opened with the new classes before it receives the transactions that follow the migration.
    @Test func aReplicaFollowsAMigrationOfItsSource() throws {
        let test = try MigratedReplica(After.Page.self)
        let context = ModelContext(test.source)
        let pages = try context.fetch(FetchDescriptor<After.Page>(sortBy: [SortDescriptor(\.heading)]))
        (pages[0].heading, pages[0].stars) = ("c", 5)
        pages[1].text = "changed"
        context.insert(After.Page(heading: "d"))
        try context.save()
        let data = try test.export()
        // A replica with the earlier classes is not changed.
        let error = try failure { try test.replay(data, Before.Page.self) }
        #expect(error == .unknownSchema)
        #expect(try test.replica(Before.Page.self).replayedHistoryToken() == test.token)
        #expect(try test.replay(data, After.Page.self) == 1)
        func lines(_ container: ModelContainer) throws -> [String] {
            try ModelContext(container).fetch(FetchDescriptor<After.Page>()).map {
                "\($0.persistentModelID) \($0.heading) \($0.stars) \($0.text ?? "-")"
            }
        }
        #expect(try lines(test.replica(After.Page.self)) == lines(test.source))
        #expect(try lines(test.source) == ["Page/1 c 5 -", "Page/2 b 3 changed", "Page/3 d 3 -"])
        #expect(try test.replay(data, After.Page.self) == 0)
    }

    /// A migration writes the default value of a property that is required now, in the source and in the replica.
    @Test func aReplicaFollowsAMigrationThatWritesDefaultValues() throws {
        let test = try MigratedReplica(Required.Page.self)
        let context = ModelContext(test.source)
        let pages = try context.fetch(FetchDescriptor<Required.Page>(sortBy: [SortDescriptor(\.title)]))
        pages[0].text = "changed"
        try context.save()
        #expect(try context.fetchHistoryCount(Descriptor()) == 3)
        let data = try test.export()
        #expect(try test.replay(data, Required.Page.self) == 2)
        func texts(_ container: ModelContainer) throws -> [String] {
            try ModelContext(container).fetch(FetchDescriptor<Required.Page>(sortBy: [SortDescriptor(\.title)]))
                .map { "\($0.persistentModelID) \($0.text)" }
        }
        #expect(try texts(test.replica(Required.Page.self)) == ["Page/1 changed", "Page/2 none"])
        #expect(try test.replay(data, Required.Page.self) == 0)
    }

    /// The history before the migration contains models without a value for the property that is required now.
    @Test(arguments: [HistoryStart<DefaultHistoryToken>.beginning, .snapshot])
    func aNewReplicaHasTheDefaultValuesThatAMigrationWrote(_ start: HistoryStart<DefaultHistoryToken>) throws {
        let test = try MigratedReplica(Required.Page.self)
        let new = try test.open("new", Required.Page.self)
        var whole: Data? = Data()
        try test.source.exportHistory(startingAt: start) { whole?.append($0) }
        try new.replayHistory {
            defer { whole = nil }
            return whole
        }
        #expect(try ModelContext(new).fetch(FetchDescriptor<Required.Page>()).map(\.text) == ["none", "none"])
    }

    /// A value that the replica changed itself is a conflict, also if the source had none.
    @Test func aChangeOfTheReplicaAfterTheMigrationIsAConflict() throws {
        let test = try MigratedReplica(Required.Page.self)
        let replica = try test.replica(Required.Page.self)
        let context = ModelContext(replica)
        try #require(context.fetch(FetchDescriptor<Required.Page>()).first).text = "own"
        try context.save()
        let error = try failure { try test.replay(test.export(), Required.Page.self) }
        #expect(error == .historyReplayConflict)
        #expect((error?.entityName, error?.propertyName) == ("Page", "text"))
        #expect(try test.replica(Required.Page.self).replayedHistoryToken() == test.token)
    }
}

/// A source with two models and its replica, and the source after a migration.
private struct MigratedReplica {
    private let directory: TemporaryDirectory
    let source: ModelContainer
    /// The position of the replica.
    let token: DefaultHistoryToken

    init(_ type: any PersistentModel.Type) throws {
        directory = try TemporaryDirectory()
        do {
            let source = try Self.open(directory, "source", Before.Page.self)
            let context = ModelContext(source)
            for title in ["a", "b"] { context.insert(Before.Page(title)) }
            try context.save()
            var data = Data()
            try source.exportHistory { data.append($0) }
            let replica = try Self.open(directory, "replica", Before.Page.self)
            var rest: Data? = data
            try replica.replayHistory {
                defer { rest = nil }
                return rest
            }
            token = try #require(try replica.replayedHistoryToken())
        }
        source = try Self.open(directory, "source", type)
    }

    private static func open(
        _ directory: TemporaryDirectory, _ name: String, _ type: any PersistentModel.Type
    ) throws -> ModelContainer {
        try ModelContainer(
            for: Schema([type]),
            configurations: [ModelConfiguration(url: directory.file("\(name).store"), preservesValues: true)])
    }

    func open(_ name: String, _ type: any PersistentModel.Type) throws -> ModelContainer {
        try Self.open(directory, name, type)
    }

    func replica(_ type: any PersistentModel.Type) throws -> ModelContainer { try open("replica", type) }

    /// The transactions of the source that the replica does not have.
    func export() throws -> Data {
        var data = Data()
        try source.exportHistory(startingAt: .token(token)) { data.append($0) }
        return data
    }

    func replay(_ data: Data, _ type: any PersistentModel.Type) throws -> Int {
        var rest: Data? = data
        return try replica(type).replayHistory {
            defer { rest = nil }
            return rest
        }
    }
}

private enum Before {
    @Model fileprivate final class Page {
        var title: String
        var text: String?
        init(_ title: String) { self.title = title }
    }
}

private enum After {
    @Model fileprivate final class Page {
        @Attribute(originalName: "title") var heading: String
        var text: String?
        var stars = 3
        init(heading: String) { self.heading = heading }
    }
}

private enum Required {
    @Model fileprivate final class Page {
        var title: String
        var text: String = "none"
        init(_ title: String) { self.title = title }
    }
}
