import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Inserted models with the unique values of existing rows.
@Suite("Upserts")
struct UpsertTests {
    static let models: [any PersistentModel.Type] = [Folder.self, Account.self, Purchase.self, PathNode.self]

    private func store(_ kind: StoreKind) throws -> TestStore { try TestStore(kind, Self.models) }

    @Test("An insert updates the row with the same unique value", arguments: StoreKind.allCases)
    func update(_ kind: StoreKind) throws {
        let store = try store(kind)
        let first = Folder("a", note: "old", rank: 1)
        try store.context().add(first)
        let context = store.context(author: "import")
        let second = Folder("a", note: "new", rank: 1)
        let temporary = second.persistentModelID
        let other = Folder("b")
        try context.add(other, second)
        #expect(temporary.isTemporary && second.persistentModelID == first.persistentModelID)
        #expect(!context.hasChanges && !second.isDeleted && second.modelContext === context)
        let registered: Folder? = context.registeredModel(for: first.persistentModelID)
        #expect(registered === second)
        #expect(context.lastSaveResult.mergedIdentifiers == [first.persistentModelID])
        #expect(
            try store.history().last?.line
                == "import: update \(first.persistentModelID) note, insert \(other.persistentModelID)")
        try store.reading { (reader: ModelContext) throws in
            #expect(try reader.folders().map { "\($0.name) \($0.note ?? "-") \($0.rank)" } == ["a new 1", "b - 0"])
        }
        // The instance is an ordinary one from now on.
        second.rank = 7
        try context.save()
        #expect(try store.history().last?.line == "import: update \(first.persistentModelID) rank")
        #expect(context.lastSaveResult.mergedIdentifiers.isEmpty)
    }

    @Test("An insert without a difference records nothing", arguments: StoreKind.allCases)
    func noDifference(_ kind: StoreKind) throws {
        let store = try store(kind)
        let first = Account("a@b", tags: ["x"])
        try store.context().add(first)
        let context = store.context()
        let second = Account("a@b", tags: ["x"])
        try context.add(second)
        #expect(second.persistentModelID == first.persistentModelID && !context.hasChanges)
        #expect(try store.history().count == 1)
    }

    @Test("All attributes are replaced, with nil as well", arguments: StoreKind.allCases)
    func attributes(_ kind: StoreKind) throws {
        let store = try store(kind)
        try store.context().add(Account("a@b", handle: "ab", tags: ["x", "y"]))
        let context = store.context()
        let second = Account("a@b", tags: ["z"])
        second.visits = 3
        try context.add(second)
        #expect(second.handle == nil && second.tags == ["z"] && second.visits == 3)
        try store.reading { (reader: ModelContext) throws in
            let row = try #require(try reader.fetch(FetchDescriptor<Account>()).first)
            #expect(row.handle == nil && row.tags == ["z"])
        }
    }

    // MARK: Instances

    @Test("The inserted instance replaces the one in memory", arguments: StoreKind.allCases)
    func instances(_ kind: StoreKind) throws {
        let context = try store(kind).context()
        let first = Folder("a", note: "old")
        try context.add(first)
        first.rank = 5
        let second = Folder("a", note: "new")
        try context.add(second)
        #expect(first.isDeleted && first.modelContext == nil && !first.hasChanges)
        #expect(first.persistentModelID == second.persistentModelID && first.note == "old")
        let found = try context.folders()
        #expect(found.count == 1 && found.first === second && second.note == "new" && second.rank == 0)
        // A change of the replaced instance is not lost without an error.
        first.note = "lost?"
        for _ in 0..<2 { #expect(throws: SwiftDataError.modelNotFound) { try context.save() } }
        context.rollback()
        try context.save()
        #expect(try context.folders().first?.note == "new")
    }

    @Test("A relationship of a replaced instance cannot be set", arguments: StoreKind.allCases)
    func replacedInstance(_ kind: StoreKind) throws {
        let context = try store(kind).context()
        let memo = Memo("saved")
        try context.add(Folder("a"), memo)
        let changes: [(Folder) -> Void] = [
            { $0.memos = [memo] }, { $0.memos.append(Memo("new")) }, { $0.labels.append(Label("x")) },
            { $0.labels = [Label("x")] }, { $0.cover = Cover("c") }, { $0.cover = nil }, { $0.memos = [] },
        ]
        for change in changes {
            let first = try #require(try context.folders().first)
            try context.add(Folder("a"))
            change(first)
            #expect(context.insertedModelsArray.isEmpty && !memo.hasChanges)
            for _ in 0..<2 { #expect(throws: SwiftDataError.modelNotFound) { try context.save() } }
            context.rollback()
            try context.save()
        }
        #expect(try context.memos().count == 1 && context.fetchCount(FetchDescriptor<Cover>()) == 0)
    }

    @Test("Lists contain the surviving instance", arguments: StoreKind.allCases)
    func lists(_ kind: StoreKind) throws {
        let context = try store(kind).context()
        let folder = Folder("a")
        let memo = Memo("one", "old", in: folder)
        try context.add(memo)
        #expect(folder.memos.first === memo)
        let second = Memo("one", "new", in: folder)
        try context.add(second)
        #expect(folder.memos.count == 1 && folder.memos.first === second && second.folder === folder)
        let third = Folder("a")
        try context.add(third)
        #expect(second.folder === third && third.memos.first === second)
    }

    @Test("Two inserts of the same value in one save are one row", arguments: StoreKind.allCases, [false, true])
    func sameSave(_ kind: StoreKind, _ exists: Bool) throws {
        let store = try store(kind)
        if exists { try store.context().add(Folder("a", note: "zero")) }
        let context = store.context()
        let folders = (1...3).map { Folder("a", note: "\($0)") }
        let memo = Memo("m", in: folders[0])
        let account = Account("a@b")
        for model in folders + [memo, account] as [any PersistentModel] { context.insert(model) }
        try context.save()
        #expect(folders.map(\.isDeleted) == [true, true, false])
        #expect(Set(folders.map(\.persistentModelID)).count == 1)
        #expect(folders[2].persistentModelID.isTemporary == false && memo.folder === folders[2])
        #expect(folders[2].memos.first === memo)
        let kinds = try #require(try store.history().last).changes.filter {
            $0.changedPersistentIdentifier.entityName == "Folder"
        }
        #expect(kinds.map { String($0.text.prefix(6)) } == [exists ? "update" : "insert"])
        try store.reading { (reader: ModelContext) throws in
            #expect(try reader.folders().map(\.note) == ["3"] && reader.memos().first?.folder?.note == "3")
        }
    }

    // MARK: Constraints

    @Test("A compound constraint with a reference", arguments: StoreKind.allCases)
    func compound(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let folders = ["a", "b"].map { Folder($0) }
        let memos = folders.map { Memo("one", "old", in: $0) }
        for memo in memos { context.insert(memo) }
        context.insert(Memo("loose"))
        try context.save()
        // Neither of the folders is saved when the memos are compared, and one of them exists.
        let other = store.context()
        let (known, new) = (Folder("a"), Folder("c"))
        let (upsert, insert) = (Memo("one", "new", in: known), Memo("one", "new", in: new))
        try other.add(upsert, insert, Memo("loose"))
        #expect(known.persistentModelID == folders[0].persistentModelID)
        #expect(upsert.persistentModelID == memos[0].persistentModelID)
        #expect(upsert.folder === known && insert.folder === new)
        try store.reading { (reader: ModelContext) throws in
            let texts = try reader.memos().map { "\($0.folder?.name ?? "-") \($0.title) \($0.text)" }
            #expect(texts.sorted() == ["- loose ", "- loose ", "a one new", "b one old", "c one new"])
        }
    }

    @Test("References along a path", arguments: StoreKind.allCases)
    func paths(_ kind: StoreKind) throws {
        let store = try store(kind)
        func path(_ names: [String]) -> PathNode {
            names.reduce(nil as PathNode?) { PathNode($1, in: $0) }!
        }
        try store.context().add(path(["a", "b", "c"]))
        try store.context().add(path(["a", "b", "d"]), path(["a", "x", "c"]))
        let context = store.context()
        let long = path(["a", "b"] + (0..<300).map { "\($0)" })
        try context.add(long)
        try context.add(path(["a", "b"] + (0..<300).map { "\($0)" }))
        #expect(try context.fetchCount(FetchDescriptor<PathNode>()) == 306)
    }

    @Test("Values that belong to two rows are an error", arguments: StoreKind.allCases)
    func twoRows(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        try context.add(Account("a@b", handle: "ab"), Account("c@d", handle: "cd"))
        let third = Account("a@b", handle: "cd")
        context.insert(third)
        context.insert(Folder("new"))
        for _ in 0..<2 {
            let error = try #require(try failure { try context.save() })
            #expect(error == .uniquenessViolation && error.persistentIdentifier == third.persistentModelID)
            #expect(error.entityName == "Account" && error.storeIdentifier != nil)
        }
        #expect(context.insertedModelsArray.count == 2 && third.persistentModelID.isTemporary)
        #expect(try store.history().count == 1)
        third.handle = "new"
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<Account>()).compactMap(\.handle) == ["new", "cd"])
    }

    @Test("A row whose value changes in the same save is not updated", arguments: StoreKind.allCases)
    func renamedRow(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let (first, second, third) = (Folder("a"), Folder("b"), Folder("c"))
        try context.add(first, second, third)
        first.name = "d"
        context.delete(second)
        try context.add(Folder("a", note: "new"), Folder("b", note: "new"), Folder("c", note: "new"))
        #expect(!first.isDeleted && second.isDeleted && third.isDeleted)
        #expect(context.lastSaveResult.mergedIdentifiers == [third.persistentModelID])
        try store.reading { (reader: ModelContext) throws in
            #expect(
                try reader.folders().map { "\($0.name) \($0.note ?? "-")" } == ["a new", "b new", "c new", "d -"])
        }
    }

    @Test("Two updates with the same value are an error", arguments: StoreKind.allCases)
    func updates(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let folders = ["a", "b", "c"].map { Folder($0) }
        for folder in folders { context.insert(folder) }
        try context.save()
        folders[0].name = "b"
        // A conflict that is resolved does not hide the one that is not.
        context.insert(Folder("c", note: "new"))
        let error = try #require(try failure { try context.save() })
        #expect(error == .uniquenessViolation && context.hasChanges)
        #expect(try store.history().count == 1)
        folders[0].name = "d"
        try context.save()
        try store.reading { (reader: ModelContext) throws in
            #expect(try reader.folders().map(\.name) == ["b", "c", "d"])
        }
    }

    @Test("Models may exchange their values in one save", arguments: StoreKind.allCases)
    func exchange(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let folders = ["a", "b", "c"].enumerated().map { Folder($1, rank: $0) }
        try context.add(folders[0], folders[1], folders[2])
        let count = try store.history().count
        for (folder, name) in zip(folders, ["b", "c", "a"]) { folder.name = name }
        try context.save()
        try store.reading { (reader: ModelContext) throws in
            #expect(try reader.folders().map { "\($0.name) \($0.rank)" } == ["a 2", "b 0", "c 1"])
        }
        // The history has one update of each model.
        #expect(try store.history().dropFirst(count).flatMap(\.changes).count == 3)
    }

    // MARK: Relationships

    @Test("A list that was set replaces that of the row", arguments: StoreKind.allCases)
    func replacedList(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let old = Folder("a")
        old.memos = ["1", "2", "3"].map { Memo($0) }
        old.labels = ["x", "y"].map { Label($0) }
        old.cover = Cover("old")
        try context.add(old)
        let memos = old.memos
        let reader = store.context()
        let shown = try #require(try reader.folders().first)
        #expect(shown.memos.count == 3)

        let other = store.context()
        let kept = try #require(try other.memos().last)
        let new = Folder("a")
        other.insert(new)
        new.memos = [kept, Memo("4")]
        new.labels = [Label("y"), Label("z")]
        new.cover = Cover("new")
        try other.save()
        #expect(new.persistentModelID == old.persistentModelID)
        #expect(new.memos.map(\.title).sorted() == ["3", "4"])
        let changes = try #require(try store.history().last).changes.map(\.text)
        #expect(changes.contains("update \(memos[0].persistentModelID) folder"))
        #expect(
            changes.contains("update \(old.persistentModelID) cover+labels")
                || changes.contains("update \(old.persistentModelID) labels+cover"))
        try store.reading { (reader: ModelContext) throws in
            let folder = try #require(try reader.folders().first)
            #expect(folder.memos.map(\.title).sorted() == ["3", "4"])
            #expect(folder.labels.map(\.name).sorted() == ["y", "z"] && folder.cover?.title == "new")
            #expect(try reader.memos().filter { $0.folder == nil }.map(\.title) == ["1", "2"])
            let covers = try reader.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Cover.title)]))
            #expect(covers.map { $0.folder?.name } == ["a", nil])
            #expect(try reader.fetchCount(FetchDescriptor<Label>()) == 3)
        }
    }

    @Test("Relationships that were not set are kept", arguments: StoreKind.allCases)
    func keptRelationships(_ kind: StoreKind) throws {
        let store = try store(kind)
        let old = Folder("a")
        old.memos = [Memo("1")]
        old.labels = [Label("x")]
        old.cover = Cover("old")
        try store.context().add(old)
        let context = store.context()
        let known = try #require(try context.folders().first)
        #expect(known.memos.count == 1)
        let new = Folder("a", note: "new")
        // Only the other sides reference the new folder, as in an import of memos.
        let label = Label("y")
        label.folders = [new]
        try context.add(Memo("2", in: new), label)
        #expect(new.memos.map(\.title).sorted() == ["1", "2"] && new.cover?.title == "old")
        #expect(new.labels.map(\.name).sorted() == ["x", "y"])
        try store.reading { (reader: ModelContext) throws in
            let folder = try #require(try reader.folders().first)
            #expect(folder.memos.count == 2 && folder.labels.count == 2 && folder.note == "new")
            #expect(folder.cover?.title == "old")
        }
    }

    @Test("A replaced list cannot leave a required relationship empty", arguments: StoreKind.allCases)
    func requiredInverse(_ kind: StoreKind) throws {
        let store = try store(kind)
        let first = Purchase(1)
        try store.context().add(PurchaseLine("pen", first))
        let context = store.context()
        let second = Purchase(1)
        context.insert(second)
        second.lines = [PurchaseLine("ink", second)]
        let error = try #require(try failure { try context.save() })
        #expect(error == .modelValidationFailure && error.propertyName == "purchase")
        #expect(try store.history().count == 1 && context.hasChanges)
        // Moving the line to another purchase, or deleting it, is not an error.
        for line in try context.fetch(FetchDescriptor<PurchaseLine>()) where line.article == "pen" {
            line.purchase = Purchase(2)
        }
        try context.save()
        try store.reading { (reader: ModelContext) throws in
            #expect(
                try reader.fetch(FetchDescriptor<Purchase>()).map { $0.lines.map(\.article) } == [["ink"], ["pen"]])
        }
    }

    @Test("Unsaved changes of the replaced instance's lists are kept", arguments: StoreKind.allCases)
    func changedListOfReplacedInstance(_ kind: StoreKind) throws {
        let store = try store(kind)
        let context = store.context()
        let first = Folder("a")
        try context.add(first, Label("x"))
        first.memos.append(Memo("1"))
        first.labels = try context.fetch(FetchDescriptor<Label>())
        first.cover = Cover("c")
        let second = Folder("a", rank: 2)
        try context.add(second)
        #expect(second.memos.map(\.title) == ["1"] && second.labels.map(\.name) == ["x"])
        #expect(second.cover?.title == "c")
        try store.reading { (reader: ModelContext) throws in
            let folder = try #require(try reader.folders().first)
            #expect(folder.memos.count == 1 && folder.labels.count == 1 && folder.cover?.title == "c")
            #expect(folder.rank == 2)
        }
    }

    // MARK: Policies

    @Test("The row's values win with the policy", arguments: StoreKind.allCases)
    func storeTrump(_ kind: StoreKind) throws {
        let store = try store(kind)
        let first = Folder("a", note: "old", rank: 1)
        first.memos = [Memo("1")]
        first.cover = Cover("old")
        try store.context().add(first)
        let context = store.context()
        context.mergePolicy = .mergeByPropertyStoreTrump
        let known = try #require(try context.folders().first)
        known.rank = 9
        let second = Folder("a", note: "new")
        context.insert(second)
        second.memos = [Memo("2")]
        let cover = Cover("new")
        second.cover = cover
        let twins = [Account("a@b", tags: ["1"]), Account("a@b", tags: ["2"])]
        try context.add(twins[0], twins[1])
        #expect(second.persistentModelID == first.persistentModelID && known.isDeleted)
        #expect(second.note == "old" && second.rank == 9 && second.memos.count == 2)
        #expect(second.cover?.title == "old" && cover.folder == nil && !cover.hasChanges)
        #expect(twins[0].isDeleted && twins[1].tags == ["1"])
        try store.reading { (reader: ModelContext) throws in
            #expect(try reader.folders().map { "\($0.note ?? "-") \($0.rank)" } == ["old 9"])
            #expect(try reader.fetch(FetchDescriptor<Account>()).map(\.tags) == [["1"]])
        }
    }

    @Test("The policy of an error", arguments: StoreKind.allCases)
    func errorPolicy(_ kind: StoreKind) throws {
        let store = try store(kind)
        try store.context().add(Folder("a"))
        let context = store.context()
        #expect(context.mergePolicy == .mergeByPropertyObjectTrump)
        context.mergePolicy = .error
        context.insert(Folder("a"))
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try store.context().fetchCount(FetchDescriptor<Folder>()) == 1)
    }

    // MARK: Other writers

    @Test("Contexts that insert the same values at the same time", arguments: StoreKind.allCases)
    func contexts(_ kind: StoreKind) async throws {
        let store = try store(kind)
        let container = store.container
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for round in 0..<25 {
                        let context = ModelContext(container)
                        for name in 0..<5 { context.insert(Folder("\(name)", note: "\(number)", rank: round)) }
                        context.insert(Folder("\(number) \(round)"))
                        try context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.context().fetchCount(FetchDescriptor<Folder>()) == 105)
        let inserts = try store.history().flatMap(\.changes).count { if case .insert = $0 { true } else { false } }
        #expect(inserts == 105)
    }

    @Test("Many models", arguments: StoreKind.allCases)
    func many(_ kind: StoreKind) throws {
        let store = try store(kind)
        let first = store.context()
        for number in 0..<1_000 { first.insert(Folder("\(number * 2)", rank: 1)) }
        try first.save()
        let context = store.context()
        let folders = (0..<2_000).map { Folder("\($0)", rank: $0 % 3) }
        for folder in folders { context.insert(folder) }
        try context.save()
        #expect(Set(folders.map(\.persistentModelID)).count == 2_000)
        #expect(context.lastSaveResult.mergedIdentifiers.count == 1_000)
        let changes = try #require(try store.history().last).changes
        #expect(changes.count { if case .insert = $0 { true } else { false } } == 1_000)
        // A third of the rows already had the rank.
        #expect(
            changes.count { if case .update = $0 { true } else { false } }
                == folders.count { $0.rank != 1 && Int($0.name)! % 2 == 0 })
        try store.reading { (reader: ModelContext) throws in
            #expect(try reader.fetch(FetchDescriptor<Folder>()).allSatisfy { $0.rank == Int($0.name)! % 3 })
        }
    }

    @Test("An acknowledgement and a rollback")
    func acknowledgement() throws {
        let store = try store(.file)
        try store.context().add(Folder("a", note: "old"))
        let consumer = try store.container.historyConsumer(named: "reader", startingNewAt: .beginning)
        let batch = try #require(try consumer.nextBatch())
        let context = store.context()
        context.insert(Folder("a", note: "new"))
        try context.save(acknowledging: batch)
        #expect(try consumer.nextBatch()?.changes.count == 1)
        let third = Folder("a", note: "third")
        context.insert(third)
        context.rollback()
        #expect(third.modelContext == nil)
        #expect(try store.context().folders().first?.note == "new")
    }
}
