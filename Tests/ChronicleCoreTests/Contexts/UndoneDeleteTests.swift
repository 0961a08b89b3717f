import Chronicle
import ChronicleTestSupport
import Testing

/// Deletes by delete rules that are taken back before the save.
@Suite struct UndoneDeleteTests {
    @Test(arguments: StoreKind.allCases)
    func undoneDeleteOfBothEndsChangesNothing(_ kind: StoreKind) throws {
        let context = try TestStore(kind, [Drawer.self, Sheet.self, Seal.self]).context()
        let (drawer, sheet, seal) = (Drawer(), Sheet(), Seal())
        context.insert(drawer)
        drawer.sheets = [sheet]
        sheet.seal = seal
        try context.save()
        context.delete(drawer)
        context.insert(drawer)
        #expect(sheet.isDeleted && seal.isDeleted)
        context.insert(sheet)
        #expect(sheet.seal === seal && seal.sheet === sheet && sheet.drawer === drawer && drawer.sheets == [sheet])
        #expect(!context.hasChanges && context.changedModelsArray.isEmpty && context.deletedModelsArray.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func deletedDestinationIsRemovedFromTheModelWhoseDeleteIsUndone(_ kind: StoreKind) throws {
        let context = try TestStore(kind, [Drawer.self, Sheet.self, Seal.self]).context()
        let (drawer, sheet, seal) = (Drawer(), Sheet(), Seal())
        context.insert(drawer)
        drawer.sheets = [sheet]
        sheet.seal = seal
        try context.save()
        context.delete(drawer)
        // The program deletes it as well.
        context.delete(seal)
        context.insert(drawer)
        context.insert(sheet)
        #expect(sheet.seal == nil && !sheet.isDeleted && seal.isDeleted)
        #expect(context.changedModelsArray.map(\.persistentModelID) == [sheet.persistentModelID])
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Sheet>()).map { $0.seal == nil } == [true])
        #expect(try context.fetchCount(FetchDescriptor<Seal>()) == 0)
    }
}

@Model private final class Drawer {
    @Relationship(deleteRule: .cascade, inverse: \Sheet.drawer) var sheets: [Sheet] = []
    init() {}
}

@Model private final class Sheet {
    var drawer: Drawer?
    @Relationship(deleteRule: .cascade, inverse: \Seal.sheet) var seal: Seal?
    init() {}
}

@Model private final class Seal {
    var sheet: Sheet?
    init() {}
}
