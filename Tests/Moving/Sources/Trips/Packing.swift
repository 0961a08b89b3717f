import Foundation
import SwiftData

// Options of relationships.

@Model
final class Suitcase {
    var owner: String
    @Attribute(.ephemeral) var isOpen = false
    @Relationship(deleteRule: .deny, minimumModelCount: 0, maximumModelCount: 2, inverse: \PackedItem.suitcase)
    var items: [PackedItem] = []

    init(owner: String) { self.owner = owner }
}

@Model
final class PackedItem {
    var name: String
    var suitcase: Suitcase
    @Relationship(.unique, deleteRule: .cascade, hashModifier: "1") var label: Label?
    var tags: [Tag] = []
    // Without an inverse.
    @Relationship(deleteRule: .cascade) var pictures: [Picture] = []

    init(_ name: String, in suitcase: Suitcase, label: Label? = nil) {
        self.name = name
        self.suitcase = suitcase
        self.label = label
    }
}

@Model
final class Tag {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \PackedItem.tags) var items: [PackedItem] = []

    init(_ name: String) { self.name = name }
}

@Model
final class Picture {
    @Attribute(.externalStorage) var data: Data?

    init(data: Data? = nil) { self.data = data }
}

@Model
final class Label {
    @Attribute(.unique, .allowsCloudEncryption, originalName: "text", hashModifier: "2") var number: Int

    init(_ number: Int) { self.number = number }
}

public enum Packing {
    public static func lines() throws -> [String] {
        let container = try ModelContainer(
            for: Suitcase.self, PackedItem.self, Label.self, Tag.self, Picture.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let (hers, his) = (Suitcase(owner: "Ada"), Suitcase(owner: "Charles"))
        for name in ["Hat", "Book"] { context.insert(PackedItem(name, in: hers, label: Label(name.count))) }
        context.insert(his)
        hers.isOpen = true
        try context.save()
        var lines: [String] = []

        // Too many at first, and then not.
        let third = PackedItem("Café crème", in: hers)
        context.insert(third)
        do { try context.save() } catch SwiftDataError.modelValidationFailure { lines.append("full") }
        third.suitcase = his
        try context.save()

        context.delete(his)
        do { try context.save() } catch SwiftDataError.modelValidationFailure { lines.append("not empty") }
        context.rollback()

        let tag = Tag("fragile")
        third.tags.append(tag)
        third.pictures = [Picture(), Picture(data: Data([1]))]
        try context.save()
        let fragile = #Predicate<PackedItem> { $0.tags.contains { $0.name == "fragile" } && $0.pictures.count == 2 }
        lines += try context.fetch(FetchDescriptor(predicate: fragile)).map { "\($0.tags[0].items.count) \($0.name)" }
        guard let known = context.model(for: third.persistentModelID) as? PackedItem else { return lines }
        tag.items.removeAll { $0 === known }
        try context.save()
        lines.append("\(known.tags.count) \(known.pictures.count)")

        let text = "CAFE"
        var found = FetchDescriptor<PackedItem>(
            predicate: #Predicate { $0.name.localizedStandardContains(text) || $0.suitcase.owner == "Ada" },
            sortBy: [SortDescriptor(\.name)])
        found.relationshipKeyPathsForPrefetching = [\.suitcase]
        found.propertiesToFetch = [\.name]
        try context.enumerate(found, batchSize: 2) { item in
            lines.append("\(item.name) of \(item.suitcase.owner)\(item.suitcase.isOpen ? ", open" : "")")
        }
        return lines
    }
}
