import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Purges erase preserved values by rules, and keep the changes.
@Suite struct PreservedValueRuleTests {
    private static let day: Duration = .seconds(86_400)

    /// A store with two trips, saved ten days ago, and changed and deleted now.
    private func filled(_ kind: StoreKind, recorder: ModelConfiguration.Recorder = .automatic) throws -> TestStore {
        let store = try TestStore(kind, preservesValues: true, recorder: recorder)
        let context = store.context()
        let trips = ["a", "b"].map { Trip(name: "name \($0)", destination: "place \($0)") }
        for trip in trips { context.insert(trip) }
        try context.save()
        trips[0].note = "old note"
        try context.save()
        try age(store, days: 10)
        trips[0].note = "new note"
        try context.save()
        context.delete(trips[1])
        try context.save()
        return store
    }

    /// Makes all transactions older.
    private func age(_ store: TestStore, days: Double) throws {
        try store.foreign("UPDATE chronicle_change SET primary_key = primary_key - \(days * 86_400) WHERE kind < 0")
    }

    private func run(_ store: TestStore, _ rules: PreservedValueRule..., at date: Date = .now) throws -> Int {
        let plan = try store.store.planHistoryPurge(HistoryRetention(valueRules: rules), at: date)
        var values = 0
        while true {
            let step = try store.store.purgeHistory(plan)
            values += step.values
            #expect(step.transactions == 0 && step.changes == 0)
            if step.isLast { return values }
        }
    }

    /// The names of the preserved values of each change.
    private func names(_ store: TestStore) throws -> [[String]] {
        try store.history().flatMap(\.changes).map { Set($0.preservedValues.map(\.name)).sorted() }
    }

    private let all = ["destination", "endDate", "livingAccommodation", "name", "note", "startDate", "tags"]

    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func valuesOfAnAttributeAreErased(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let store = try filled(kind, recorder: recorder)
        let (lines, before) = (try store.lines(), try names(store))
        let tokens = try store.history().map(\.token)
        #expect(before[2] == ["note"] && before[3] == ["note"])
        let rows = try store.context().fetch(FetchDescriptor<Trip>()).map { [$0.name, $0.note ?? ""] }
        // Two inserts and an update are old enough.
        let rule = PreservedValueRule(\Trip.note, maximumAge: Self.day * 5)
        let plan = try store.store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now)
        #expect(try store.store.preservedValueCounts(plan) == [3])
        #expect(plan.erasures.map(\.newest) == [tokens[1]] && plan.newest == nil)
        #expect(try run(store, rule) == 3)

        let expected = before.enumerated().map { index, names in index < 3 ? names.filter { $0 != "note" } : names }
        #expect(try names(store) == expected)
        #expect(try store.lines() == lines)
        #expect(try store.history().map(\.token) == tokens)
        for token in tokens { _ = try store.history(.after(token)) }
        #expect(try store.context().fetch(FetchDescriptor<Trip>()).map { [$0.name, $0.note ?? ""] } == rows)
        #expect(try run(store, rule) == 0)
        #expect(try store.problems().isEmpty)
    }

    /// A rule applies to the stores that know its entity. One that no store knows deletes nothing in any.
    @Test(arguments: [false, true]) func rulesOfContainersWithSeveralStores(_ isReversed: Bool) async throws {
        let directory = try TemporaryDirectory()
        let types: [any PersistentModel.Type] = [Trip.self, LinkPhoto.self]
        let configurations = (isReversed ? types.reversed() : types).map { type in
            ModelConfiguration(
                type.entityName, schema: Schema([type]), url: directory.file("\(type.entityName).store"),
                preservesValues: true)
        }
        let container = try ModelContainer(for: Schema(types), configurations: configurations)
        let context = ModelContext(container)
        for name in ["a", "b"] {
            context.insert(Trip(name: name, destination: "place"))
            context.insert(LinkPhoto(name))
            try context.save()
        }
        let rules = [
            PreservedValueRule(\Trip.destination, maximumAge: .zero),
            PreservedValueRule(LinkPhoto.self, maximumAge: .zero),
        ]
        let unknown = PreservedValueRule(entityName: "Tripp", maximumAge: .zero)
        await #expect(throws: SwiftDataError.unknownSchema) {
            try await container.purgeHistory(HistoryRetention(maximumChanges: 1, valueRules: rules + [unknown]))
        }
        #expect(try container.historyStatistics().map(\.changes) == [2, 2])
        let results = try await container.purgeHistory(HistoryRetention(valueRules: rules))
        #expect(results.allSatisfy { $0.values == 2 && $0.changes == 0 })
        let limited = try await container.purgeHistory(HistoryRetention(maximumChanges: 1, valueRules: rules))
        #expect(limited.map(\.changes) == [1, 1])
    }

    @Test(arguments: StoreKind.allCases) func theValuesOfAnEntityAreErased(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let rule = PreservedValueRule(Trip.self, maximumAge: Self.day * 5)
        _ = try run(store, rule)
        #expect(try names(store).prefix(3).allSatisfy(\.isEmpty))
        #expect(try names(store).suffix(2).allSatisfy { !$0.isEmpty })
        // Younger values follow when they are old enough, also after a rule with an attribute.
        #expect(try run(store, PreservedValueRule(\Trip.note, maximumAge: Self.day), at: .now + 2 * 86_400) == 2)
        _ = try run(store, rule, at: .now + 6 * 86_400)
        #expect(try names(store).allSatisfy(\.isEmpty))
    }

    /// Readers would take a part of the destinations for all of them.
    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func destinationsOfAListAreErasedTogether(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        let store = try TestStore(kind, [LinkItem.self], preservesValues: true, recorder: recorder)
        let context = store.context()
        let items = ["a", "b"].map { name in
            LinkItem(name, tags: (0..<300).map { LinkTag("\(name) \($0)") })
        }
        for item in items { context.insert(item) }
        try context.save()
        for item in items { context.delete(item) }
        try context.save()
        let rule = PreservedValueRule(LinkItem.self, maximumAge: .zero)
        let plan = try store.store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 1)
        var isLast = false
        var steps = 0
        while !isLast {
            isLast = try store.store.purgeHistory(plan).isLast
            steps += 1
            let counts = try store.history().flatMap(\.changes)
                .filter { $0.changedPersistentIdentifier.entityName == "LinkItem" }
                .map { change in change.preservedValues.count { $0.name == "tags" } }
            #expect(counts.allSatisfy { $0 == 0 || $0 == counts.max() })
        }
        #expect(steps > 3)
    }

    /// The rules of a class apply to its subclasses.
    @Test func valuesOfSubclassesAreErased() throws {
        let store = try TestStore(.file, RandomJourneys.types, preservesValues: true)
        let context = store.context()
        context.insert(Journey(code: "a", title: "a"))
        context.insert(GuidedJourney(code: "b", title: "b", guide: "c"))
        try context.save()
        func names() throws -> [[String]] {
            try store.history().flatMap(\.changes).map { change in
                change.preservedValues.map(\.name).filter { ["title", "guide", "code"].contains($0) }.sorted()
            }
        }
        #expect(try Set(names()) == [["code", "title"], ["code", "guide", "title"]])
        _ = try run(store, PreservedValueRule(\GuidedJourney.title, maximumAge: .zero), at: .now + 1)
        #expect(try Set(names()) == [["code", "title"], ["code", "guide"]])
        _ = try run(store, PreservedValueRule(\Journey.title, maximumAge: .zero), at: .now + 1)
        #expect(try Set(names()) == [["code"], ["code", "guide"]])
        _ = try run(store, PreservedValueRule(Journey.self, maximumAge: .zero), at: .now + 1)
        #expect(try Set(names()) == [[]])
    }

    /// A rule for an attribute that only another class of the table has would erase nothing.
    @Test func attributesOfOtherSubclassesAreUnknown() throws {
        let store = try TestStore(
            .file, [Siblings.First.Base.self, Siblings.First.One.self, Siblings.First.Two.self], preservesValues: true)
        let context = store.context()
        let one = Siblings.First.One()
        one.value = "secret"
        context.insert(one)
        try context.save()
        func rule(_ entity: String, _ attribute: String) -> PreservedValueRule {
            PreservedValueRule(entityName: entity, attributeName: attribute, maximumAge: .zero)
        }
        for (rule, owner) in [(rule("Two", "value"), "One"), (rule("One", "name"), "Two")] {
            let error = #expect(throws: SwiftDataError.self) { try run(store, rule) }
            #expect(error == .unknownSchema && error?.propertyName == rule.attributeName)
            #expect(
                error?.detail?.hasSuffix("only \(owner) has it, so use that entity") == true, "\(error?.detail ?? "")")
            #expect(throws: SwiftDataError.unknownSchema) {
                try store.store.erasePreservedValues(
                    ofEntityNamed: rule.entityName, attributes: [rule.attributeName ?? ""])
            }
        }
        #expect(try store.store.preservedAttributes()["Two"]?["value"] == nil)
        #expect(try store.store.preservedAttributes()["Base"]?["value"] == true)
        for (entity, count) in [("Base", 1), ("One", 0)] {
            #expect(try run(store, rule(entity, "value"), at: .now + 1) == count)
        }
    }

    /// The history of a class contains the attributes that it had.
    @Test func removedAttributesOfSubclassesAreKnown() throws {
        let store = try TestStore(
            .file, [MovedValue.First.Base.self, MovedValue.First.One.self, MovedValue.First.Two.self],
            preservesValues: true)
        let context = store.context()
        let one = MovedValue.First.One()
        one.value = "secret"
        context.insert(one)
        try context.save()
        let next = try ModelContainer(
            for: Schema([MovedValue.Second.Base.self, MovedValue.Second.One.self, MovedValue.Second.Two.self]),
            configurations: [ModelConfiguration(url: store.url, preservesValues: true)])
        let other = try #require(next.stores.first as? DefaultStore)
        for entity in ["Two", "One"] {
            let rule = PreservedValueRule(entityName: entity, attributeName: "value", maximumAge: .zero)
            let plan = try other.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 1)
            #expect(try other.preservedValueCounts(plan) == [entity == "One" ? 1 : 0])
        }
    }

    // MARK: Absent values

    @Test(arguments: StoreKind.allCases) func readsOfThePastFindATypedAbsence(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let tokens = try store.history().map(\.token)
        let trip = try #require(try store.context().fetch(FetchDescriptor<Trip>()).first).persistentModelID
        func note(asOf index: Int) throws -> String? {
            let context = try ModelContext(store.container, asOf: tokens[index])
            return try context.existingModel(for: trip, as: Trip.self).note
        }
        #expect(try note(asOf: 0) == nil && note(asOf: 1) == "old note")
        _ = try run(store, PreservedValueRule(\Trip.note, maximumAge: Self.day * 5))
        // The value before the younger change is still there.
        #expect(try note(asOf: 1) == "old note")
        #expect(throws: SwiftDataError.historyValueMissing) { try note(asOf: 0) }
        let context = store.context()
        #expect(throws: SwiftDataError.revertConflict) {
            try context.revert(context.existingModel(for: trip, as: Trip.self), to: tokens[0])
        }
        #expect(try context.existingModel(for: trip, as: Trip.self).note == "new note")
    }

    // MARK: Errors

    @Test func unknownNamesThrowBeforeAnythingIsDeleted() async throws {
        let store = try filled(.file)
        for rule in [
            PreservedValueRule(entityName: "Tripp", maximumAge: .zero),
            PreservedValueRule(entityName: "Trip", attributeName: "nme", maximumAge: .zero),
            PreservedValueRule(\Trip.persistentModelID, maximumAge: .zero),
        ] {
            let retention = HistoryRetention(maximumAge: .zero, valueRules: [rule])
            let error = await #expect(throws: SwiftDataError.self) { try await store.container.purgeHistory(retention) }
            #expect(error == .unknownSchema && error?.entityName == rule.entityName)
        }
        #expect(try store.history().count == 4)
    }

    @Test func storesInReadOnlyFilesThrow() async throws {
        let store = try filled(.file)
        let configuration = ModelConfiguration(url: store.url, allowsSave: false)
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        let rule = PreservedValueRule(Trip.self, maximumAge: .zero)
        await #expect(throws: SwiftDataError.storeReadOnly) {
            try await container.purgeHistory(HistoryRetention(valueRules: [rule]))
        }
        let readOnly = try #require(container.stores.first as? DefaultStore)
        let plan = try readOnly.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 1)
        #expect(try readOnly.preservedValueCounts(plan)[0] > 0)
    }

    // MARK: Consumers

    @Test(arguments: StoreKind.allCases) func consumersKeepValues(_ kind: StoreKind) async throws {
        let store = try filled(kind)
        let consumer = try store.container.historyConsumer(
            named: "reader", of: DefaultHistoryTransaction.self, startingNewAt: .beginning)
        try consumer.acknowledge(#require(try consumer.nextBatch(limit: 1)))
        consumer.release()
        let rule = PreservedValueRule(\Trip.note, maximumAge: Self.day * 5)
        let result = try #require(
            try await store.container.purgeHistory(HistoryRetention(valueRules: [rule])).first)
        #expect(result.values == 2 && result.keptFor == ["reader"] && result.evicted.isEmpty)
        #expect(try names(store)[2] == ["note"])
        let impatient = HistoryRetention(maximumSilence: .zero, valueRules: [rule])
        #expect(try await store.container.purgeHistory(impatient).map(\.values) == [1])
        #expect(try names(store)[2].isEmpty)
    }

    /// A consumer that is created between two steps holds what it has not read.
    @Test func aConsumerIsCreatedDuringThePurge() throws {
        let store = try filled(.file)
        let rule = PreservedValueRule(Trip.self, maximumAge: .zero)
        let plan = try store.store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 1)
        let consumer = try store.container.historyConsumer(
            named: "reader", of: DefaultHistoryTransaction.self, startingNewAt: .beginning)
        defer { consumer.release() }
        let before = try names(store)
        while try !store.store.purgeHistory(plan).isLast {}
        #expect(try names(store) == before)
    }

    // MARK: Steps

    /// Many values are erased in several steps, between which everything is valid, and another store continues.
    @Test(arguments: StoreKind.allCases) func stepsAreSmall(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        for number in 0..<2_000 {
            context.insert(Trip(name: "n\(number)", destination: String(repeating: "d", count: number % 50)))
        }
        try context.save()
        let rule = PreservedValueRule(\Trip.destination, maximumAge: .zero)
        let plan = try store.store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 1)
        var steps: [Int] = []
        while true {
            let step = try store.store.purgeHistory(plan)
            if step.isLast { break }
            steps.append(step.values)
            let left = 2_000 - steps.reduce(0, +)
            #expect(try names(store).count { $0.contains("destination") } == left)
            #expect(try store.store.preservedValueCounts(plan) == [left])
            if steps.count % 8 == 1 { #expect(try store.problems().isEmpty) }
        }
        #expect(steps.count > 2 && steps.reduce(0, +) == 2_000, "\(steps)")
    }

    /// A step searches a limited number of rows, however few of them have a value.
    @Test func searchesAreShort() throws {
        let store = try TestStore(.file, preservesValues: true)
        try store.foreign(
            """
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000) \
            INSERT INTO Trip(name, destination, startDate, endDate, tags) SELECT n, 'd', 0, 0, '[]' FROM numbers; \
            INSERT INTO BucketListItem(title, isDone) VALUES ('t', 0)
            """)
        let rule = PreservedValueRule(BucketListItem.self, maximumAge: .zero)
        let plan = try store.store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 1)
        let rows = Int(try #require(try store.number("SELECT count(*) FROM chronicle_change")))
        let length = Int(ValuePurger.searchedRows)
        #expect(rows > 2 * length)
        var steps: [Int] = []
        while true {
            let step = try store.store.purgeHistory(plan)
            if step.isLast { break }
            steps.append(step.values)
        }
        #expect(steps.count > 2 && steps.count <= rows / length + 1)
        #expect(steps.dropLast().allSatisfy { $0 == 0 } && (steps.last ?? 0) > 0, "\(steps)")
        #expect(try store.problems().isEmpty)
    }

    /// A step that fails has changed nothing; the next one continues.
    @Test func aStepFails() throws {
        let store = try filled(.file)
        let rule = PreservedValueRule(Trip.self, maximumAge: .zero)
        let plan = try store.store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 1)
        let before = try names(store)
        // The mark is written after the values.
        try store.foreign(
            """
            CREATE TRIGGER fail BEFORE INSERT ON chronicle_meta WHEN NEW.name = 'erasedValues' \
            BEGIN SELECT RAISE(ABORT, 'failed'); END
            """)
        #expect(throws: SwiftDataError.self) { try store.store.purgeHistory(plan) }
        #expect(try names(store) == before)
        try store.foreign("DROP TRIGGER fail")
        while try !store.store.purgeHistory(plan).isLast {}
        #expect(try names(store).allSatisfy(\.isEmpty))
    }

    /// The next purge does not read what earlier ones have read, and finds values of a renamed or wrong mark again.
    @Test func theMarkIsOnlyAShortcut() throws {
        let store = try filled(.file)
        let rule = PreservedValueRule(\Trip.name, maximumAge: .zero)
        #expect(try run(store, rule, at: .now + 1) == 3)
        let mark = "SELECT value FROM chronicle_meta WHERE name = 'erasedValues'"
        #expect(try store.shell(mark).contains("through"))
        for text in ["x", "[]", #"[{"attribute":0,"entity":1,"through":4000000}]"#] {
            try store.foreign("UPDATE chronicle_meta SET value = '\(text)' WHERE name = 'erasedValues'")
            let problems = try store.problems()
            #expect(problems.isEmpty == (text == "[]"), "\(problems)")
            try store.foreign("UPDATE Trip SET name = 'x\(text.count)' WHERE id = 1")
            try store.add("other \(text.count)")
            #expect(try run(store, rule, at: .now + 1) == 2)
        }
    }

    /// Rows that a statement of another program may have replaced are noted with their values.
    @Test func notesOfReplacedRowsAreResolved() throws {
        let store = try filled(.file)
        try store.foreign(
            """
            INSERT OR IGNORE INTO Trip(id, name, destination, startDate, endDate, tags) \
            SELECT id, 'x', 'y', 0, 0, '[]' FROM Trip
            """)
        #expect(try store.number("SELECT count(*) FROM chronicle_conflict") != 0)
        _ = try run(store, PreservedValueRule(Trip.self, maximumAge: .zero), at: .now + 1)
        #expect(try store.number("SELECT count(*) FROM chronicle_conflict") == 0)
    }
}

/// An attribute that one class has, and then another.
private enum MovedValue {
    enum First {
        @Model class Base { init() {} }
        @Model final class One: Base { var value: String? }
        @Model final class Two: Base {}
    }

    enum Second {
        @Model class Base { init() {} }
        @Model final class One: Base {}
        @Model final class Two: Base { var value: String? }
    }
}
