import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Testing

/// A container whose models are divided among three stores; the second is scripted.
struct DividedContainer {
    let directory: TemporaryDirectory
    let script = ScriptedStore.Script()
    let container: ModelContainer
    let context: ModelContext

    init(_ kind: StoreKind = .inMemory) throws {
        directory = try TemporaryDirectory()
        container = try ModelContainer(
            for: Trip.self, Hotel.self, Diary.self,
            configurations: Self.configuration("trips", Trip.self, kind, directory),
            ScriptedStore.Configuration(schema: Schema(Hotel.self), script: script),
            Self.configuration("diaries", Diary.self, kind, directory))
        context = ModelContext(container)
    }

    private static func configuration(
        _ name: String, _ type: any PersistentModel.Type, _ kind: StoreKind, _ directory: TemporaryDirectory
    ) throws -> ModelConfiguration {
        let schema = Schema(type)
        return kind == .inMemory
            ? ModelConfiguration(name, schema: schema, isStoredInMemoryOnly: true)
            : ModelConfiguration(name, schema: schema, url: directory.file("\(name).store"), durability: .relaxed)
    }

    /// What another context reads from the stores.
    func names() throws -> [String] {
        let context = ModelContext(container)
        return try context.fetch(FetchDescriptor<Trip>()).map(\.name)
            + context.fetch(FetchDescriptor<Hotel>()).map(\.name)
            + context.fetch(FetchDescriptor<Diary>()).map(\.text)
    }

    func transactions() throws -> [DefaultHistoryTransaction] { try context.fetchHistory(HistoryDescriptor()) }
}

final class Diary: PersistentModel {
    @Attribute var text: String
    static let properties: PropertyMap<Diary> = ["text": \.text]
    let persistentBackingData: any BackingData<Diary>
    init(backingData: any BackingData<Diary>) { persistentBackingData = backingData }
    init(_ text: String) {
        persistentBackingData = Diary.createBackingData()
        self.text = text
    }
}

private struct PowerCut: Error, Equatable {}

@Suite("Several stores in one container")
struct SeveralStoresTests {
    @Test(arguments: StoreKind.allCases)
    func modelsAreSavedInTheirStores(_ kind: StoreKind) throws {
        let divided = try DividedContainer(kind)
        let models: [any PersistentModel] = [
            Diary("quiet"), Hotel("Ritz", stars: 5), Trip(name: "Rome", destination: "IT"),
        ]
        for model in models { divided.context.insert(model) }
        try divided.context.save()
        let stores = divided.container.stores.map(\.identifier)
        #expect(models.map(\.persistentModelID.storeIdentifier) == [stores[2], stores[1], stores[0]])
        #expect(try divided.names() == ["Rome", "Ritz", "quiet"])
        for model in models {
            let other = try ModelContext(divided.container).existingModel(for: model.persistentModelID)
            #expect(type(of: other) == type(of: model))
        }
        #expect(Set(try divided.transactions().map(\.storeIdentifier)) == [stores[0], stores[2]])
    }

    // MARK: Saving

    @Test(arguments: StoreKind.allCases)
    func storesBeforeAFailingStoreAreSaved(_ kind: StoreKind) throws {
        let divided = try DividedContainer(kind)
        let context = divided.context
        let (diary, hotel, trip) = (Diary("new"), Hotel("Ritz", stars: 5), Trip(name: "Rome", destination: "IT"))
        // The save order differs from the order of the configurations.
        context.insert(diary)
        context.insert(hotel)
        context.insert(trip)
        divided.script.change { $0.failure = SwiftDataError.storeBusy.with(detail: "not now") }

        let error = #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(error == .storeBusy && error?.storeName == "scripted")
        #expect(error?.storeIdentifier == divided.container.stores[1].identifier)
        #expect(error?.detail == "not now (the changes for \"trips\" were saved before, the others were not)")
        #expect(!trip.persistentModelID.isTemporary && diary.persistentModelID.isTemporary)
        #expect(!trip.hasChanges && hotel.hasChanges && diary.hasChanges && context.hasChanges)
        #expect(
            context.insertedModelsArray.map { ObjectIdentifier($0) } == [
                ObjectIdentifier(diary), ObjectIdentifier(hotel),
            ])
        #expect(try divided.transactions().count == 1)

        divided.script.change { $0.failure = nil }
        #expect(try divided.names() == ["Rome"])
        trip.note = "changed meanwhile"
        try context.save()
        #expect(try divided.names() == ["Rome", "Ritz", "new"])
        #expect(!context.hasChanges)
        #expect(try divided.transactions().map(\.changes.count) == [1, 1, 1])
        try context.save()
        #expect(try divided.transactions().count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackDiscardsUnsavedChanges(_ kind: StoreKind) throws {
        let divided = try DividedContainer(kind)
        let context = divided.context
        let (kept, doomed) = (Trip(name: "Rome", destination: "IT"), Trip(name: "Oslo", destination: "NO"))
        let (hotel, diary, page) = (Hotel("Ritz", stars: 5), Diary("old"), Diary("page"))
        let models: [any PersistentModel] = [kept, doomed, hotel, diary, page]
        for model in models { context.insert(model) }
        try context.save()

        kept.note = "umbrella"
        context.delete(doomed)
        hotel.stars = 4
        diary.text = "new"
        context.delete(page)
        divided.script.change { $0.failure = PowerCut() }
        // Errors of custom stores are thrown unchanged.
        #expect(throws: PowerCut()) { try context.save() }
        #expect(context.changedModelsArray.count == 2 && context.deletedModelsArray.count == 1)

        context.rollback()
        divided.script.change { $0.failure = nil }
        #expect(!context.hasChanges && kept.note == "umbrella" && hotel.stars == 5 && diary.text == "old")
        #expect(try divided.names() == ["Rome", "Ritz", "old", "page"])
        #expect(throws: SwiftDataError.modelNotFound) { try context.existingModel(for: doomed.persistentModelID) }
        try context.save()
        #expect(try divided.transactions().count == 3)
    }

    @Test func incompleteModelPreventsTheSaveOfAllStores() throws {
        let divided = try DividedContainer()
        divided.context.insert(Trip(name: "Rome", destination: "IT"))
        divided.context.insert(Diary(backingData: Diary.createBackingData()))
        #expect(throws: SwiftDataError.modelValidationFailure) { try divided.context.save() }
        divided.context.rollback()
        #expect(try divided.names().isEmpty && divided.transactions().isEmpty)
    }

    // MARK: History

    @Test(arguments: StoreKind.allCases, [1, 2, 100] as [UInt64])
    func readersReceiveEveryTransactionOnce(_ kind: StoreKind, limit: UInt64) throws {
        let divided = try DividedContainer(kind)
        let context = divided.context
        var token = try context.currentHistoryToken()
        var random = TestSeed.generator(Int(limit))
        var expected: [Int64] = []
        for number in 1...20 {
            context.author = "\(number)"
            let trips = Int.random(in: 0...2, using: &random) > 0
            if trips { context.insert(Trip(name: "\(number)", destination: "")) }
            if !trips || Bool.random(using: &random) { context.insert(Diary("\(number)")) }
            try context.save()
        }
        expected = try divided.transactions().map(\.transactionIdentifier)
        var read: [DefaultHistoryTransaction] = []
        while true {
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
            descriptor.fetchLimit = limit
            let page = try context.fetchHistory(descriptor)
            #expect(page.count <= limit)
            guard !page.isEmpty else { break }
            read += page
            token = page.reduce(token) { $0.merging($1.token) }
        }
        #expect(read.map(\.transactionIdentifier) == expected, "\(TestSeed.description)")
        #expect(token == (try context.currentHistoryToken()))
        #expect(
            read.compactMap { $0.author.flatMap(Int.init) } == read.compactMap { $0.author.flatMap(Int.init) }.sorted())
    }

    @Test func currentTokenHasAPositionInEveryStore() throws {
        let divided = try DividedContainer()
        let stores = divided.container.stores.map(\.identifier)
        #expect(
            try divided.context.currentHistoryToken().tokenValue == [stores[0]: 0, stores[1]: 0, stores[2]: 0])
        divided.context.insert(Trip(name: "Rome", destination: "IT"))
        try divided.context.save()
        #expect(
            try divided.context.currentHistoryToken().tokenValue == [stores[0]: 2, stores[1]: 0, stores[2]: 0])
        // The scripted store has no token for the position before its first transaction.
        let tokens = try divided.context.currentHistoryTokens(for: DefaultHistoryTransaction.self)
        #expect(tokens.mapValues(\.tokenValue) == [stores[0]: [stores[0]: 2], stores[2]: [stores[2]: 0]])

        divided.script.change { $0.failure = DataStoreError.unsupportedFeature }
        for ask in [
            { _ = try $0.currentHistoryToken() },
            { _ = try $0.currentHistoryTokens(for: DefaultHistoryTransaction.self) },
        ] as [(ModelContext) throws -> Void] {
            let error = #expect(throws: SwiftDataError.self) { try ask(divided.context) }
            #expect(error == .unsupportedFeature && error?.storeName == "scripted")
        }
    }

    @Test func storesWithoutHistoryAreSkipped() throws {
        func open(_ recording: Bool...) throws -> ModelContext {
            let schemas = [Schema(Trip.self), Schema(Diary.self)]
            let configurations = recording.enumerated().map { index, records in
                ModelConfiguration(
                    "\(index)", schema: schemas[index], isStoredInMemoryOnly: true, recordsHistory: records)
            }
            let container = try ModelContainer(
                for: Schema(Trip.self, Diary.self), configurations: configurations)
            return ModelContext(container)
        }
        let context = try open(true, false)
        let (trips, before) = (context.container.stores[0].identifier, try context.currentHistoryToken())
        #expect(before.tokenValue == [trips: 0])
        context.insert(Trip(name: "Rome", destination: "IT"))
        context.insert(Diary("quiet"))
        try context.save()
        let news = try context.fetchHistory(.after(before))
        #expect(news.map(\.storeIdentifier) == [trips] && news[0].changes.count == 1)
        #expect(try context.fetchHistoryCount(.after(before)) == 1)
        try context.deleteHistory(.before(news[0].token))
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)

        let silent = try open(false, false)
        let error = #expect(throws: SwiftDataError.self) { try silent.currentHistoryToken() }
        #expect(error == .historyDisabled && error?.storeName == "0")
    }

    @Test func tokenOfOneStoreHasNoPositionInAnother() throws {
        let divided = try DividedContainer()
        divided.context.insert(Trip(name: "Rome", destination: "IT"))
        try divided.context.save()
        let trips = try #require(divided.container.stores[0] as? DefaultStore)
        let token = try #require(try trips.fetchHistory(HistoryDescriptor()).last?.token)
        let error = #expect(throws: SwiftDataError.self) { try divided.context.fetchHistory(.after(token)) }
        #expect(error == .historyTokenStoreMismatch && error?.storeName == "diaries")
        // A single store returns the history.
        divided.context.insert(Trip(name: "Oslo", destination: "NO"))
        try divided.context.save()
        #expect(try trips.fetchHistory(.after(token)).count == 1)
    }

    /// The clock of a store may go backward; the order of its history does not.
    @Test func mergedHistoryKeepsTheOrderOfEachStore() throws {
        let divided = try DividedContainer()
        let scripted = divided.container.stores[1].identifier
        let years = [2100, 1970, 1980, 2200, 1990]
        divided.script.change { script in
            script.transactions = years.enumerated().map { index, year in
                DefaultHistoryTransaction(
                    transactionIdentifier: Int64(index + 1), storeIdentifier: scripted,
                    token: DefaultHistoryToken(storeIdentifier: scripted, position: Int64(index + 1), checkValue: nil),
                    timestamp: Date(timeIntervalSince1970: Double(year - 1970) * 365.25 * 86400), author: nil,
                    contextName: nil, bundleIdentifier: "", processIdentifier: "", changes: [])
            }
        }
        for name in ["Rome", "Oslo"] {
            divided.context.insert(Trip(name: name, destination: ""))
            try divided.context.save()
        }
        let (trips, order) = (divided.container.stores[0].identifier, try divided.transactions())
        let identifiers = order.map { ($0.storeIdentifier == trips ? -1 : 1) * $0.transactionIdentifier }
        let ownTrips = order.filter { $0.storeIdentifier == trips }.map { -$0.transactionIdentifier }
        #expect(identifiers == ownTrips + [1, 2, 3, 4, 5])

        // Pages are parts of the same order.
        var paged: [Int64] = []
        for offset in 0..<UInt64(order.count) {
            var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
            (descriptor.fetchOffset, descriptor.fetchLimit) = (offset, 1)
            paged += try divided.context.fetchHistory(descriptor).map(\.transactionIdentifier)
            #expect(try divided.context.fetchHistoryCount(descriptor) == 1)
        }
        #expect(paged == order.map(\.transactionIdentifier))

        var newest = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [SortDescriptor(\.timestamp, order: .reverse)]
        )
        newest.fetchLimit = 2
        #expect(try divided.context.fetchHistory(newest).map(\.transactionIdentifier) == [4, 1])
    }

    /// The default store compares positions; stores that filter in memory compare tokens.
    @Test(arguments: [true, false])
    func tokenAppliesToEachOfItsStores(_ storesFilter: Bool) throws {
        let schemas = [Schema(Diary.self), Schema(Hotel.self), Schema(GraphSeat.self)]
        let configurations = schemas.enumerated().map { index, schema -> any DataStoreConfiguration in
            storesFilter
                ? ModelConfiguration("\(index)", schema: schema, isStoredInMemoryOnly: true)
                : MemoryStoreConfiguration("\(index)", schema: schema)
        }
        let container = try ModelContainer(
            for: Schema(Diary.self, Hotel.self, GraphSeat.self), configurations: configurations)
        let context = ModelContext(container)
        func history(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [Int64] {
            try context.fetchHistory(descriptor).map(\.transactionIdentifier)
        }
        for number in 0..<3 {
            for model in [Diary("\(number)"), Hotel("\(number)", stars: 1), GraphSeat(number)] as [any PersistentModel]
            {
                context.insert(model)
            }
            try context.save()
        }
        let token = try JSONDecoder().decode(
            DefaultHistoryToken.self, from: JSONEncoder().encode(context.currentHistoryToken()))
        let all = try history(HistoryDescriptor())
        #expect(all.count == 9)
        #expect(try history(.after(token)).isEmpty)
        #expect(try history(.before(token)) == all)
        #expect(try history(HistoryDescriptor(predicate: #Predicate { $0.token < token })).count == 6)
        #expect(try history(HistoryDescriptor(predicate: #Predicate { $0.token >= token })).count == 3)

        context.insert(Hotel("3", stars: 1))
        try context.save()
        #expect(try context.fetchHistory(.after(token)).map(\.storeIdentifier) == [container.stores[1].identifier])
        try context.deleteHistory(.before(token))
        #expect(try context.fetchHistoryCount(HistoryDescriptor<DefaultHistoryTransaction>()) == 1)
    }

    /// As with one store, a deletion deletes what a fetch returns.
    @Test(arguments: [0, 1, 4, .max] as [UInt64], [0, 1, 3, 20] as [UInt64])
    func deletingAPageDeletesAcrossStores(limit: UInt64, offset: UInt64) throws {
        let container = try ModelContainer(
            for: Diary.self, Hotel.self,
            configurations: ModelConfiguration("a", schema: Schema(Diary.self), isStoredInMemoryOnly: true),
            ModelConfiguration("b", schema: Schema(Hotel.self), isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        for number in 0..<10 {
            context.author = number % 5 == 0 ? "other" : "app"
            let model: any PersistentModel = number % 3 == 0 ? Diary("") : Hotel("", stars: 0)
            context.insert(model)
            try context.save()
        }
        func history(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction] {
            try context.fetchHistory(descriptor)
        }
        for order in [nil, SortDescriptor(\DefaultHistoryTransaction.timestamp, order: .reverse)] {
            var page = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "app" })
            page.sortBy = order.map { [$0] } ?? []
            (page.fetchLimit, page.fetchOffset) = (limit, offset)
            let (all, doomed) = (try history(HistoryDescriptor()), try history(page))
            try context.deleteHistory(page)
            #expect(try history(HistoryDescriptor()) == all.filter { !doomed.contains($0) })
        }
    }

    // MARK: Continuing

    /// The loop that programs write for one store.
    @Test(arguments: StoreKind.allCases, [1, 2, 100] as [UInt64])
    func lastTokenIsThePositionInEveryStore(_ kind: StoreKind, limit: UInt64) throws {
        let divided = try DividedContainer(kind)
        let context = divided.context
        var (token, found): (DefaultHistoryToken?, [DefaultHistoryTransaction]) = (nil, [])
        func readOn() throws {
            while true {
                var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
                if let token { descriptor.predicate = #Predicate { $0.token > token } }
                descriptor.fetchLimit = limit
                let page = try context.fetchHistory(descriptor)
                guard let last = page.last else { return }
                #expect(zip(page, page.dropFirst()).allSatisfy { $0.token < $1.token })
                found += page
                token = last.token
            }
        }
        var saved = 0
        for round in 0..<3 {
            // The first page of the first round does not reach the second store.
            for (index, name) in ["Rome", "Oslo", "Bern"].enumerated() {
                let model: any PersistentModel =
                    index == round % 3 ? Diary(name) : Trip(name: "\(name) \(round)", destination: "")
                context.insert(model)
                try context.save()
                saved += 1
            }
            try readOn()
            #expect(found.count == saved && Set(found).count == saved)
        }
        #expect(try token == context.currentHistoryToken())
        // After each transaction, a reader continues with the next one.
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        for (index, transaction) in all.enumerated() {
            #expect(try context.fetchHistory(.after(transaction.token)) == Array(all[(index + 1)...]))
            #expect(try context.fetchHistory(.after(transaction)).count == all.count - index - 1)
        }
    }

    /// A store whose history was deleted begins at the newest deleted transaction.
    @Test(arguments: StoreKind.allCases) func lastTokenIsValidAfterADelete(_ kind: StoreKind) throws {
        let divided = try DividedContainer(kind)
        let context = divided.context
        for model in [Diary("old"), Trip(name: "Rome", destination: "")] as [any PersistentModel] {
            context.insert(model)
            try context.save()
        }
        let diaries = divided.container.stores[2].identifier
        try (divided.container.stores[2] as? DefaultStore)?.deleteHistory(HistoryDescriptor())
        let token = try #require(try divided.transactions().last?.token)
        #expect(token.tokenValue?.keys.contains(diaries) == true)
        context.insert(Diary("new"))
        try context.save()
        #expect(try context.fetchHistory(.after(token)).map(\.storeIdentifier) == [diaries])
    }

    /// Transactions before a deleted one remain. A reader that has not reached them must not skip them.
    @Test(arguments: StoreKind.allCases) func remainingTransactionsAreNotSkipped(_ kind: StoreKind) throws {
        let divided = try DividedContainer(kind)
        let context = divided.context
        for model in [Trip(name: "Rome", destination: ""), Diary("a"), Diary("b")] as [any PersistentModel] {
            context.insert(model)
            try context.save()
        }
        let diaries = try #require(divided.container.stores[2] as? DefaultStore)
        var last = HistoryDescriptor<DefaultHistoryTransaction>()
        last.fetchOffset = 1
        try diaries.deleteHistory(last)
        var page = HistoryDescriptor<DefaultHistoryTransaction>()
        page.fetchLimit = 1
        let token = try #require(try context.fetchHistory(page).last?.token)
        #expect(token.position(in: diaries.identifier) == 0)
        #expect(try context.fetchHistory(.after(token)).map(\.storeIdentifier) == [diaries.identifier])
        var complete = HistoryDescriptor<DefaultHistoryTransaction>.after(token)
        complete.requiresCompleteHistory = true
        let error = #expect(throws: SwiftDataError.self) { try context.fetchHistory(complete) }
        #expect(error == .historyTokenExpired && error?.storeName == "diaries")
    }

    @Test(arguments: StoreKind.allCases) func readersContinueInEveryStore(_ kind: StoreKind) throws {
        let divided = try DividedContainer(kind)
        for model in [Diary("a"), Trip(name: "Rome", destination: ""), Diary("b")] as [any PersistentModel] {
            divided.context.insert(model)
            try divided.context.save()
        }
        var reader = try divided.context.historyReader()
        var tokens: [DefaultHistoryToken] = []
        while let transaction = try reader.nextTransaction() { tokens.append(transaction.token) }
        #expect(try tokens.map { try divided.context.fetchHistoryCount(.after($0)) } == [2, 1, 0])
        #expect(try tokens.last == divided.context.currentHistoryToken())
        var rest = try divided.context.historyReader(after: tokens[0])
        #expect(try rest.nextTransaction()?.token == tokens[1])
        #expect(try rest.nextChanges()?.count == 1)
    }

    @Test func mergedTokensHaveTheLaterPosition() {
        func token(_ store: String, _ position: Int64) -> DefaultHistoryToken {
            DefaultHistoryToken(storeIdentifier: store, position: position, checkValue: position)
        }
        let both = token("a", 3).merging(token("b", 7))
        #expect(both.tokenValue == ["a": 3, "b": 7])
        for other in [token("a", 1), token("b", 7), both] { #expect(both.merging(other) == both) }
        #expect(both.merging(token("a", 5)).tokenValue == ["a": 5, "b": 7])
        #expect(both.merging(token("a", 5)).checkValue(in: "a") == 5)
        #expect(token("a", 5).merging(both) == both.merging(token("a", 5)))
        // Of two tokens at one position, the one with a check value.
        let bare = DefaultHistoryToken(storeIdentifier: "a", position: 3)
        #expect(both.merging(bare).checkValue(in: "a") == 3 && bare.merging(both).checkValue(in: "a") == 3)
    }

    // MARK: Opening

    @Test func configurationsMustHaveDistinctNamesAndStores() throws {
        let directory = try TemporaryDirectory()
        let (trips, diaries) = (Schema(Trip.self), Schema(Diary.self))
        let file = directory.file("one.store")
        func open(_ configurations: ModelConfiguration...) throws -> ModelContainer {
            try ModelContainer(for: Schema(Trip.self, Diary.self), configurations: configurations)
        }
        let inMemory = { (name: String, schema: Schema) in
            ModelConfiguration(name, schema: schema, isStoredInMemoryOnly: true)
        }
        let twice = #expect(throws: SwiftDataError.self) { try open(inMemory("a", trips), inMemory("a", diaries)) }
        #expect(twice == .duplicateConfiguration && twice?.storeName == "a")
        let nowhere = #expect(throws: SwiftDataError.self) { try open(inMemory("a", trips)) }
        #expect(nowhere == .unknownSchema && nowhere?.entityName == "Diary")
        let shared = #expect(throws: SwiftDataError.self) {
            try open(
                ModelConfiguration("a", schema: trips, url: file), ModelConfiguration("b", schema: diaries, url: file))
        }
        #expect(shared == .duplicateConfiguration && shared?.storeName == "b")
        #expect(throws: SwiftDataError.missingDirectory) {
            try open(
                inMemory("a", trips),
                ModelConfiguration("b", schema: diaries, url: directory.file("none").appending(path: "b.store")))
        }
    }
}
