import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Rules for relationships: required destinations, model counts, and delete rules that deny deletes.
@Suite struct RelationshipRuleTests {
    static let types: [any PersistentModel.Type] = [RuleProject.self, RuleTeam.self, RuleHand.self]

    private func context(_ kind: StoreKind) throws -> (TestStore, ModelContext) {
        let store = try TestStore(kind, Self.types)
        return (store, store.context())
    }

    private func failure(_ body: () throws -> Void) throws -> SwiftDataError {
        try #require(throws: SwiftDataError.self, performing: body)
    }

    // MARK: Not optional

    @Test(arguments: StoreKind.allCases) func requiredRelationshipHasADestination(_ kind: StoreKind) throws {
        let (store, context) = try context(kind)
        let owner = RulePerson("Ada")
        let project = RuleProject("Engine", owner)
        #expect(project.owner === owner && owner.projects?.isEmpty != false)
        context.insert(project)
        #expect(project.owner === owner && owner.projects == [project])
        try context.save()

        let other = store.context()
        let found = try #require(try other.fetch(FetchDescriptor<RuleProject>()).first)
        #expect(found.owner.name == "Ada" && found.owner.projects == [found])
        let next = RulePerson("Grace")
        found.owner = next
        #expect(next.projects == [found])
        try other.save()
        let changed = try context.fetch(FetchDescriptor<RuleProject>())
        #expect(changed.map(\.owner.name) == ["Grace"] && owner.projects == [])
    }

    @Test(arguments: StoreKind.allCases) func saveRequiresADestination(_ kind: StoreKind) throws {
        let (_, context) = try context(kind)
        let owner = RulePerson("Ada")
        let project = RuleProject("Engine", owner)
        context.insert(project)
        try context.save()

        owner.projects = []
        #expect(project.owner === owner, "only the owner is a destination")
        let error = try failure { try context.save() }
        #expect(error == .modelValidationFailure && error.propertyName == "owner" && error.entityName == "RuleProject")
        #expect(error.persistentIdentifier == project.persistentModelID)
        context.rollback()
        #expect(owner.projects == [project])
        try context.save()
    }

    @Test func unsetRequiredRelationshipReturnsAPlaceholder() throws {
        let (_, context) = try context(.inMemory)
        let project = RuleProject(backingData: RuleProject.createBackingData())
        project.name = "Engine"
        #expect(project.owner.name == "" && project.owner.role == .guest)
        context.insert(project)
        #expect(context.insertedModelsArray.count == 1)
        let error = try failure { try context.save() }
        #expect(error == .modelValidationFailure && error.propertyName == "owner")

        // A placeholder is neither a destination nor a new model.
        let placeholder = project.owner
        project.owner = placeholder
        #expect(try failure { try context.save() }.propertyName == "owner")
        context.insert(placeholder)
        #expect(try failure { try context.save() } == .modelNotFound)
        project.owner = RulePerson("Ada")
        try context.save()
        #expect(try context.fetch(FetchDescriptor<RulePerson>()).map(\.name) == ["Ada"])
    }

    @Test(arguments: StoreKind.allCases) func deletedDestinationReadsAsAModelWithItsIdentifier(
        _ kind: StoreKind
    ) throws {
        let (store, context) = try context(kind)
        let owner = RulePerson("Ada")
        context.insert(RuleProject("Engine", owner))
        try context.save()
        let identifier = owner.persistentModelID

        let other = store.context()
        let project = try #require(try other.fetch(FetchDescriptor<RuleProject>()).first)
        context.delete(owner)
        try context.save()
        #expect(project.owner.persistentModelID == identifier && project.owner.name == "")
        #expect(try other.fetch(FetchDescriptor<RuleProject>()).isEmpty)
    }

    @Test(arguments: StoreKind.allCases) func requiredRelationshipsCascade(_ kind: StoreKind) throws {
        let (store, context) = try context(kind)
        let owner = RulePerson("Ada")
        let projects = (0..<3).map { RuleProject("\($0)", owner) }
        for project in projects { context.insert(project) }
        try context.save()
        context.delete(owner)
        #expect(context.deletedModelsArray.count == 4)
        try context.save()
        #expect(try store.context().fetchCount(FetchDescriptor<RuleProject>()) == 0)
        #expect(projects[0].owner === owner || projects[0].owner.name == "")
    }

    @Test(arguments: StoreKind.allCases) func predicatesFollowRequiredRelationships(_ kind: StoreKind) throws {
        let (_, context) = try context(kind)
        let (ada, grace) = (RulePerson("Ada"), RulePerson("Grace"))
        let (engine, compiler) = (RuleProject("Engine", ada), RuleProject("Compiler", grace))
        for model in [engine, compiler] { context.insert(model) }
        context.insert(RuleTask("gear", engine))
        context.insert(RuleTask("parser", compiler))
        try context.save()
        let identifier = grace.persistentModelID

        func names(_ predicate: Predicate<RuleProject>) throws -> [String] {
            let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
            #expect(try [engine, compiler].filter(predicate.evaluate).map(\.name).sorted() == found)
            return found
        }
        #expect(try names(#Predicate { $0.owner.name == "Ada" }) == ["Engine"])
        #expect(try names(#Predicate { $0.owner.name != "Ada" }) == ["Compiler"])
        #expect(try names(#Predicate { $0.owner.persistentModelID == identifier }) == ["Compiler"])
        #expect(try names(#Predicate { $0.tasks.contains { $0.project.owner.name == "Ada" } }) == ["Engine"])
        #expect(try names(#Predicate { $0.owner.projects?.contains { $0.name == "Engine" } == true }) == ["Engine"])
        let tasks = #Predicate<RuleTask> { $0.project.owner.name.starts(with: "G") }
        #expect(try context.fetch(FetchDescriptor(predicate: tasks)).map(\.title) == ["parser"])
    }

    @Test func columnOfARequiredRelationshipIsNotNull() throws {
        let (store, context) = try context(.file)
        context.insert(RuleProject("Engine", RulePerson("Ada")))
        try context.save()
        #expect(throws: (any Error).self) { try store.foreign("UPDATE RuleProject SET owner = NULL") }
        try store.foreign("PRAGMA foreign_keys = OFF; DELETE FROM RulePerson")
        let project = try #require(try store.context().fetch(FetchDescriptor<RuleProject>()).first)
        #expect(project.owner.name == "")
    }

    // MARK: Deny

    @Test(arguments: StoreKind.allCases) func deleteIsDeniedWhileReferencesExist(_ kind: StoreKind) throws {
        let (store, context) = try context(kind)
        let project = RuleProject("Engine", RulePerson("Ada"))
        let task = RuleTask("gear", project)
        context.insert(task)
        try context.save()

        // In a context that has not loaded the task.
        let other = store.context()
        let found = try #require(try other.fetch(FetchDescriptor<RuleProject>()).first)
        other.delete(found)
        let error = try failure { try other.save() }
        #expect(error == .deleteDenied && error.propertyName == "tasks" && error.entityName == "RuleProject")
        #expect(error.persistentIdentifier == project.persistentModelID)
        #expect(SwiftDataError.modelValidationFailure ~= error)
        #expect(other.deletedModelsArray.count == 1, "the delete is still pending")
        other.rollback()
        #expect(found.tasks.map(\.title) == ["gear"])

        other.delete(found)
        other.delete(try #require(found.tasks.first))
        try other.save()
        #expect(try store.context().fetchCount(FetchDescriptor<RuleProject>()) == 0)
    }

    @Test(arguments: StoreKind.allCases) func deleteOfAModelWithoutARowIsDenied(_ kind: StoreKind) throws {
        let (store, context) = try context(kind)
        let project = RuleProject("Engine", RulePerson("Ada"))
        context.insert(project)
        try context.save()
        project.name = "Loom"
        try store.context().delete(model: RuleProject.self)
        try context.refreshAllModels()
        let task = RuleTask("Draw", project)
        context.insert(task)
        context.delete(project)
        #expect(project.isDeleted)

        let error = try failure { try context.save() }
        #expect(error == .deleteDenied && error.entityName == "RuleProject" && error.propertyName == "tasks")
        context.delete(task)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<RuleTask>()) == 0)
    }

    @Test(arguments: StoreKind.allCases) func movedDestinationDoesNotDenyTheDelete(_ kind: StoreKind) throws {
        let (_, context) = try context(kind)
        let engine = RuleProject("Engine", RulePerson("Ada"))
        let compiler = RuleProject("Compiler", RulePerson("Grace"))
        let task = RuleTask("gear", engine)
        for model in [engine, compiler] { context.insert(model) }
        context.insert(task)
        try context.save()
        context.delete(engine)
        #expect(throws: SwiftDataError.deleteDenied) { try context.save() }
        task.project = compiler
        try context.save()
        #expect(compiler.tasks == [task])
        #expect(try context.fetch(FetchDescriptor<RuleProject>()).map(\.name) == ["Compiler"])
    }

    @Test(arguments: StoreKind.allCases) func toOneRelationshipDeniesTheDelete(_ kind: StoreKind) throws {
        let (store, context) = try context(kind)
        let team = RuleTeam("Blue")
        team.members = [RuleMember("a"), RuleMember("b"), RuleMember("c")]
        context.insert(team)
        try context.save()
        let member = team.members[0]
        context.delete(member)
        let error = try failure { try context.save() }
        #expect(error == .deleteDenied && error.propertyName == "team" && error.entityName == "RuleMember")
        context.rollback()
        #expect(throws: SwiftDataError.deleteDenied) {
            try context.delete(model: RuleMember.self, where: #Predicate { $0.name == "a" })
        }
        #expect(try store.context().fetchCount(FetchDescriptor<RuleMember>()) == 3)
        member.team = nil
        context.delete(member)
        try context.save()
        #expect(team.members.map(\.name) == ["b", "c"])
    }

    @Test(arguments: StoreKind.allCases) func batchDeleteIsDenied(_ kind: StoreKind) throws {
        let (store, context) = try context(kind)
        let engine = RuleProject("Engine", RulePerson("Ada"))
        let compiler = RuleProject("Compiler", RulePerson("Grace"))
        context.insert(RuleTask("gear", engine))
        context.insert(compiler)
        try context.save()
        let token = try context.currentHistoryToken()
        let error = try failure { try context.delete(model: RuleProject.self) }
        #expect(error == .deleteDenied && error.entityName == "RuleProject")
        #expect(error.persistentIdentifier == engine.persistentModelID)
        #expect(try store.context().fetchCount(FetchDescriptor<RuleProject>()) == 2)
        #expect(try context.currentHistoryToken() == token)
        try context.delete(model: RuleProject.self, where: #Predicate { $0.tasks.isEmpty })
        #expect(try store.context().fetch(FetchDescriptor<RuleProject>()).map(\.name) == ["Engine"])
    }

    @Test func deletesOfOtherProgramsAreDenied() throws {
        let (store, context) = try context(.file)
        context.insert(RuleTask("gear", RuleProject("Engine", RulePerson("Ada"))))
        try context.save()
        #expect(throws: (any Error).self) {
            try store.foreign("PRAGMA foreign_keys = ON; DELETE FROM RuleProject")
        }
        try store.foreign(
            "PRAGMA foreign_keys = ON; BEGIN; DELETE FROM RuleProject; DELETE FROM RuleTask; COMMIT")
        #expect(try context.fetchCount(FetchDescriptor<RuleTask>()) == 0)
    }

    // MARK: Counts

    @Test(arguments: StoreKind.allCases) func saveValidatesModelCounts(_ kind: StoreKind) throws {
        let (store, context) = try context(kind)
        let team = RuleTeam("Blue")
        let members = "abcd".map { RuleMember(String($0)) }
        context.insert(team)
        team.members = [members[0]]
        let error = try failure { try context.save() }
        #expect(error == .modelValidationFailure && error.entityName == "RuleTeam" && error.propertyName == "members")
        #expect(error.detail == "the relationship has 1 destination but requires at least 2")
        team.members = members
        #expect(try failure { try context.save() }.detail?.hasSuffix("at most 3") == true)
        team.members = Array(members.prefix(2))
        context.insert(members[3])
        try context.save()

        // From the other side, in a context that has not loaded the list.
        let other = store.context()
        let byName = FetchDescriptor(predicate: #Predicate<RuleMember> { $0.name == "a" })
        let member = try #require(try other.fetch(byName).first)
        member.team = nil
        #expect(try failure { try other.save() }.propertyName == "members")
        other.rollback()
        member.name = "A"
        try other.save()
        let fourth = try #require(
            try other.fetch(FetchDescriptor(predicate: #Predicate<RuleMember> { $0.name == "d" })).first)
        fourth.team = member.team
        try other.save()
        #expect(try context.fetch(FetchDescriptor<RuleTeam>()).first?.members.count == 3)
    }

    @Test(arguments: StoreKind.allCases) func deletedDestinationsAreNotCounted(_ kind: StoreKind) throws {
        let (store, context) = try context(kind)
        let team = RuleTeam("Blue")
        team.members = [RuleMember("a"), RuleMember("b")]
        context.insert(team)
        try context.save()
        let other = store.context()
        let member = try #require(try other.fetch(FetchDescriptor<RuleMember>()).first)
        member.team = nil
        other.delete(member)
        #expect(try failure { try other.save() }.propertyName == "members")
        // Deleted together with its team.
        other.delete(try #require(try other.fetch(FetchDescriptor<RuleTeam>()).first))
        try other.save()
        #expect(try store.context().fetch(FetchDescriptor<RuleMember>()).map(\.name) == ["b"])
    }

    @Test(arguments: StoreKind.allCases) func optionalRelationshipMayRequireOneDestination(_ kind: StoreKind) throws {
        let (_, context) = try context(kind)
        let hand = RuleHand("by hand")
        context.insert(hand)
        #expect(try failure { try context.save() }.detail?.hasSuffix("at least 1") == true)
        hand.project = RuleProject("Engine", RulePerson("Ada"))
        try context.save()
        hand.project = nil
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    }

    // MARK: Unique

    @Test(arguments: StoreKind.allCases) func uniqueRelationshipRejectsASharedDestination(_ kind: StoreKind) throws {
        let (_, context) = try context(kind)
        let engine = RuleProject("Engine", RulePerson("Ada"))
        let compiler = RuleProject("Compiler", RulePerson("Grace"))
        for model in [engine, compiler] { context.insert(model) }
        engine.badge = RuleBadge()
        try context.save()
        compiler.badge = engine.badge
        let error = try failure { try context.save() }
        #expect(error == .uniquenessViolation)
        engine.badge = nil
        try context.save()
        #expect(compiler.badge != nil && engine.badge == nil)
    }

    // MARK: Declarations

    @Test func invalidDeclarationsThrow() throws {
        func detail(_ type: any PersistentModel.Type) throws -> String? {
            try failure { try Schema(type).validate() }.detail
        }
        #expect(try detail(WrongCounts.self) == "minimumModelCount (3) exceeds maximumModelCount (2)")
        #expect(try detail(WrongOne.self) == "a to-one relationship cannot require 2 models")
        #expect(try detail(WrongUnique.self) == "only a to-one relationship can be unique")
        #expect(try detail(WrongSign.self) == "a model count cannot be negative")
    }

    // MARK: Other stores

    enum ForeignReference: CaseIterable {
        case insertedRow, insertedRows, update, uniqueUpdate, batchInsert, link
    }

    /// The stores have rows with the same keys.
    @Test(arguments: StoreKind.allCases, ForeignReference.allCases)
    func modelsOfOtherStoresAreNotReferenced(_ kind: StoreKind, _ way: ForeignReference) throws {
        let types: [any PersistentModel.Type] = [GraphNode.self, RuleProject.self, LinkItem.self]
        let stores = try (0..<2).map { _ in try TestStore(kind, types) }
        func save(_ store: TestStore) throws -> (ModelContext, GraphNode, RuleProject, RuleBadge, LinkItem, LinkPhoto) {
            let context = store.context()
            let models = (GraphNode("a"), RuleProject("b", RulePerson("c")), RuleBadge(), LinkItem("d"), LinkPhoto("e"))
            for model in [models.0, models.1, models.2, models.3, models.4] as [any PersistentModel] {
                context.insert(model)
            }
            try context.save()
            return (context, models.0, models.1, models.2, models.3, models.4)
        }
        let (context, node, project, _, item, _) = try save(stores[0])
        let (_, otherNode, _, otherBadge, _, otherPhoto) = try save(stores[1])
        func foreign<Model: PersistentModel>(_ model: Model) throws -> Model {
            try #require(context.model(for: model.persistentModelID) as? Model)
        }
        var owner: (any PersistentModel)?
        let error = try failure {
            switch way {
            case .insertedRow, .insertedRows:
                for number in 0..<(way == .insertedRow ? 1 : 20) {
                    let new = GraphNode("\(number)")
                    context.insert(new)
                    new.favourite = try foreign(otherNode)
                    owner = owner ?? new
                }
            case .update:
                node.favourite = try foreign(otherNode)
                owner = node
            case .uniqueUpdate:
                project.badge = try foreign(otherBadge)
                owner = project
            case .batchInsert:
                let new = GraphNode("new")
                new.favourite = try foreign(otherNode)
                try context.insert(model: GraphNode.self, from: [new])
            case .link:
                item.photos.append(try foreign(otherPhoto))
                owner = item
            }
            try context.save()
        }
        let names = [ForeignReference.uniqueUpdate: ("RuleProject", "badge"), .link: ("LinkItem", "photos")]
        let (entityName, propertyName) = names[way] ?? ("GraphNode", "favourite")
        #expect(error == .modelValidationFailure && error.detail?.contains("belongs to another store") == true)
        #expect(error.entityName == entityName && error.propertyName == propertyName)
        if let owner { #expect(error.persistentIdentifier == owner.persistentModelID) }
        let reader = stores[0].context()
        #expect(try reader.fetch(FetchDescriptor<GraphNode>()).map { $0.favourite == nil } == [true])
        #expect(try reader.fetch(FetchDescriptor<RuleProject>()).map { $0.badge == nil } == [true])
        #expect(try reader.fetch(FetchDescriptor<LinkItem>()).map(\.photos.isEmpty) == [true])
    }
}

@Model private final class WrongCounts {
    @Relationship(minimumModelCount: 3, maximumModelCount: 2) var badges: [RuleBadge] = []
}

@Model private final class WrongOne {
    @Relationship(minimumModelCount: 2) var badge: RuleBadge?
}

@Model private final class WrongUnique {
    @Relationship(.unique) var badges: [RuleBadge] = []
}

@Model private final class WrongSign {
    @Relationship(maximumModelCount: -1) var badges: [RuleBadge] = []
}
