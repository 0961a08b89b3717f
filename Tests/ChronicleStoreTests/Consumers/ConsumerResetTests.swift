import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Consumers that cannot continue start over from the models.
@Suite struct ConsumerResetTests {
    @Test(arguments: StoreKind.allCases)
    func deletedHistoryIsAReset(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let consumer = try store.consumer()
        #expect(try consumer.take() == ["insert Trip/1"])
        try store.add("b", "c")
        try store.deleteHistory()
        #expect(try store.status().resetReason == .expired)
        #expect(try store.status().lag == nil)
        #expect(try consumer.take() == ["reset: expired"])
        #expect(try store.status().isReadingSnapshot)
        #expect(try consumer.take(limit: 2) == ["model Trip/1", "model Trip/2"])
        #expect(try consumer.take(limit: 2) == ["model Trip/3"])
        #expect(try consumer.take() == nil)
        #expect(try !store.status().isReadingSnapshot)
        try store.add("d")
        #expect(try consumer.take() == ["insert Trip/4"])
    }

    @Test(arguments: StoreKind.allCases)
    func resetIsDeliveredUntilItIsAcknowledged(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        try store.deleteHistory()
        for attempt in 1...2 {
            let consumer = try store.consumer()
            let batch = try #require(try consumer.nextBatch())
            #expect(try batch.lines == ["reset: expired"])
            #expect(batch.attempt == attempt)
        }
    }

    @Test func snapshotContinuesAfterARestart() throws {
        let store = try TestStore(.file)
        for number in 0..<10 { try store.add("\(number)") }
        let start = try store.consumer(at: .snapshot)
        #expect(try start.take() == ["reset: requested"])
        start.release()
        var found: [String] = []
        // Saved while the models are read, before and after what was read.
        try store.add("later")
        let context = store.context()
        context.delete(try #require(try context.fetch(FetchDescriptor<Trip>()).first))
        try context.save()
        for _ in 0..<4 {
            let consumer = try store.reopened().historyConsumer(named: "reader", startingNewAt: .beginning)
            found += try #require(try consumer.take(limit: 3))
        }
        #expect(found == (2...11).map { "model Trip/\($0)" })
        #expect(try store.consumer().take() == ["insert Trip/11", "delete Trip/1"])
    }

    /// A consumer reads the classes in the order of their names, of which another schema has others.
    @Test func snapshotStartsOverWithOtherClasses() throws {
        let file = try TemporaryDirectory().file("classes.store")
        func container(_ types: [any PersistentModel.Type]) throws -> ModelContainer {
            try ModelContainer(
                for: Schema(types), configurations: [ModelConfiguration(url: file, durability: .relaxed)])
        }
        let all: [any PersistentModel.Type] = [Vehicle.self, Car.self, Taxi.self, Truck.self]
        do {
            let context = ModelContext(try container(all))
            for _ in 0..<3 {
                for vehicle in [Vehicle("v"), Car("c"), Taxi("t")] { context.insert(vehicle) }
            }
            try context.save()
        }
        // Classes that precede that of the latest model are new, others are gone, nothing changes, later ones are new.
        let schemas: [(types: [any PersistentModel.Type], startsOver: Bool)] = [
            ([Vehicle.self], true), (all, true), ([Vehicle.self, Car.self], true), ([Vehicle.self, Car.self], false),
            (all, false),
        ]
        for (types, startsOver) in schemas {
            let consumer = try container(types).historyConsumer(named: "reader", startingNewAt: .snapshot)
            if startsOver { #expect(try consumer.take() == ["reset: requested"]) }
            #expect(try consumer.take(limit: 1)?.count == 1)
        }
        let consumer = try container(all).historyConsumer(named: "reader", startingNewAt: .snapshot)
        var count = 3
        while let lines = try consumer.take(limit: 2) { count += lines.count }
        #expect(count == 9)
    }

    /// An earlier version recorded only the identifier.
    @Test func snapshotWithoutClassesStartsOver() throws {
        let store = try TestStore(.file)
        try store.add("a", "b")
        let consumer = try store.consumer(at: .snapshot)
        #expect(try consumer.take() == ["reset: requested"])
        #expect(try consumer.take(limit: 1) == ["model Trip/1"])
        let database = try #require(store.container.stores.first as? DefaultStore)
        try database.updateConsumer(named: "reader", isDurable: true) { record in
            guard case .reading(let identifier, let names)? = record?.place.rebuild else { return }
            #expect(identifier != nil && names?.contains("Trip") == true)
            record?.place.rebuild = .reading(after: identifier)
        }
        #expect(try consumer.take() == ["reset: requested"])
        #expect(try consumer.take() == ["model Trip/1", "model Trip/2"])
    }

    @Test(arguments: StoreKind.allCases)
    func emptyStoreHasAnEmptySnapshot(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let consumer = try store.consumer(at: .snapshot)
        #expect(try consumer.take() == ["reset: requested"])
        #expect(try consumer.take() == nil)
        try store.add("a")
        #expect(try consumer.take() == ["insert Trip/1"])
    }

    @Test(arguments: StoreKind.allCases)
    func snapshotContainsTheModelsOfTheFilter(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Trip.self, BucketListItem.self, LivingAccommodation.self])
        let context = store.context()
        for model in [BucketListItem(title: "one"), LivingAccommodation(placeName: "two")] as [any PersistentModel] {
            context.insert(model)
        }
        try context.save()
        try store.add("three")
        let all = try store.consumer("all", at: .snapshot)
        _ = try all.take()
        #expect(try all.take() == ["model BucketListItem/1"])
        #expect(try all.take() == ["model LivingAccommodation/1"])
        #expect(try all.take() == ["model Trip/1"])
        let trips = try store.consumer("trips", filter: HistoryFilter(models: [Trip.self]), at: .snapshot)
        _ = try trips.take()
        #expect(try trips.take() == ["model Trip/1"])
        #expect(try trips.take() == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func everyInvalidPositionIsAReset(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        let identifier = try store.store.identifier
        let check = try store.history()[0].token.checkValue(in: identifier) ?? 0
        let tokens: [(DefaultHistoryToken, HistoryResetReason)] = [
            (DefaultHistoryToken(storeIdentifier: identifier, position: 100, checkValue: 1), .ahead),
            (DefaultHistoryToken(storeIdentifier: identifier, position: 2, checkValue: check &+ 1), .forked),
            (DefaultHistoryToken(storeIdentifier: "another", position: 2), .anotherStore),
            (DefaultHistoryToken(storeIdentifier: identifier, position: -1), .forked),
        ]
        for (number, (token, reason)) in tokens.enumerated() {
            let consumer = try store.consumer("\(number)", at: .token(token))
            #expect(try consumer.take() == ["reset: \(reason)"])
            #expect(try consumer.take() == ["model Trip/1", "model Trip/2"])
            #expect(try consumer.take() == nil)
        }
    }

    @Test func gapIsAReset() throws {
        let directory = try TemporaryDirectory()
        var configuration = ModelConfiguration(url: directory.file("gap.store"), durability: .relaxed)
        func use(_ body: (ModelContainer) throws -> Void) throws {
            try body(ModelContainer(for: Trip.self, configurations: configuration))
        }
        try use { _ = try $0.historyConsumer(named: "reader", startingNewAt: .beginning).take() }
        configuration.recordsHistory = false
        try use { container in
            let error = try failure { try container.historyConsumer(named: "reader", startingNewAt: .now) }
            #expect(error == .historyDisabled)
        }
        configuration.recordsHistory = true
        try use { container in
            let consumer = try container.historyConsumer(named: "reader", startingNewAt: .beginning)
            #expect(try consumer.take() == ["reset: gap"])
        }
    }

    @Test func reasonsCorrespondToErrors() {
        let errors: [(SwiftDataError, HistoryResetReason?)] = [
            (.historyTokenExpired, .expired), (.historyTokenForked, .forked), (.historyTokenAhead, .ahead),
            (.historyTokenGap, .gap), (.historyTokenStoreMismatch, .anotherStore), (.storeBusy, nil),
        ]
        for (error, reason) in errors { #expect(HistoryResetReason(error) == reason) }
    }

    /// A replica that is updated by a consumer equals the store, whatever happens to the history meanwhile.
    @Test(arguments: StoreKind.allCases, TestSeed.rounds(3))
    func replicaConverges(_ kind: StoreKind, _ round: Int) throws {
        let comment: Comment = "\(TestSeed.description), round \(round)"
        var random = TestSeed.generator(round)
        let store = try TestStore(kind)
        let context = store.context()
        var replica: [PersistentIdentifier: String] = [:]
        var consumer = try store.consumer(at: .snapshot)

        func change() throws {
            let trips = try context.fetch(FetchDescriptor<Trip>())
            switch random.below(4) {
            case 0 where !trips.isEmpty: context.delete(random.pick(trips))
            case 1 where !trips.isEmpty: random.pick(trips).name = "\(random.next())"
            default: context.insert(Trip(name: "\(random.next())", destination: "there"))
            }
            if random.below(3) > 0 { try context.save() }
        }
        func read(limit: Int) throws -> Bool {
            guard let batch = try consumer.nextBatch(limit: limit) else { return false }
            // Some batches are processed without an acknowledgement.
            let isLost = random.below(4) == 0
            let identifiers: [PersistentIdentifier]
            switch batch.content {
            case .reset:
                replica = [:]
                identifiers = []
            case .snapshot(let found): identifiers = found
            case .changes, .largeTransaction: identifiers = try batch.changes.map(\.changedPersistentIdentifier)
            }
            let reader = store.context()
            for identifier in identifiers {
                let trip = try reader.fetch(
                    FetchDescriptor<Trip>(predicate: #Predicate { $0.persistentModelID == identifier })
                ).first
                replica[identifier] = trip?.name
            }
            if !isLost { try consumer.acknowledge(batch) }
            return true
        }
        for _ in 0..<200 {
            switch random.below(12) {
            case 0: try store.deleteHistory()
            case 1:
                consumer.release()
                consumer = try store.consumer()
            case 2, 3, 4: _ = try read(limit: 1 + random.below(3))
            default: try change()
            }
        }
        try context.save()
        while try read(limit: 5) {}
        let rows = try store.context().fetch(FetchDescriptor<Trip>())
        #expect(replica == Dictionary(uniqueKeysWithValues: rows.map { ($0.persistentModelID, $0.name) }), comment)
    }
}
