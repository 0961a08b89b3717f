import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Models with equal unique values are merged with their destinations.
///
/// https://github.com/meshtastic/Meshtastic-Apple/issues/1951
@Suite struct UpsertRelationshipTests {
    private func store(_ kind: StoreKind) throws -> TestStore {
        try TestStore(kind, [Folder.self, Memo.self, Label.self, Cover.self, Purchase.self])
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func destinationsOfBothNewModelsAreKept(_ kind: StoreKind, isSaved: Bool) throws {
        for savesBetween in [false, true] {
            let store = try store(kind)
            if isSaved {
                let folder = Folder("a")
                folder.memos = [Memo("0")]
                folder.labels = [Label("0")]
                folder.cover = Cover("0")
                try store.context().add(folder)
            }
            let context = store.context()
            var folders: [Folder] = []
            for number in 1...2 {
                let folder = Folder("a", rank: number)
                context.insert(folder)
                context.insert(Memo("\(number)", in: folder))
                let label = Label("\(number)")
                context.insert(label)
                label.folders.append(folder)
                folders.append(folder)
                // Like an autosave.
                if savesBetween { try context.save() }
            }
            let cover = Cover("new")
            context.insert(cover)
            cover.folder = folders[1]
            try context.save()
            let numbers = (isSaved ? ["0"] : []) + ["1", "2"]
            let comment: Comment = "saved between: \(savesBetween)"
            #expect(folders[0].isDeleted && !folders[1].isDeleted, comment)
            #expect(folders[1].memos.map(\.title).sorted() == numbers, comment)
            #expect(folders[1].labels.map(\.name).sorted() == numbers, comment)
            #expect(folders[1].cover === cover, comment)
            try store.reading { (reader: ModelContext) throws in
                let found = try reader.folders()
                #expect(found.map(\.rank) == [2], comment)
                #expect(found.first?.memos.map(\.title).sorted() == numbers, comment)
                #expect(found.first?.labels.map(\.name).sorted() == numbers, comment)
                #expect(found.first?.cover?.title == "new", comment)
                #expect(try reader.memos().allSatisfy { $0.folder != nil }, comment)
                let covers = try reader.fetch(FetchDescriptor<Cover>(sortBy: [SortDescriptor(\.title)]))
                #expect(covers.map { $0.folder?.name } == (isSaved ? [nil, "a"] : ["a"]), comment)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func cascadingDestinationsOfBothNewModelsAreKept(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let (first, second) = (Purchase(1), Purchase(1))
        for (purchase, article) in [(first, "pen"), (second, "ink")] {
            context.insert(purchase)
            context.insert(PurchaseLine(article, purchase))
        }
        try context.save()
        #expect(first.isDeleted && second.lines.map(\.article).sorted() == ["ink", "pen"])
        context.delete(second)
        try context.save()
        #expect(try store.context().fetchCount(FetchDescriptor<PurchaseLine>()) == 0)
    }

    @Test(arguments: StoreKind.allCases) func twoContextsInsertTheSameModelWithDestinations(_ kind: StoreKind) throws {
        let store = try store(kind)
        let contexts = (1...2).map { number in
            let context = store.context()
            let folder = Folder("a", rank: number)
            context.insert(folder)
            context.insert(Memo("\(number)", in: folder))
            context.insert(Label("\(number)"))
            return context
        }
        for context in contexts { try context.save() }
        try store.reading { (reader: ModelContext) throws in
            #expect(try reader.folders().map(\.rank) == [2])
            #expect(try reader.folders().first?.memos.map(\.title).sorted() == ["1", "2"])
        }
    }
}
