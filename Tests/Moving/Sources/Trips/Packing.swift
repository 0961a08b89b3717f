import Foundation
import SwiftData

// What relationships can be asked for.

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

    init(_ name: String, in suitcase: Suitcase, label: Label? = nil) {
        self.name = name
        self.suitcase = suitcase
        self.label = label
    }
}

@Model
final class Label {
    @Attribute(.unique, .allowsCloudEncryption, originalName: "text", hashModifier: "2") var number: Int

    init(_ number: Int) { self.number = number }
}

public enum Packing {
    public static func lines() throws -> [String] {
        let container = try ModelContainer(
            for: Suitcase.self, PackedItem.self, Label.self,
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let (hers, his) = (Suitcase(owner: "Ada"), Suitcase(owner: "Charles"))
        for name in ["Hat", "Book"] { context.insert(PackedItem(name, in: hers, label: Label(name.count))) }
        context.insert(his)
        hers.isOpen = true
        try context.save()
        var lines: [String] = []

        // Too many, and then not.
        let third = PackedItem("Café crème", in: hers)
        context.insert(third)
        do { try context.save() } catch SwiftDataError.modelValidationFailure { lines.append("full") }
        third.suitcase = his
        try context.save()

        context.delete(his)
        do { try context.save() } catch SwiftDataError.modelValidationFailure { lines.append("not empty") }
        context.rollback()

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
