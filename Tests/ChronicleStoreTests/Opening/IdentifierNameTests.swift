import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// An attribute may have the usual name of the primary key column.
@Suite struct IdentifierNameTests {
    @Test(arguments: StoreKind.allCases) func attributeNamedIDWorksLikeOthers(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Coded.self, CodedPart.self])
        let context = store.context()
        let (first, second) = (Coded(id: "b"), Coded(id: "a"))
        first.parts = [CodedPart(), CodedPart()]
        context.insert(first)
        context.insert(second)
        try context.save()
        first.id = "c"
        try context.save()

        let other = store.context()
        let sorted = try other.fetch(FetchDescriptor<Coded>(sortBy: [SortDescriptor(\.id)]))
        #expect(sorted.map(\.id) == ["a", "c"] && sorted.map(\.parts.count) == [0, 2])
        let found = try other.fetch(FetchDescriptor<Coded>(predicate: #Predicate { $0.id == "c" }))
        #expect(found.map(\.persistentModelID) == [first.persistentModelID])
        let parts = FetchDescriptor<CodedPart>(predicate: #Predicate { $0.owner?.id == "c" })
        #expect(try other.fetchCount(parts) == 2)
        #expect(sorted[0].id == "a" && identifier(of: sorted[0]) == "a")
        #expect(try other.existingModel(for: second.persistentModelID) === sorted[0])
        try other.delete(model: Coded.self, where: #Predicate { $0.id == "c" })
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<CodedPart>()) == 0)

        let changes = try store.history().flatMap(\.changes)
        guard case .update(let update as DefaultHistoryUpdate<Coded>) = changes[4] else {
            Issue.record("the fifth change is not an update: \(changes)")
            return
        }
        #expect(update.containsAttribute(\.id) && update.changedPersistentIdentifier == first.persistentModelID)
        let kept = changes.compactMap { change -> String? in
            if case .delete(let delete as DefaultHistoryDelete<Coded>) = change { delete.tombstone[\.id] } else { nil }
        }
        #expect(kept == ["c"])
    }

    private func identifier<Value: Identifiable>(of value: Value) -> Value.ID { value.id }

    @Test func otherProgramsMayWriteTheAttribute() throws {
        let store = try TestStore(.file, [Coded.self, CodedPart.self])
        try store.shell("INSERT INTO Coded(id) VALUES ('a'); UPDATE Coded SET id = 'b'; UPDATE Coded SET _rowid_ = 7")
        try store.shell("REPLACE INTO Coded(_rowid_, id) VALUES (7, 'c')")
        #expect(try store.context().fetch(FetchDescriptor<Coded>()).map(\.id) == ["c"])
        #expect(
            try store.lines() == [
                "insert Coded/1, update Coded/1 id, delete Coded/1, insert Coded/7, delete Coded/7, insert Coded/7"
            ])
    }

    /// The file has a key column of that name from an earlier version.
    @Test func attributeMayBeAddedAndRemoved() throws {
        let store = try TestStore(.file, [Uncoded.self])
        let context = store.context()
        let old = Uncoded()
        context.insert(old)
        try context.save()
        let token = try context.currentHistoryToken()
        #expect(try store.shell("SELECT id, note FROM Coded") == "1|x")

        let new = ModelContext(try store.reopened([Coded.self, CodedPart.self]))
        let read = try #require(try new.fetch(FetchDescriptor<Coded>()).first)
        #expect(read.id == "new" && read.persistentModelID == old.persistentModelID)
        read.id = "mine"
        try new.save()
        #expect(try store.shell("SELECT _rowid_, id, note FROM Coded") == "1|mine|x")

        let again = ModelContext(try store.reopened([Uncoded.self]))
        let back = try #require(try again.fetch(FetchDescriptor<Uncoded>()).first)
        #expect(back.note == "x")
        back.note = "y"
        try again.save()
        #expect(try store.shell("SELECT _rowid_, id, note FROM Coded") == "1|mine|y")
        let names = try again.fetchHistory(.after(token)).flatMap(\.changes).map { change -> [String] in
            if case .update(let update as DefaultHistoryUpdate<Uncoded>) = change {
                update.updatedAttributeNames
            } else {
                []
            }
        }
        #expect(names == [["id"], ["note"]])
    }
}

private final class Coded: PersistentModel, Identifiable {
    @Attribute(.unique, .preserveValueOnDeletion) var id: String = "new"
    @Attribute var note = "x"
    @Relationship(deleteRule: .cascade, inverse: \CodedPart.owner) var parts: [CodedPart]
    static let properties: PropertyMap<Coded> = ["id": \.id, "note": \.note, "parts": \.parts]
    let persistentBackingData: any BackingData<Coded>
    init(backingData: any BackingData<Coded>) { persistentBackingData = backingData }

    init(id: String) {
        persistentBackingData = Coded.createBackingData()
        self.id = id
    }
}

private final class CodedPart: PersistentModel {
    @Relationship var owner: Coded?
    static let properties: PropertyMap<CodedPart> = ["owner": \.owner]
    let persistentBackingData: any BackingData<CodedPart>
    init(backingData: any BackingData<CodedPart>) { persistentBackingData = backingData }
    init() { persistentBackingData = CodedPart.createBackingData() }
}

/// The same entity before it had an attribute of that name.
private final class Uncoded: PersistentModel {
    @Attribute var note = "x"
    static let properties: PropertyMap<Uncoded> = ["note": \.note]
    static let entityName = "Coded"
    let persistentBackingData: any BackingData<Uncoded>
    init(backingData: any BackingData<Uncoded>) { persistentBackingData = backingData }
    init() { persistentBackingData = Uncoded.createBackingData() }
}
