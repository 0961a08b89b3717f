import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// `@Attribute(.ephemeral)`: values that exist only in the model.
@Suite struct EphemeralTests {
    @Test(arguments: StoreKind.allCases) func ephemeralValuesStayInTheModel(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Sheet.self])
        let context = store.context()
        let sheet = Sheet("a")
        (sheet.zoom, sheet.marks, sheet.selection) = (2.5, ["x"], "first")
        context.insert(sheet)
        try context.save()
        #expect(sheet.zoom == 2.5 && sheet.marks == ["x"] && sheet.selection == "first")
        (sheet.zoom, sheet.marks, sheet.selection) = (3, [], nil)
        #expect(!sheet.hasChanges && !context.hasChanges)

        let other = store.context()
        let found = try #require(try other.fetch(FetchDescriptor<Sheet>()).first)
        #expect(found.zoom == 1 && found.marks == ["all"] && found.selection == nil)
        found.title = "b"
        try other.save()
        // Stored values are refreshed, and ephemeral values are kept.
        #expect(try context.fetch(FetchDescriptor<Sheet>()) == [sheet])
        #expect(sheet.title == "b" && sheet.zoom == 3 && sheet.marks.isEmpty && sheet.selection == nil)
        sheet.zoom = 4
        sheet.title = "c"
        context.rollback()
        #expect(sheet.title == "b" && sheet.zoom == 4)
    }

    @Test func ephemeralValuesAreNotStored() throws {
        let store = try TestStore(.file, [Sheet.self])
        let entity = try #require(store.container.schema.entitiesByName["Sheet"])
        #expect(entity.properties.map(\.name) == ["title"])
        #expect(try Shell.sqlite3(store.url, "SELECT group_concat(name) FROM pragma_table_info('Sheet')") == "id,title")
        let context = store.context()
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Sheet>(predicate: #Predicate { $0.zoom > 1 }))
        }
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try context.fetch(FetchDescriptor<Sheet>(sortBy: [SortDescriptor(\.zoom)]))
        }
    }

    @Test func invalidDeclarationsThrow() throws {
        let unset = try #require(throws: SwiftDataError.self) { try Schema(Unset.self).validate() }
        #expect(unset == .invalidModel && unset.propertyName == "zoom" && unset.detail?.contains("default") == true)
        let kept = try #require(throws: SwiftDataError.self) { try Schema(Kept.self).validate() }
        #expect(kept == .invalidModel && kept.propertyName == "zoom" && kept.detail?.contains("preserved") == true)
    }
}

@Model private final class Sheet {
    var title: String
    @Attribute(.ephemeral) var zoom = 1.0
    @Attribute(.ephemeral) var marks = ["all"]
    @Attribute(.ephemeral) var selection: String?

    init(_ title: String) { self.title = title }
}

@Model private final class Unset {
    @Attribute(.ephemeral) var zoom: Double

    init(zoom: Double) { self.zoom = zoom }
}

@Model private final class Kept {
    @Attribute(.ephemeral, .preserveValueOnDeletion) var zoom = 1.0
}
