import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The values of inserts, updates, and deletes that the history preserves.
@Suite struct PreservedValueTests {
    typealias Piece = PreservedModels.Piece
    typealias Holder = PreservedModels.Holder
    typealias Label = PreservedModels.Label

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func context(
        _ kind: PreservedStore, _ types: [any PersistentModel.Type] = PreservedModels.types,
        preservesValues: Bool = true
    ) throws -> ModelContext {
        ModelContext(try kind.container(types, directory, preservesValues: preservesValues))
    }

    // MARK: Optionals

    @Test(arguments: PreservedStore.allCases) func nilIsAValue(_ kind: PreservedStore) throws {
        let context = try context(kind)
        let piece = Piece("a")
        context.insert(piece)
        try context.save()
        piece.note = "x"
        try context.save()
        piece.note = nil
        try context.save()
        piece.name = "b"
        try context.save()

        let insert = try #require(try context.inserts(Piece.self).first)
        #expect(insert.value(\.note) == .some(.none))
        #expect(insert.value(\.name) == .some("a"))
        #expect(insert.value(\.partner) == .some(.none))
        #expect(insert.value(\.labels) == nil)
        #expect(insert.value(named: "note").map { $0 == nil } == true)
        #expect(insert.value(named: "labels") == nil)
        #expect(insert.preservedValues.count == 10)

        let updates = try context.updates(Piece.self)
        try #require(updates.count == 3)
        #expect(updates.map { $0.previousValue(\.note) } == [.some(.none), .some("x"), .none])
        #expect(updates.map { $0.value(\.note) } == [.some("x"), .some(.none), .none])
        #expect(updates.map { $0.previousValue(\.name) } == [nil, nil, "a"])
        #expect(updates.map { $0.value(\.name) } == [nil, nil, "b"])
        #expect(updates[0].previousValue(named: "note").map { $0 == nil } == true)
        #expect(updates[1].value(named: "note").map { $0 == nil } == true)
        #expect(updates[2].value(named: "note") == nil)
        #expect(updates.map { $0.previousValue(\.partner) } == [.none, .none, .none])
    }

    @Test(arguments: PreservedStore.allCases) func withoutTheSettingNoValueIsPreserved(_ kind: PreservedStore) throws {
        let context = try context(kind, preservesValues: false)
        let piece = Piece("a")
        context.insert(piece)
        try context.save()
        (piece.note, piece.partner, piece.name) = ("x", piece, "b")
        try context.save()
        context.delete(piece)
        try context.save()
        let insert = try #require(try context.inserts(Piece.self).first)
        #expect(insert.preservedValues.isEmpty)
        #expect(insert.value(\.note) == .none)
        #expect(insert.value(\.name) == nil)
        #expect(insert.value(\.partner) == .none)
        for update in try context.updates(Piece.self) {
            #expect(update.preservedValues.isEmpty)
            #expect(update.previousValue(\.note) == .none)
            #expect(update.value(\.note) == .none)
            #expect(update.value(\.partner) == .none)
        }
        #expect(try context.deletes(Piece.self).first?.tombstone.first { _ in true } == nil)
    }

    // MARK: Relationships

    @Test(arguments: PreservedStore.allCases) func destinationsAreIdentifiers(_ kind: PreservedStore) throws {
        let context = try context(kind)
        let (first, second, piece) = (Piece("first"), Piece("second"), Piece("piece"))
        for model in [first, second, piece] { context.insert(model) }
        piece.partner = first
        try context.save()
        piece.partner = second
        try context.save()
        context.delete(second)
        try context.save()
        let inserts = try context.inserts(Piece.self)
        let insert = try #require(inserts.first { $0.changedPersistentIdentifier == piece.persistentModelID })
        #expect(insert.value(\.partner) == .some(first.persistentModelID))
        let updates = try context.updates(Piece.self)
        try #require(updates.count == 2)
        #expect(updates.map { $0.previousValue(\.partner) } == [first.persistentModelID, second.persistentModelID])
        #expect(updates.map { $0.value(\.partner) } == [.some(second.persistentModelID), .some(.none)])
    }

    @Test(arguments: PreservedStore.allCases) func destinationsOfARequiredRelationship(_ kind: PreservedStore) throws {
        typealias Badge = FixtureModels.Badge
        typealias Ticket = FixtureModels.Ticket
        let context = try context(kind, FixtureModels.types)
        let badges = [Badge("a"), Badge("b")]
        for badge in badges { context.insert(badge) }
        let ticket = Ticket(1, badges[0])
        context.insert(ticket)
        try context.save()
        ticket.badge = badges[1]
        try context.save()
        let insert = try #require(try context.inserts(Ticket.self).first)
        #expect(insert.value(\.badge) == badges[0].persistentModelID)
        let update = try #require(try context.updates(Ticket.self).first)
        #expect(update.previousValue(\.badge) == badges[0].persistentModelID)
        #expect(update.value(\.badge) == badges[1].persistentModelID)
        #expect(update.value(\.price) == nil)
    }

    @Test(arguments: PreservedStore.allCases) func addedAndRemovedDestinations(_ kind: PreservedStore) throws {
        let context = try context(kind)
        let labels = (0..<3).map { Label("\($0)") }
        for label in labels { context.insert(label) }
        let piece = Piece("a")
        context.insert(piece)
        try context.save()
        let identifiers = labels.map(\.persistentModelID)
        (piece.labels, piece.marks, piece.name) = ([labels[0], labels[1]], [labels[2]], "b")
        try context.save()
        (piece.labels, piece.marks) = ([labels[1], labels[2]], nil)
        try context.save()
        let updates = try context.updates(Piece.self)
        try #require(updates.count == 2)
        #expect(updates[0].updatedAttributeNames == ["name", "labels", "marks"])
        #expect(updates[0].addedDestinations(\.labels).map(Set.init) == Set(identifiers.prefix(2)))
        #expect(updates[0].removedDestinations(\.labels) == [])
        #expect(updates[0].addedDestinations(\.marks) == [identifiers[2]])
        #expect(updates[0].previousValue(\.name) == "a")
        #expect(updates[0].addedDestinations(\.friends) == nil)
        #expect(updates[1].addedDestinations(\.labels) == [identifiers[2]])
        #expect(updates[1].removedDestinations(\.labels) == [identifiers[0]])
        #expect(updates[1].removedDestinations(\.marks) == [identifiers[2]])
        // A destination is not the value of a to-many relationship, which is not preserved as a whole.
        for update in updates {
            #expect(update.value(\.marks) == nil)
            #expect(update.previousValue(\.marks) == nil)
            #expect(update.value(\.labels) == nil)
        }
        let added = try context.updates(Label.self).filter {
            $0.addedDestinations(\.pieces) == [piece.persistentModelID]
        }
        #expect(Set(added.map(\.changedPersistentIdentifier)) == Set(identifiers))
    }

    /// The save assigns a destination that a delete reaches in the file only, and changes links, so that its updates are
    /// merged.
    @Test(arguments: PreservedStore.allCases) func aDestinationThatTheSameSaveDeletes(_ kind: PreservedStore) throws {
        let context = try context(kind)
        let (first, second, piece, label) = (Piece("first"), Piece("second"), Piece("piece"), Label("label"))
        let holder = Holder("holder")
        for model in [first, second, piece] { context.insert(model) }
        context.insert(label)
        context.insert(holder)
        piece.partner = first
        try context.save()
        piece.partner = second
        piece.labels = [label]
        context.delete(holder)
        let other = ModelContext(context.container)
        try #require(try other.fetch(FetchDescriptor<Piece>()).first { $0.name == "second" }).holder =
            try other.fetch(FetchDescriptor<Holder>()).first
        try other.save()
        try context.save()
        let updates = try context.updates(Piece.self).filter { $0.containsAttribute(\.partner) }
        try #require(updates.count == 1)
        #expect(updates[0].previousValue(\.partner) == .some(first.persistentModelID))
        #expect(updates[0].value(\.partner) == .some(.none))
        #expect(updates[0].preservedValues.map(\.name) == updates[0].updatedAttributeNames)
    }

    // MARK: Large values

    /// The sizes are in bytes. Options of an attribute preserve values of any size.
    @Test(arguments: PreservedStore.allCases, [65_536, 65_537])
    func valuesOfTheMaximumSize(_ kind: PreservedStore, _ size: Int) throws {
        let context = try context(kind, [Sized.self])
        let (text, data) = (String(repeating: "é", count: 32_768) + (size > 65_536 ? "\0" : ""), Data(count: size))
        let isPreserved = size <= 65_536
        // A large value is inserted, replaced by a small one, and the other way around.
        let model = Sized(text, data)
        context.insert(model)
        try context.save()
        model.set("small", Data([1]))
        try context.save()
        model.set(text, data)
        try context.save()
        context.delete(model)
        try context.save()

        let insert = try #require(try context.inserts(Sized.self).first)
        #expect(insert.value(\.text) == (isPreserved ? text : nil))
        #expect(insert.value(\.data) == (isPreserved ? .some(data) : .none))
        #expect(insert.value(\.number) == 1)
        let updates = try context.updates(Sized.self)
        try #require(updates.count == 2)
        for update in updates {
            #expect(update.updatedAttributeNames == ["text", "data", "keptText", "keptData", "number"])
            #expect(update.preservedValues.count == (isPreserved ? 5 : 3))
            #expect((update.value(\.text) == nil) == !isPreserved)
            #expect((update.previousValue(\.data) == .none) == !isPreserved)
        }
        #expect(updates[0].previousValue(\.keptText) == text)
        #expect(updates[0].value(\.keptText) == "small")
        #expect(updates[1].previousValue(\.keptData) == .some(Data([1])))
        #expect(updates[1].value(\.keptData) == .some(data))
        let tombstone = try #require(try context.deletes(Sized.self).first).tombstone
        #expect(tombstone[\.text] == (isPreserved ? text : nil))
        #expect(tombstone["data"] as? Data == (isPreserved ? data : nil))
        #expect(tombstone[\.keptText] == text)
        #expect(tombstone["keptData"] as? Data == data)
        #expect(tombstone[\.number] == 3)
    }

    @Test(arguments: PreservedStore.allCases) func valuesOfOptionsWithoutTheSetting(_ kind: PreservedStore) throws {
        let context = try context(kind, [Sized.self], preservesValues: false)
        let model = Sized("a", nil)
        context.insert(model)
        try context.save()
        model.set("b", Data())
        try context.save()
        context.delete(model)
        try context.save()
        #expect(try context.inserts(Sized.self).first?.preservedValues.isEmpty == true)
        let update = try #require(try context.updates(Sized.self).first)
        #expect(update.preservedValues.map(\.name) == ["keptText", "keptData"])
        #expect(update.previousValue(\.keptData) == .some(.none))
        #expect(update.value(\.keptData) == .some(Data()))
        #expect(update.value(\.text) == nil)
        let tombstone = try #require(try context.deletes(Sized.self).first).tombstone
        #expect(tombstone.attributeNames == ["keptText", "keptData"])
        #expect(tombstone[\.data] == .none)
        #expect(tombstone[\.keptData] == .some(Data()))
    }

    // MARK: Many attributes

    @Test(arguments: PreservedStore.allCases) func attributesOfEveryMask(_ kind: PreservedStore) throws {
        typealias Wide = FixtureModels.Wide
        let context = try context(kind, FixtureModels.types)
        let model = Wide(1)
        context.insert(model)
        try context.save()
        (model.a000, model.a061, model.a062, model.a123, model.a124, model.a129) = (2, 3, 4, 5, 6, 7)
        try context.save()
        model.a063 = 8
        try context.save()
        context.delete(model)
        try context.save()
        let updates = try context.updates(Wide.self)
        try #require(updates.count == 2)
        #expect(updates[0].preservedValues.map(\.name) == ["a000", "a061", "a062", "a123", "a124", "a129"])
        #expect(updates[0].preservedValues.map { $0.previousValue as? Int } == [1, 0, 0, 0, 0, 0])
        #expect(updates[0].preservedValues.map { $0.value as? Int } == [2, 3, 4, 5, 6, 7])
        #expect(updates[1].preservedValues.map(\.name) == ["a063"])
        #expect(updates[1].value(\.a063) == 8)
        #expect(try context.inserts(Wide.self).first?.preservedValues.count == 130)
        #expect(try context.deletes(Wide.self).first?.tombstone.namedValues.map { $0.value as? Int }.count == 130)
    }
}

private final class Sized: PersistentModel {
    @Attribute var text: String
    @Attribute var data: Data?
    @Attribute(.preserveValueOnUpdate, .preserveValueOnDeletion) var keptText: String
    @Attribute(.preserveValueOnUpdate, .preserveValueOnDeletion) var keptData: Data?
    @Attribute var number = 0

    static let properties: PropertyMap<Sized> = [
        "text": \.text, "data": \.data, "keptText": \.keptText, "keptData": \.keptData, "number": \.number,
    ]
    let persistentBackingData: any BackingData<Sized> = Sized.createBackingData()
    init(backingData: any BackingData<Sized>) { persistentBackingData.adopt(backingData) }
    init(_ text: String, _ data: Data?) { set(text, data) }

    func set(_ text: String, _ data: Data?) {
        (self.text, self.data, keptText, keptData) = (text, data, text, data)
        number += 1
    }
}
