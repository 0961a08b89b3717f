import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// Saves whose deletes cascade to changed models, because another context has connected these with the deleted ones.
@Suite("Changes of models to which a save cascades") struct CascadedChangeTests {
    /// What the program changes before it saves the delete of the box.
    enum Edit: String, CaseIterable { case name, reference, badge, link, ownLink, album }

    /// How another context connects the part with the box.
    enum Connection: CaseIterable { case reference, link }

    private struct Fixture {
        let store: TestStore
        let context: ModelContext
        let box = Box()
        let badge = Badge("badge")
        let seal = Seal()
        let album = Album()
        let kept = Part("kept")
        let tag = Tag("tag")
        let part: Part

        init(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder, _ connection: Connection) throws {
            store = try TestStore(
                kind, [Box.self, Part.self, Badge.self, Seal.self, Tag.self, Album.self, Label.self],
                preservesValues: true,
                recorder: recorder)
            context = store.context()
            for model in [box, badge, seal, album, kept, tag] as [any PersistentModel] { context.insert(model) }
            try context.save()
            context.delete(box)
            let other = store.context()
            let late = Part("late")
            other.insert(late)
            let theirs = try #require(try other.existingModel(for: box.persistentModelID) as? Box)
            switch connection {
            case .reference: late.box = theirs
            case .link: theirs.spares.append(late)
            }
            try other.save()
            part = try #require(try context.existingModel(for: late.persistentModelID) as? Part)
        }

        /// Returns the models that the changes belong to.
        func edit(_ edit: Edit) -> [any PersistentModel] {
            switch edit {
            case .name: part.name = "edit"
            case .reference: part.seal = seal
            case .badge:
                badge.part = part
                badge.name = "edit"
                return [part, badge]
            case .link: part.tags.append(tag)
            case .ownLink: part.marks.append(tag)
            case .album: album.parts.append(part)
            }
            return [part]
        }

        func names<Model: Named>(_: Model.Type) throws -> [String] {
            try store.context().fetch(FetchDescriptor<Model>()).map(\.name).sorted()
        }
    }

    private static let cases = Edit.allCases.flatMap { edit in Connection.allCases.map { (edit, $0) } }

    @Test(arguments: StoreKind.allCases, cases)
    func changesAreReported(_ kind: StoreKind, _ change: (edit: Edit, connection: Connection)) throws {
        for recorder in ModelConfiguration.Recorder.allCases {
            let fixture = try Fixture(kind, recorder, change.connection)
            let context = fixture.context
            let edited = fixture.edit(change.edit)
            fixture.kept.name = "saved"
            let posted = Mutex<Set<PersistentIdentifier>>([])
            let observer = NotificationCenter.default.addObserver(
                forName: ModelContext.didSave, object: context, queue: nil
            ) { notification in
                let deleted = notification.userInfo?[ModelContext.NotificationKey.deletedIdentifiers.rawValue]
                posted.withLock { $0.formUnion(deleted as? [PersistentIdentifier] ?? []) }
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            try context.save()
            if change.edit == .badge {
                #expect(posted.withLock { $0.contains(fixture.badge.persistentModelID) })
            }
            let dropped = context.lastSaveResult.droppedChanges
            #expect(Set(dropped.map(\.persistentIdentifier)) == Set(edited.map(\.persistentModelID)))
            #expect(edited.allSatisfy { $0.isDeleted && $0.modelContext == nil } && !context.hasChanges)
            if change.edit == .badge {
                let badge = dropped.first { $0.persistentIdentifier == fixture.badge.persistentModelID }
                #expect(badge?.value(named: "name") as? String == "edit")
            }
            #expect(try fixture.names(Part.self) == ["saved"])
            #expect(try fixture.names(Badge.self) == (change.edit == .badge ? [] : ["badge"]))
            #expect(try fixture.names(Tag.self) == ["tag"] && fixture.tag.parts.isEmpty && fixture.album.parts.isEmpty)
            let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
            let deleted = last.changes.compactMap {
                if case .delete = $0 { $0.changedPersistentIdentifier } else { nil }
            }
            let box = fixture.box.persistentModelID
            let rows = [box, fixture.part.persistentModelID] + edited.map(\.persistentModelID)
            #expect(Set(deleted) == Set(rows) && deleted.count == Set(rows).count)
            let updated = last.changes.compactMap {
                if case .update = $0 { $0.changedPersistentIdentifier } else { nil }
            }
            #expect(updated.filter { !rows.contains($0) } == [fixture.kept.persistentModelID])
            try context.save()
            #expect(context.lastSaveResult.droppedChanges.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases, cases)
    func errorPolicyWritesNothing(_ kind: StoreKind, _ change: (edit: Edit, connection: Connection)) throws {
        let fixture = try Fixture(kind, .automatic, change.connection)
        let context = fixture.context
        context.mergePolicy = .error
        let edited = fixture.edit(change.edit)
        let error = try #require(#expect(throws: SwiftDataError.self) { try context.save() })
        let isLink = change.edit == .link || change.edit == .album
        #expect(error.code == (isLink ? .modelValidationFailure : .modelNotFound))
        #expect(edited.map(\.persistentModelID).contains { $0 == error.persistentIdentifier })
        #expect(try fixture.names(Part.self) == ["kept", "late"] && fixture.box.isDeleted)
        // The error proposes to delete the model.
        context.delete(fixture.part)
        try context.save()
        #expect(try fixture.names(Part.self) == ["kept"])
        #expect(try fixture.names(Badge.self) == (change.edit == .badge ? [] : ["badge"]))
    }

    @Test(arguments: StoreKind.allCases) func linksOfDeletedOwnersAreDropped(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind, .automatic, .reference)
        let context = fixture.context
        let other = fixture.store.context()
        other.delete(try #require(try other.existingModel(for: fixture.part.persistentModelID) as? Part))
        try other.save()
        fixture.part.marks.append(fixture.tag)
        try context.save()
        let dropped = context.lastSaveResult.droppedChanges
        #expect(dropped.map(\.persistentIdentifier) == [fixture.part.persistentModelID])
        #expect(dropped.first?.updatedAttributeNames == ["marks"] && fixture.part.isDeleted && !context.hasChanges)
    }

    /// The delete of an owner does not cascade along a link that the save removes, also if the owner's other changes are dropped.
    @Test(arguments: StoreKind.allCases) func modelsThatADroppedOwnerHasLostSurvive(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind, .automatic, .reference)
        let context = fixture.context
        let other = fixture.store.context()
        let kept = Label("kept")
        other.insert(kept)
        try #require(try other.existingModel(for: fixture.part.persistentModelID) as? Part).labels = [kept]
        try other.save()
        try #require(fixture.part.labels.first).name = "edited"
        fixture.part.labels = [Label("new")]
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.map(\.persistentIdentifier) == [fixture.part.persistentModelID])
        #expect(try fixture.names(Label.self) == ["edited", "new"] && fixture.names(Part.self) == ["kept"])
    }

    /// The destination is deleted through an instance that has not read its row.
    @Test(arguments: StoreKind.allCases) func referencesToDeletedUnloadedModelsAreNil(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind, .automatic, .reference)
        let context = fixture.store.context()
        let part = Part("new")
        context.insert(part)
        let seal = try #require(context.model(for: fixture.seal.persistentModelID) as? Seal)
        part.seal = seal
        context.delete(seal)
        try context.save()
        #expect(try part.seal == nil && fixture.store.context().fetchCount(FetchDescriptor<Seal>()) == 0)
    }

    @Test(arguments: StoreKind.allCases) func movedModelsSurvive(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind, .automatic, .reference)
        let context = fixture.context
        let other = Box()
        context.insert(other)
        fixture.badge.part = fixture.part
        fixture.part.box = other
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.isEmpty)
        #expect(try fixture.names(Part.self) == ["kept", "late"] && fixture.names(Badge.self) == ["badge"])
    }
}

private protocol Named: PersistentModel { var name: String { get } }

/// Owns parts along a reference, and along links.
@Model private final class Box {
    @Relationship(deleteRule: .cascade, inverse: \Part.box) var parts: [Part] = []
    @Relationship(deleteRule: .cascade) var spares: [Part] = []
    init() {}
}

@Model private final class Part: Named {
    var name: String
    var box: Box?
    var seal: Seal?
    @Relationship(inverse: \Tag.parts) var tags: [Tag] = []
    var marks: [Tag] = []
    @Relationship(deleteRule: .cascade) var labels: [Label] = []
    @Relationship(deleteRule: .cascade, inverse: \Badge.part) var badge: Badge?
    init(_ name: String) { self.name = name }
}

@Model private final class Tag: Named {
    var name: String
    var parts: [Part] = []
    init(_ name: String) { self.name = name }
}

@Model private final class Badge: Named {
    var name: String
    var part: Part?
    init(_ name: String) { self.name = name }
}

@Model private final class Label: Named {
    var name: String
    init(_ name: String) { self.name = name }
}

@Model private final class Seal {
    init() {}
}

/// Parts do not know their albums.
@Model private final class Album {
    var parts: [Part] = []
    init() {}
}
