import Chronicle
import ChronicleTestSupport
import Testing

/// What a consumer with a filter receives, and how its position moves.
@Suite struct ConsumerFilterTests {
    private static let models: [any PersistentModel.Type] = [Trip.self, BucketListItem.self, LivingAccommodation.self]

    @Test(arguments: StoreKind.allCases)
    func authorsAreIncludedAndExcluded(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        for author in ["app", "widget", nil] { try store.add(author ?? "none", author: author) }
        let expected: [(HistoryFilter.Authors, [String])] = [
            (.all, ["1", "2", "3"]), (.only(["app"]), ["1"]),
            (.only(["app"], includingAnonymous: true), ["1", "3"]), (.only([], includingAnonymous: true), ["3"]),
            (.except(["app"]), ["2", "3"]), (.except(["app"], includingAnonymous: false), ["2"]),
        ]
        for (number, (authors, keys)) in expected.enumerated() {
            for limit in [1, 100] {
                let consumer = try store.consumer("\(number) \(limit)", filter: HistoryFilter(authors: authors))
                var found: [String] = []
                while let lines = try consumer.take(limit: limit) { found += lines }
                #expect(found == keys.map { "insert Trip/\($0)" }, "\(authors)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func contextsAreIncludedAndExcluded(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        for (author, name) in [("app", "main"), ("app", "import"), ("widget", "main"), (nil, nil)] {
            let context = store.context(author: author)
            context.name = name
            context.insert(Trip(name: "a", destination: "b"))
            try context.save()
        }
        let expected: [(HistoryFilter.Authors, HistoryFilter.ContextNames, [String])] = [
            (.all, .all, ["1", "2", "3", "4"]), (.all, .only(["main"]), ["1", "3"]),
            (.all, .only(["import"], includingUnnamed: true), ["2", "4"]),
            (.all, .only([], includingUnnamed: true), ["4"]), (.all, .only([]), []),
            (.all, .except(["main"]), ["2", "4"]), (.all, .except(["main"], includingUnnamed: false), ["2"]),
            (.all, .except([], includingUnnamed: false), ["1", "2", "3"]), (.only(["app"]), .only(["main"]), ["1"]),
            (.only(["app"]), .except(["main"]), ["2"]), (.except(["app"]), .only(["main"]), ["3"]),
            (.except(["app"]), .except(["import"], includingUnnamed: false), ["3"]),
        ]
        for (number, (authors, names, keys)) in expected.enumerated() {
            let filter = HistoryFilter(authors: authors, contextNames: names)
            for limit in [1, 100] {
                let consumer = try store.consumer("\(number) \(limit)", filter: filter)
                var found: [String] = []
                while let lines = try consumer.take(limit: limit) { found += lines }
                #expect(found == keys.map { "insert Trip/\($0)" }, "\(authors) \(names)")
                // The position is after the transactions that were skipped.
                #expect(try store.status("\(number) \(limit)").lag?.transactions == 0)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func modelsKindsAndPropertiesAreFiltered(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.models)
        let context = store.context()
        let trip = Trip(name: "a", destination: "there")
        trip.bucketList = [BucketListItem(title: "item")]
        context.insert(trip)
        try context.save()
        trip.note = "changed"
        try context.save()
        trip.name = "b"
        try context.save()
        context.delete(trip)
        try context.save()

        var named = HistoryFilter(models: [Trip.self])
        try named.limitUpdates(of: Trip.self, to: [\.name])
        let filters: [(HistoryFilter, [String])] = [
            (named, ["insert Trip/1", "update Trip/1 name", "delete Trip/1"]),
            (HistoryFilter(models: [BucketListItem.self]), ["insert BucketListItem/1", "delete BucketListItem/1"]),
            (HistoryFilter(models: [Trip.self], changeKinds: [.delete]), ["delete Trip/1"]),
        ]
        for (number, (filter, expected)) in filters.enumerated() {
            let consumer = try store.consumer("\(number)", filter: filter)
            #expect(try consumer.take() == expected)
            #expect(try consumer.take() == nil)
        }
        let deletes = try store.consumer("deletes", filter: HistoryFilter(changeKinds: [.delete]))
        #expect(try deletes.nextBatch()?.changes.count == 2)
    }

    /// The limits of the nearest superclass apply, in every order in which they were set.
    @Test(arguments: StoreKind.allCases, [true, false])
    func limitsOfTheNearestSuperclassApply(_ kind: StoreKind, _ isReversed: Bool) throws {
        let store = try TestStore(kind, vehicleModels)
        let context = store.context()
        let models: [Vehicle] = [Vehicle("vehicle"), Car("car"), Taxi("taxi"), Truck("truck")]
        for model in models { context.insert(model) }
        try context.save()
        for model in models {
            model.wheels += 1
            try context.save()
            model.name += "!"
            try context.save()
            guard let car = model as? Car else { continue }
            car.seats += 1
            try context.save()
        }
        var filter = HistoryFilter(models: [Vehicle.self], changeKinds: [.update])
        let limits = [
            { (filter: inout HistoryFilter) in try filter.limitUpdates(of: Vehicle.self, to: [\.name]) },
            { (filter: inout HistoryFilter) in try filter.limitUpdates(of: Car.self, to: [\.seats]) },
        ]
        for limit in isReversed ? limits.reversed() : limits { try limit(&filter) }
        let consumer = try store.consumer(filter: filter)
        #expect(
            try consumer.take() == [
                "update Vehicle/1 name", "update Car/2 seats", "update Taxi/3 seats", "update Truck/4 name",
            ])
    }

    @Test func keyPathThatIsNotStoredIsRejected() throws {
        var filter = HistoryFilter()
        #expect(
            try failure { try filter.limitUpdates(of: Trip.self, to: [\.persistentModelID]) } == .unsupportedKeyPath)
    }

    @Test(arguments: StoreKind.allCases)
    func positionMovesPastWhatTheFilterSkips(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b", author: "widget")
        let consumer = try store.consumer(filter: HistoryFilter(authors: .only(["app"])))
        #expect(try consumer.nextBatch() == nil)
        #expect(try store.status().lag?.transactions == 0)
        // Without a match, history that was skipped can be deleted without a reset.
        try store.deleteHistory()
        try store.add("c", author: "app")
        #expect(try consumer.take() == ["insert Trip/3"])
    }

    /// The store receives such a position at most once per second.
    @Test(arguments: StoreKind.allCases)
    func historyThatWasSkippedCanBeDeletedBeforeThePositionIsStored(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let filter = HistoryFilter(authors: .only(["app"]))
        let consumer = try store.consumer(filter: filter)
        for name in ["a", "b", "c"] {
            try store.add(name, author: "widget")
            #expect(try consumer.nextBatch() == nil)
        }
        try store.deleteHistory()
        #expect(try consumer.nextBatch() == nil)
        try store.add("d", author: "app")
        #expect(try consumer.nextBatch()?.lines == ["insert Trip/4"])
        // The place before the batch was stored with its delivery.
        consumer.release()
        #expect(try store.consumer(filter: filter).take() == ["insert Trip/4"])
    }

    @Test(arguments: StoreKind.allCases)
    func positionMovesPastTransactionsBeforeABatch(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.models)
        try store.add("a", "b")
        let context = store.context()
        context.insert(BucketListItem(title: "item"))
        try context.save()
        let consumer = try store.consumer(filter: HistoryFilter(models: [BucketListItem.self]))
        let batch = try #require(try consumer.nextBatch(limit: 1))
        #expect(try batch.lines == ["insert BucketListItem/1"])
        #expect(try store.status().lag?.transactions == 1)
        #expect(try consumer.nextBatch(limit: 1)?.attempt == 2)
    }

    @Test func changesOfOtherProgramsHaveNoAuthor() throws {
        let store = try TestStore(.file)
        try store.add("a", author: "app")
        try store.foreign(
            "INSERT INTO Trip(name, destination, startDate, endDate, tags) VALUES ('f', 'x', 0, 1, x'5b5d')")
        let unsigned = try store.consumer(
            "unsigned", filter: HistoryFilter(authors: .only([], includingAnonymous: true)))
        #expect(try unsigned.take() == ["insert Trip/2"])
        // Grouped by the next save, and not delivered again.
        try store.add("b", author: "app")
        #expect(try unsigned.take() == nil)
        let all = try store.consumer("all")
        #expect(try all.take() == ["insert Trip/1", "insert Trip/2", "insert Trip/3"])
    }
}
