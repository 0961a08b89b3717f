import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A model with relationships of every delete rule to parts that require it and to parts that do not.
@Model
final class BatchOwner {
    var name: String
    @Relationship(inverse: \NullifiedPart.owner) var nullified: [NullifiedPart] = []
    @Relationship(inverse: \RequiringPart.owner) var requiring: [RequiringPart] = []
    @Relationship(deleteRule: .cascade, inverse: \OwnedPart.owner) var owned: [OwnedPart] = []
    @Relationship(deleteRule: .deny, inverse: \DenyingPart.owner) var denying: [DenyingPart] = []
    @Relationship(deleteRule: .cascade, inverse: \OnlyPart.owner) var only: OnlyPart?

    init(_ name: String) { self.name = name }
}

@Model
final class NullifiedPart {
    var owner: BatchOwner?
    init(_ owner: BatchOwner) { self.owner = owner }
}

@Model
final class RequiringPart {
    var owner: BatchOwner
    init(_ owner: BatchOwner) { self.owner = owner }
}

@Model
final class OwnedPart {
    var owner: BatchOwner
    init(_ owner: BatchOwner) { self.owner = owner }
}

@Model
final class DenyingPart {
    var owner: BatchOwner?
    init(_ owner: BatchOwner) { self.owner = owner }
}

@Model
final class OnlyPart {
    var owner: BatchOwner
    init(_ owner: BatchOwner) { self.owner = owner }
}

/// A part whose required destination has no inverse.
@Model
final class LoosePart {
    @Relationship var owner: BatchOwner
    init(_ owner: BatchOwner) { self.owner = owner }
}

/// A box with at least one thing.
@Model
final class CountedBox {
    @Relationship(minimumModelCount: 1, inverse: \CountedThing.box) var things: [CountedThing] = []
    init() {}
}

@Model
final class CountedThing {
    var name: String
    var box: CountedBox?
    init(_ name: String) { self.name = name }
}

/// A batch delete has the result of deleting each model, for each delete rule and kind of inverse.
///
/// https://github.com/wireapp/wire-ios-data-model/issues/1287
@Suite struct BatchRuleTests {
    static let types: [any PersistentModel.Type] = [BatchOwner.self, LoosePart.self]

    private static let parts: [@Sendable (BatchOwner) -> any PersistentModel] = [
        { NullifiedPart($0) }, { RequiringPart($0) }, { OwnedPart($0) }, { DenyingPart($0) }, { OnlyPart($0) },
        { LoosePart($0) },
    ]

    private static let predicates: [@Sendable () -> Predicate<BatchOwner>] = [
        { #Predicate { $0.name == "old" } },
        { #Predicate { $0.requiring.count > 0 || $0.name == "old" } },
        { #Predicate { !$0.owned.isEmpty || $0.only != nil || $0.name == "old" } },
        { #Predicate { $0.nullified.contains { $0.owner?.name == "old" } || $0.name == "old" } },
    ]

    private func store(_ kind: StoreKind, _ part: Int) throws -> TestStore {
        let store = try TestStore(kind, Self.types)
        let context = store.context()
        let (old, other) = (BatchOwner("old"), BatchOwner("other"))
        context.insert(old)
        context.insert(other)
        context.insert(Self.parts[part](old))
        try context.save()
        return store
    }

    /// What the store contains.
    private func content(_ store: TestStore) throws -> [String] {
        let context = store.context()
        return try context.fetch(FetchDescriptor<BatchOwner>()).map(\.name)
            + context.fetch(FetchDescriptor<NullifiedPart>()).map { "nullified \($0.owner?.name ?? "nil")" }
            + context.fetch(FetchDescriptor<RequiringPart>()).map { "requiring \($0.owner.name)" }
            + context.fetch(FetchDescriptor<OwnedPart>()).map { "owned \($0.owner.name)" }
            + context.fetch(FetchDescriptor<DenyingPart>()).map { "denying \($0.owner?.name ?? "nil")" }
            + context.fetch(FetchDescriptor<OnlyPart>()).map { "only \($0.owner.name)" }
            + context.fetch(FetchDescriptor<LoosePart>()).map { "loose \($0.owner.name)" }
    }

    @Test(arguments: StoreKind.allCases, parts.indices)
    func aBatchDeleteIsLikeDeletingEachModel(_ kind: StoreKind, _ part: Int) throws {
        for predicate in Self.predicates {
            let (batch, each) = (try store(kind, part), try store(kind, part))
            let before = try content(batch)
            let context = each.context()
            for owner in try context.fetch(FetchDescriptor(predicate: predicate())) { context.delete(owner) }
            let expected = try failure { try context.save() }
            // An unsaved part of another owner is not affected.
            let other = batch.context()
            let owners = try other.fetch(FetchDescriptor<BatchOwner>(sortBy: [SortDescriptor(\.name)]))
            other.insert(Self.parts[part](owners[1]))
            let found = try failure { try other.delete(model: BatchOwner.self, where: predicate()) }
            #expect((found == nil) == (expected == nil))
            #expect(try content(batch) == content(each))
            if let found {
                // Both are errors with an entity, before anything is written.
                #expect(found == .deleteDenied && found.entityName != nil && expected?.entityName != nil)
                #expect(try content(batch) == before && batch.history().count == 1)
            } else {
                #expect(owners[0].isDeleted && !owners[1].isDeleted)
            }
            try other.save()
            #expect(try content(batch).contains { $0.hasSuffix(" other") })
        }
    }

    @Test(arguments: StoreKind.allCases, parts.indices)
    func anUnsavedPartOfADeletedOwnerIsNotSavedWithoutIt(_ kind: StoreKind, _ part: Int) throws {
        let store = try store(kind, 0)
        let context = store.context()
        let owner = try #require(
            try context.fetch(FetchDescriptor<BatchOwner>(predicate: #Predicate { $0.name == "old" })).first)
        let new = Self.parts[part](owner)
        context.insert(new)
        try context.delete(model: BatchOwner.self, where: #Predicate { $0.name == "old" })
        #expect(owner.isDeleted)
        let error = try failure { try context.save() }
        // The reference is nil; a required one has to be set.
        if part == 0 || part == 3 {
            #expect(error == nil)
        } else {
            #expect(error == .modelValidationFailure && error?.propertyName == "owner")
            context.delete(new)
            try context.save()
        }
        #expect(try content(store).filter { $0.hasSuffix(" old") } == [])
    }

    @Test(arguments: StoreKind.allCases) func countsAreValidated(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [CountedBox.self, CountedThing.self])
        let context = store.context()
        let box = CountedBox()
        box.things = ["a", "b"].map { CountedThing($0) }
        context.insert(box)
        try context.save()
        try context.delete(model: CountedThing.self, where: #Predicate { $0.name == "a" })
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.delete(model: CountedThing.self) }
        #expect(try store.context().fetchCount(FetchDescriptor<CountedThing>()) == 1)
        try context.delete(model: CountedBox.self)
        try context.delete(model: CountedThing.self)
        #expect(try store.context().fetchCount(FetchDescriptor<CountedThing>()) == 0)
    }
}
