import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite struct UndoTests {
    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2)) func undoAndRedoFollowAStackOfSaves(
        _ kind: StoreKind, _ number: Int
    ) throws {
        let store = try TestStore(kind, StoreContent.types, preservesValues: true)
        var random = TestSeed.generator(number)
        // The states that undo returns to, and those that redo returns to.
        var (undone, redone): ([StoreContent], [StoreContent]) = ([], [])
        var state = try StoreContent(store.container)
        for round in 0..<80 {
            // Another context each time, like another launch of the program.
            let context = store.context(author: "editor")
            switch random.below(5) {
            case 0, 1:
                undone.append(state)
                redone = []
                let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name != "other" }))
                if trips.count > 2, random.below(3) == 0 {
                    context.delete(random.pick(trips))
                } else if !trips.isEmpty, random.below(2) == 0 {
                    random.pick(trips).note = "\(round)"
                } else {
                    let date = Date(timeIntervalSinceReferenceDate: Double(round))
                    context.insert(Trip(name: "trip \(round)", destination: "somewhere", startDate: date))
                }
                try context.save()
                state = try StoreContent(store.container)
            case 2, 3:
                #expect(try context.undoHistory.canUndo == !undone.isEmpty)
                let plan = try context.undoHistory.undo()
                #expect((plan == nil) == undone.isEmpty)
                guard let expected = undone.popLast() else { continue }
                redone.append(state)
                state = expected
            default:
                #expect(try context.undoHistory.canRedo == !redone.isEmpty)
                let plan = try context.undoHistory.redo()
                #expect((plan == nil) == redone.isEmpty)
                guard let expected = redone.popLast() else { continue }
                undone.append(state)
                state = expected
            }
            #expect(try StoreContent(store.container) == state, "round \(round), \(TestSeed.description)")
            // Another author, who changes other models.
            if round % 7 == 0 { try store.add("other", author: "other") }
            state = try StoreContent(store.container)
            undone = undone.map { $0.replacingTrips(named: "other", from: state) }
            redone = redone.map { $0.replacingTrips(named: "other", from: state) }
        }
    }

    @Test(arguments: StoreKind.allCases) func anUndoIsMarkedInItsMetadata(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context(author: "editor")
        context.transactionMetadata = ["reason": "test"]
        try store.add("Rome", in: context)
        try context.undoHistory.undo()
        try context.undoHistory.redo()
        let transactions = try context.fetchHistory(Descriptor())
        #expect(
            transactions.map(\.metadata) == [
                ["reason": "test"],
                ["reason": "test", UndoHistory.undoKey: "\(transactions[0].transactionIdentifier)"],
                ["reason": "test", UndoHistory.redoKey: "\(transactions[1].transactionIdentifier)"],
            ])
        #expect(transactions.map(\.author) == ["editor", "editor", "editor"])
        #expect(context.transactionMetadata == ["reason": "test"])
    }

    @Test(arguments: StoreKind.allCases) func undoDoesNotTakeBackTheWorkOfOthers(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let (editor, other) = (store.context(author: "editor"), store.context(author: "other"))
        let trip = try store.add("Rome", in: editor)[0]
        trip.note = "editor"
        try editor.save()
        let copy = try #require(other.fetch(FetchDescriptor<Trip>()).first)
        copy.note = "other"
        try other.save()
        #expect(throws: SwiftDataError.revertConflict) { try editor.undoHistory.undo() }
        #expect(trip.note == "other")
        var plan = try #require(try editor.undoHistory.undoPlan())
        #expect(plan.conflicts.map(\.kind) == [.changedSince])
        plan.resolveAll(with: .restoreOld)
        try editor.undoHistory.save(plan)
        #expect(trip.note == nil)
        #expect(try editor.undoHistory.canRedo)
        #expect(try !other.undoHistory.canRedo)
        #expect(try ModelContext(store.container).undoHistory.canUndo == false)
    }

    @Test(arguments: StoreKind.allCases) func contextsWithTheSameAuthorCanHaveTheirOwnHistory(_ kind: StoreKind) throws
    {
        let store = try TestStore(kind, preservesValues: true)
        let (first, second) = (store.context(author: "editor"), store.context(author: "editor"))
        (first.name, second.name) = ("first", "second")
        try store.add("Rome", in: first)
        try store.add("Oslo", in: second)
        try first.undoHistory(by: .authorAndContextName).undo()
        #expect(try first.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Oslo"])
        #expect(try !first.undoHistory(by: .authorAndContextName).canUndo)
        #expect(try first.undoHistory(by: .authorAndContextName).canRedo)
        try second.undoHistory(by: .authorAndContextName).undo()
        try first.undoHistory(by: .authorAndContextName).redo()
        #expect(try first.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Rome"])
    }

    @Test(arguments: StoreKind.allCases) func replayedTransactionsAreNotUndone(_ kind: StoreKind) throws {
        let source = try TestStore(kind, preservesValues: true)
        let editor = source.context(author: "editor")
        for number in 0..<10 { try source.add("\(number)", in: editor) }
        let replica = try TestStore(kind, preservesValues: true)
        func replay(_ start: HistoryStart<DefaultHistoryToken>) throws {
            try ReplicaHarness.replay(try ReplicaHarness.export(source, startingAt: start), to: replica)
        }
        try replay(.snapshot)
        // The identifiers of the undo and of its transaction are greater than those in the replica.
        try source.add("undone", in: editor)
        try editor.undoHistory.undo()
        try replay(.token(#require(try replica.container.replayedHistoryToken())))
        let context = replica.context(author: "editor")
        #expect(try !context.undoHistory.canUndo && !context.undoHistory.canRedo)
        let trip = try #require(context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "0" })).first)
        trip.note = "own"
        try context.save()
        let next = try #require(try replica.container.replayedHistoryToken())
        try source.add("later", in: editor)
        try replay(.token(next))
        #expect(try context.undoHistory.undo()?.steps.count == 1)
        #expect(try context.undoHistory.undo() == nil)
        #expect(trip.note == nil)
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 11)
        #expect(try context.undoHistory.redo()?.steps.count == 1)
        #expect(trip.note == "own")
    }

    @Test(arguments: StoreKind.allCases) func savesBetweenAPlanAndItsUndoCanBeTakenBack(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context(author: "editor")
        let (rome, oslo) = (try store.add("Rome", in: context)[0], try store.add("Oslo", in: context)[0])
        func save(_ trip: Trip, _ note: String) throws {
            trip.note = note
            try context.save()
        }
        try save(rome, "second")
        let plan = try #require(try context.undoHistory.undoPlan())
        try save(oslo, "third")
        try context.undoHistory.save(plan)
        #expect(rome.note == nil && oslo.note == "third")
        let redo = try #require(try context.undoHistory.redoPlan())
        try context.undoHistory.undo()
        #expect(rome.note == nil && oslo.note == nil)
        try context.undoHistory.redo()
        #expect(oslo.note == "third")
        try context.undoHistory.save(redo)
        #expect(rome.note == "second" && oslo.note == "third")
        for expected in [[nil, "third"], [nil, nil]] {
            try context.undoHistory.undo()
            #expect([rome.note, oslo.note] == expected)
        }
        try context.undoHistory.undo()
        try context.undoHistory.undo()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        #expect(try !context.undoHistory.canUndo)
    }

    @Test func aMarkOfALaterTransactionIsIgnored() throws {
        let store = try TestStore(.inMemory, preservesValues: true)
        let context = store.context(author: "editor")
        context.transactionMetadata = [UndoHistory.undoKey: "4711"]
        try store.add("Rome", in: context)
        context.transactionMetadata = [UndoHistory.redoKey: "\(Int64.max)"]
        try store.add("Oslo", in: context)
        context.transactionMetadata = [:]
        #expect(try !context.undoHistory.canRedo)
        try context.undoHistory.undo()
        try context.undoHistory.undo()
        #expect(try context.undoHistory.undo() == nil)
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    }

    @Test(arguments: StoreKind.allCases) func aRedoWithoutEffectIsSkipped(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let (editor, other) = (store.context(author: "editor"), store.context(author: "other"))
        let trip = try store.add("Rome", in: editor)[0]
        trip.note = "first"
        try editor.save()
        trip.destination = "second"
        try editor.save()
        try editor.undoHistory.undo()
        try editor.undoHistory.undo()
        try #require(other.fetch(FetchDescriptor<Trip>()).first).note = "first"
        try other.save()
        try editor.undoHistory.redo()
        #expect(trip.destination == "second")
        #expect(try editor.undoHistory.redo() == nil)
    }

    @Test func changesOfOtherProgramsAreNotUndone() throws {
        let store = try TestStore(.file, preservesValues: true)
        let context = store.context()
        try store.add("Rome", in: context)
        try store.shell("UPDATE Trip SET note = 'shell'")
        #expect(throws: SwiftDataError.revertConflict) { try context.undoHistory.undo() }
        try store.shell("UPDATE Trip SET note = NULL")
        try context.undoHistory.undo()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        #expect(try context.undoHistory.undo() == nil)
    }

    @Test(arguments: StoreKind.allCases) func linksWithoutEffectAreSkipped(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self, LinkTag.self, LinkPhoto.self], preservesValues: true)
        let context = store.context(author: "editor")
        let (item, tag) = (LinkItem("item"), LinkTag("tag"))
        context.insert(item)
        context.insert(tag)
        try context.save()
        item.number = 1
        try context.save()
        item.tags = [tag]
        try context.save()
        let other = store.context(author: "other")
        try #require(other.items().first).tags = []
        try other.save()
        try context.undoHistory.undo()
        #expect(item.number == 0)
        #expect(try context.undoHistory.redo() != nil)
        #expect(item.number == 1)
    }

    @Test(arguments: StoreKind.allCases) func aSaveWithoutEffectIsSkipped(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context(author: "editor")
        let trip = try store.add("Rome", in: context)[0]
        trip.note = "note"
        try context.save()
        let other = store.context(author: "other")
        try #require(other.fetch(FetchDescriptor<Trip>()).first).note = nil
        try other.save()
        try context.undoHistory.undo()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    }
}

extension StoreContent {
    /// Replaces the trips with a name that begins with some text.
    fileprivate func replacingTrips(named name: String, from other: StoreContent) -> StoreContent {
        var content = self
        func isNamed(_ model: Model) -> Bool { model.values["name"]?.hasPrefix(name) == true }
        content.models = content.models.filter { !isNamed($0.value) }
        content.models.merge(other.models.filter { isNamed($0.value) }) { $1 }
        return content
    }
}
