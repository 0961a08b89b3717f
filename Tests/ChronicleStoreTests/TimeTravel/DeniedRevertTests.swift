import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Reverts that would delete a model although a delete rule forbids it.
@Suite struct DeniedRevertTests {
    private let store: TestStore
    private let context: ModelContext

    init() throws {
        store = try TestStore(.file, [Cupboard.self, Jar.self, Lid.self, Guild.self], preservesValues: true)
        context = store.context()
    }

    private func last() throws -> Transaction { try #require(context.fetchHistory(Descriptor()).last) }

    private func expectDenied(_ transaction: Transaction, _ property: String, _ related: PersistentIdentifier) throws {
        var plan = try context.revertPlan(for: transaction)
        let conflict = try #require(plan.conflicts.first)
        #expect(plan.conflicts.count == 1)
        #expect((conflict.kind, conflict.propertyName) == (.referenced, property))
        #expect(conflict.relatedModels == [related])
        #expect(conflict.allowedResolutions == [.skipModel])
        plan.resolveAll(with: .restoreOld)
        #expect(throws: SwiftDataError.revertConflict) { try context.apply(plan) }
        #expect(!context.hasChanges)
        plan.resolveAll(with: .skipModel)
        try context.apply(plan)
        #expect(!context.hasChanges)
    }

    @Test func aDestinationThatWasAddedLaterIsAConflict() throws {
        let (cupboard, jar) = (Cupboard(), Jar(Lid()))
        context.insert(cupboard)
        try context.save()
        let insert = try last()
        context.insert(jar)
        jar.cupboard = cupboard
        try context.save()
        try expectDenied(insert, "jars", jar.persistentModelID)
    }

    @Test func aRequiredReferenceThatWasAddedLaterIsAConflict() throws {
        let lid = Lid()
        context.insert(lid)
        try context.save()
        let insert = try last()
        let jar = Jar(lid)
        context.insert(jar)
        try context.save()
        try expectDenied(insert, "jars", jar.persistentModelID)
    }

    @Test func aLinkWithoutAnInverseIsAConflict() throws {
        let jar = Jar(Lid())
        context.insert(jar)
        try context.save()
        let guild = Guild()
        context.insert(guild)
        guild.jars = [jar]
        try context.save()
        try expectDenied(last(), "jars", jar.persistentModelID)
    }

    @Test func destinationsThatTheRevertDeletesOrMovesAreNoConflict() throws {
        let (old, moved) = (Cupboard(), Jar(Lid()))
        context.insert(old)
        context.insert(moved)
        moved.cupboard = old
        try context.save()
        let start = try context.currentHistoryToken()
        let cupboard = Cupboard()
        context.insert(cupboard)
        try context.save()
        let new = Jar(Lid())
        context.insert(new)
        (new.cupboard, moved.cupboard) = (cupboard, cupboard)
        try context.save()
        try context.revert(between: start, and: context.currentHistoryToken())
        try context.save()
        #expect(moved.cupboard === old)
        #expect(try context.fetch(FetchDescriptor<Cupboard>()).map(\.persistentModelID) == [old.persistentModelID])
        #expect(try context.fetchCount(FetchDescriptor<Jar>()) == 1)
        #expect(try context.fetchCount(FetchDescriptor<Lid>()) == 1)
    }
}

@Model private final class Cupboard {
    @Relationship(deleteRule: .deny, inverse: \Jar.cupboard) var jars: [Jar] = []
    init() {}
}

@Model private final class Jar {
    var cupboard: Cupboard?
    var lid: Lid
    init(_ lid: Lid) { self.lid = lid }
}

@Model private final class Lid {
    @Relationship(inverse: \Jar.lid) var jars: [Jar] = []
    init() {}
}

@Model private final class Guild {
    @Relationship(deleteRule: .deny) var jars: [Jar] = []
    init() {}
}
