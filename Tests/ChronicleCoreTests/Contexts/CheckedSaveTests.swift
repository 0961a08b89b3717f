import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A squad has one or two players.
@Model
private final class Squad {
    @Attribute(.unique) var name: String
    @Relationship(minimumModelCount: 1, maximumModelCount: 2, inverse: \SquadPlayer.squad) var players: [SquadPlayer] =
        []
    @Relationship(maximumModelCount: 2) var sponsors: [Sponsor] = []

    init(_ name: String, _ players: SquadPlayer...) {
        self.name = name
        self.players = players
    }
}

@Model
private final class SquadPlayer {
    enum Level: String, Codable, CaseIterable { case low, high }

    @Attribute(.unique) var name: String
    var level = Level.low
    var note = ""
    var squad: Squad?

    init(_ name: String, in squad: Squad? = nil) {
        self.name = name
        self.squad = squad
    }
}

@Model
private final class Sponsor {
    var name: String
    init(_ name: String) { self.name = name }
}

extension ModelContext {
    fileprivate func player(_ name: String) throws -> SquadPlayer {
        try #require(try fetch(FetchDescriptor<SquadPlayer>(predicate: #Predicate { $0.name == name })).first)
    }

    fileprivate func squad(_ name: String) throws -> Squad {
        try #require(try fetch(FetchDescriptor<Squad>(predicate: #Predicate { $0.name == name })).first)
    }
}

/// Saves that read rows to validate relationships, and saves that merge models with such relationships.
@Suite("Saves with model counts") struct CheckedSaveTests {
    /// A store with the squad `s` of the players `a` and `b`, and the squad `t` of the player `c`.
    private func filled(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind, [Squad.self])
        try store.context().add(
            Squad("s", SquadPlayer("a"), SquadPlayer("b")), Squad("t", SquadPlayer("c")))
        return store
    }

    private func names(_ squad: String, _ store: TestStore) throws -> [String] {
        try store.reading { try $0.squad(squad).players.map(\.name).sorted() }
    }

    // MARK: Rows that the validation reads again

    @Test("Another context's value is neither lost nor hidden", arguments: StoreKind.allCases)
    func otherValue(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let (context, other) = (store.context(), store.context())
        let (a, b) = (try context.player("a"), try context.player("b"))
        try other.player("a").level = .high
        try other.save()
        a.note = "edited"
        // The validation of the squad reads its players.
        b.squad = nil
        try context.save()
        #expect(a.level == .high)
        a.level = .low
        try context.save()
        #expect(try store.reading { try $0.player("a").level } == .low)
        #expect(try store.reading { try $0.player("a").note } == "edited")
    }

    @Test("A reference and the list at its other end agree", arguments: StoreKind.allCases)
    func otherReference(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let (context, other) = (store.context(), store.context())
        let (a, b, s, t) = (
            try context.player("a"), try context.player("b"), try context.squad("s"), try context.squad("t")
        )
        try other.player("a").squad = other.squad("t")
        try other.save()
        (a.note, b.note) = ("edited", "edited")
        t.players.removeAll { $0.name == "c" }
        try context.save()
        #expect(a.squad === t && t.players.map(\.name) == ["a"] && s.players.map(\.name) == ["b"])
        a.squad = s
        t.players.append(b)
        try context.save()
        #expect(try names("s", store) == ["a"] && names("t", store) == ["b"])
    }

    @Test("A model whose row is gone is dropped, even if its edits are none", arguments: StoreKind.allCases)
    func goneOwner(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let (context, other) = (store.context(), store.context())
        let (c, t) = (try context.player("c"), try context.squad("t"))
        other.delete(try other.squad("t"))
        try other.save()
        t.name = "t"
        c.squad = nil
        try context.save()
        #expect(t.isDeleted && t.modelContext == nil)
        #expect(context.lastSaveResult.droppedChanges.map(\.persistentIdentifier) == [t.persistentModelID])
        #expect(!context.hasChanges)
    }

    // MARK: Merged models

    private static let policies: [ModelContext.MergePolicy] = [.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump]

    private func expectFailure(_ property: String, _ context: ModelContext) {
        let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(error?.propertyName == property && error?.persistentIdentifier?.entityName == "Squad")
        #expect(context.hasChanges)
        context.rollback()
    }

    @Test("The destinations of the row count", arguments: StoreKind.allCases, policies)
    func maximum(_ kind: StoreKind, _ policy: ModelContext.MergePolicy) throws {
        let store = try filled(kind)
        let context = store.context()
        context.mergePolicy = policy
        context.insert(SquadPlayer("d", in: Squad("s")))
        expectFailure("players", context)
        #expect(try names("s", store) == ["a", "b"])
        // The other row has room for one more.
        try context.add(SquadPlayer("d", in: Squad("t")))
        #expect(try names("t", store) == ["c", "d"])
        context.insert(SquadPlayer("e", in: Squad("t")))
        expectFailure("players", context)
    }

    @Test("A row whose list is not changed is not validated", arguments: StoreKind.allCases)
    func unchanged(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let context = store.context()
        try context.add(SquadPlayer("a", in: Squad("s")))
        #expect(try names("s", store) == ["a", "b"])
        // The inserted instance is validated before it is known that a row has its values.
        context.insert(Squad("s"))
        expectFailure("players", context)
    }

    @Test("A list that replaces that of the row counts alone", arguments: StoreKind.allCases)
    func replacedList(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let context = store.context()
        try context.add(Squad("s", SquadPlayer("d"), SquadPlayer("e")))
        #expect(try names("s", store) == ["d", "e"])
    }

    @Test("A merged destination leaves the list of its previous owner", arguments: StoreKind.allCases)
    func minimum(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let context = store.context()
        context.insert(SquadPlayer("c", in: Squad("u")))
        expectFailure("players", context)
        try context.add(SquadPlayer("b", in: Squad("u")))
        #expect(try names("s", store) == ["a"] && names("u", store) == ["b"])
    }

    @Test("Several inserted models that become one", arguments: StoreKind.allCases)
    func inserted(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let context = store.context()
        for name in ["d", "e", "f"] { context.insert(SquadPlayer(name, in: Squad("u"))) }
        expectFailure("players", context)
        for name in ["d", "e"] { context.insert(SquadPlayer(name, in: Squad("u"))) }
        try context.save()
        #expect(try names("u", store) == ["d", "e"])
    }

    @Test("Links of the row count", arguments: StoreKind.allCases)
    func links(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let context = store.context()
        try context.squad("t").sponsors = [Sponsor("x"), Sponsor("y")]
        try context.save()
        let squad = Squad("t", SquadPlayer("c"))
        squad.sponsors = [Sponsor("z")]
        context.mergePolicy = .mergeByPropertyStoreTrump
        context.insert(squad)
        expectFailure("sponsors", context)
        context.mergePolicy = .mergeByPropertyObjectTrump
        let again = Squad("t", SquadPlayer("c"))
        again.sponsors = [Sponsor("z")]
        try context.add(again)
        #expect(try store.reading { try $0.squad("t").sponsors.map(\.name) } == ["z"])
    }
}
