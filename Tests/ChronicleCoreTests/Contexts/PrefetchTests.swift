import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Prefetched destinations are those at the time of the fetch: later changes of another writer reveal when a list was
/// read.
@Suite struct PrefetchTests {
    private func store(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind, RelationshipRuleTests.types)
        let context = store.context()
        for name in ["Ada", "Grace"] {
            let project = RuleProject("of \(name)", RulePerson(name))
            project.tasks = [RuleTask("1", project), RuleTask("2", project)]
            context.insert(project)
        }
        context.insert(RuleProject("of nobody else", RulePerson("Alan")))
        try context.save()
        return store
    }

    @Test(arguments: StoreKind.allCases) func listsArePrefetched(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        var descriptor = FetchDescriptor<RuleProject>(sortBy: [SortDescriptor(\.name)])
        descriptor.relationshipKeyPathsForPrefetching = [\.tasks]
        let ahead = try context.fetch(descriptor)
        descriptor.relationshipKeyPathsForPrefetching = []
        let other = store.context()
        let late = try other.fetch(descriptor)
        try store.foreign("DELETE FROM RuleTask WHERE title = '1'")
        #expect(ahead.map { $0.tasks.map(\.title) } == [["1", "2"], ["1", "2"], []])
        #expect(late.map { $0.tasks.map(\.title) } == [["2"], ["2"], []])
        #expect(ahead[0].tasks[1].project === ahead[0])
        // From now on, changes update both sides.
        ahead[2].tasks = [ahead[0].tasks[1]]
        #expect(ahead.map { $0.tasks.map(\.title) } == [["1"], ["1", "2"], ["2"]])
    }

    @Test(arguments: StoreKind.allCases) func destinationsArePrefetched(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        var descriptor = FetchDescriptor<RuleTask>(sortBy: [SortDescriptor(\.title)])
        descriptor.relationshipKeyPathsForPrefetching = [\.project]
        let ahead = try context.fetch(descriptor)
        descriptor.relationshipKeyPathsForPrefetching = []
        let other = store.context()
        let late = try other.fetch(descriptor)
        try store.foreign("UPDATE RuleProject SET name = 'new'")
        #expect(Set(ahead.map(\.project.name)) == ["of Ada", "of Grace"])
        #expect(Set(late.map(\.project.name)) == ["new"])
    }

    @Test(arguments: StoreKind.allCases) func prefetchKeepsUnsavedChanges(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        var descriptor = FetchDescriptor<RuleProject>(sortBy: [SortDescriptor(\.name)])
        let projects = try context.fetch(descriptor)
        let moved = try #require(try context.fetch(FetchDescriptor<RuleTask>()).first { $0.title == "1" })
        let first = moved.project
        moved.project = projects[2]
        context.insert(RuleTask("3", first))
        context.delete(try #require(first.tasks.first { $0.title == "2" }))
        descriptor.relationshipKeyPathsForPrefetching = [\.tasks, \.owner]
        let found = try context.fetch(descriptor)
        #expect(found == projects)
        #expect(first.tasks.map(\.title) == ["3"] && projects[2].tasks == [moved])
        context.rollback()
        #expect(first.tasks.map(\.title) == ["1", "2"])
    }

    @Test func prefetchingAnAttributeThrows() throws {
        let context = try store(.inMemory).context()
        var descriptor = FetchDescriptor<RuleProject>()
        descriptor.relationshipKeyPathsForPrefetching = [\.name]
        let error = try #require(throws: SwiftDataError.self) { try context.fetch(descriptor) }
        #expect(error == .unsupportedKeyPath && error.entityName == "RuleProject")
        #expect(error.detail?.contains(#"\RuleProject.name"#) == true)
    }

    @Test func prefetchedDestinationsAreKeptUntilRead() throws {
        let store = try TestStore(.file, RelationshipRuleTests.types)
        let context = store.context()
        for number in 0..<3000 { context.insert(RuleProject("\(number)", RulePerson("\(number)"))) }
        try context.save()
        var descriptor = FetchDescriptor<RuleProject>()
        descriptor.relationshipKeyPathsForPrefetching = [\.owner]
        let projects = try context.fetch(descriptor)
        let other = store.context()
        let ahead = try other.fetch(descriptor)
        try store.foreign("UPDATE RulePerson SET name = 'new'")
        #expect(ahead.count == projects.count && ahead.allSatisfy { $0.owner.name == $0.name })
    }

    // MARK: Enumerating

    @Test(arguments: StoreKind.allCases) func enumerationVisitsEachModelOnceInOrder(_ kind: StoreKind) throws {
        let store = try TestStore(kind, RelationshipRuleTests.types)
        let writer = store.context()
        for number in 0..<25 { writer.insert(RulePerson("\(number % 5)")) }
        try writer.save()
        let context = store.context()
        let descriptor = FetchDescriptor<RulePerson>(
            predicate: #Predicate { $0.name != "3" }, sortBy: [SortDescriptor(\.name, order: .reverse)])
        let expected = try context.fetch(descriptor).map(\.persistentModelID)
        for batchSize in [1, 7, 20, 5_000, 0] {
            var found: [PersistentIdentifier] = []
            try context.enumerate(descriptor, batchSize: batchSize) { found.append($0.persistentModelID) }
            #expect(found == expected)
        }
    }

    @Test(arguments: StoreKind.allCases) func enumerationKeepsOneBatchInMemory(_ kind: StoreKind) throws {
        let store = try TestStore(kind, RelationshipRuleTests.types)
        let writer = store.context()
        for number in 0..<30 { writer.insert(RulePerson("\(number)")) }
        try writer.save()
        let context = store.context()
        var first: PersistentIdentifier?
        var count = 0
        try context.enumerate(FetchDescriptor<RulePerson>(), batchSize: 10) { model in
            first = first ?? model.persistentModelID
            count += 1
            let kept: RulePerson? = context.registeredModel(for: first!)
            #expect((kept == nil) == (count > 10))
        }
        #expect(count == 30)
    }

    @Test(arguments: StoreKind.allCases) func enumerationRequiresSavedOrAllowedChanges(_ kind: StoreKind) throws {
        let store = try TestStore(kind, RelationshipRuleTests.types)
        let context = store.context()
        for number in 0..<6 { context.insert(RulePerson("\(number)")) }
        try context.save()
        var count = 0
        #expect(throws: SwiftDataError.unsavedChanges) {
            try context.enumerate(FetchDescriptor<RulePerson>(), batchSize: 2) { model in
                count += 1
                model.role = .member
            }
        }
        #expect(count == 2 && context.hasChanges)
        #expect(throws: SwiftDataError.unsavedChanges) { try context.enumerate(FetchDescriptor<RulePerson>()) { _ in } }

        // New and deleted models are included and excluded as in a fetch.
        context.insert(RulePerson("new"))
        let people = FetchDescriptor<RulePerson>(sortBy: [SortDescriptor(\.name)])
        context.delete(try #require(try context.fetch(people).first))
        var names: [String] = []
        try context.enumerate(people, batchSize: 2, allowEscapingMutations: true) { names.append($0.name) }
        #expect(names == ["1", "2", "3", "4", "5", "new"])
        context.rollback()
        try context.enumerate(people, batchSize: 4) { model in
            model.role = .member
            try context.save()
        }
        #expect(try store.context().fetch(people).allSatisfy { $0.role == .member })
    }

    @Test(arguments: StoreKind.allCases) func enumerationSkipsModelsDeletedMeanwhile(_ kind: StoreKind) throws {
        let store = try TestStore(kind, RelationshipRuleTests.types)
        let context = store.context()
        for number in 0..<6 { context.insert(RulePerson("\(number)")) }
        try context.save()
        var names: [String] = []
        try context.enumerate(FetchDescriptor<RulePerson>(), batchSize: 2) { model in
            if names.isEmpty { try store.foreign("DELETE FROM RulePerson WHERE name = '3'") }
            names.append(model.name)
        }
        #expect(names == ["0", "1", "2", "4", "5"])
    }
}
