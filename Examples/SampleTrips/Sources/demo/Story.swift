import Chronicle
import Foundation
import SampleTrips

/// The steps of the demo, in order.
struct Story<Transaction: HistoryTransaction> {
    private let stage: Stage
    let narrator: Narrator<Transaction>

    init(_ stage: Stage) {
        self.stage = stage
        narrator = Narrator(stage)
    }

    func run() throws {
        try seed()
        try confirm()
        try view()
        try watch()
        try cancel()
        try updateUnsigned()
        try travel()
        try deleteUnsigned()
        try prune()
        try fail()
        try inspect()
    }

    private func seed() throws {
        narrator.begin("The app creates a few trips")
        let app = try narrator.run("app", "seed")
        let transaction = try narrator.readTransaction()
        try expect(transaction.author == "app", "the author is the app")
        try expectProcess(app, "app", transaction)
        try expect(transaction.changes.count == 14 && transaction.changes.allSatisfy(\.isInsert), "14 inserts")
        try expectMarks([])
    }

    private func confirm() throws {
        narrator.begin("The widget, another process, confirms a stay, and the app marks the trip")
        let widget = try narrator.run("widget", "confirm", "Rome")
        let transaction = try narrator.readTransaction()
        try expect(transaction.author == "widget", "the author is the widget")
        try expectProcess(widget, "widget", transaction)
        guard case .update(let update as any HistoryUpdate<LivingAccommodation>)? = transaction.changes.first else {
            throw Failure("expected an update of the accommodation")
        }
        let isOnly = update.updatedAttributes.count == 1 && update.containsAttribute(\.isConfirmed)
        try expect(isOnly, "only isConfirmed changed")
        try expectMarks(["Rome"])
    }

    private func view() throws {
        narrator.begin("Viewing the trip clears the mark")
        let app = try narrator.run("app", "view", "Rome")
        try expect(app.output.contains("Casa Rossa, confirmed"), "the app displays the change of the widget")

        narrator.begin("After a relaunch, the app finds no new changes")
        try expectMarks([])
        try expect(try narrator.readHistory().isEmpty, "no transactions: reading is not recorded")
    }

    private func watch() throws {
        narrator.begin("A running app detects changes of the widget")
        let arguments = ["watch", "--once", "--timeout", "30"]
        let app = try stage.start("app", arguments)
        let first = app.waitForOutput()
        narrator.showCommand("app", arguments, first.split(separator: "\n"))
        let widget = try stage.start("widget", ["confirm", "Kyoto"])
        // While the widget is still running.
        let second = app.waitForOutput()
        let displayed = Date.now
        let confirmation = try stage.finish(widget)
        narrator.showCommand("widget", ["confirm", "Kyoto"], confirmation.lines)
        try narrator.expect(confirmation.status == 0, "exits with 0", isQuiet: true)
        let result = try stage.finish(app)
        show("   the app continues")
        narrator.showOutput(second.split(separator: "\n"))
        let isMarked = result.lines.contains { $0.hasPrefix("*  Kyoto") }
        try expect(result.status == 0 && isMarked, "a mark on Kyoto")
        let transaction = try narrator.readTransaction()
        try expect(transaction.author == "widget", "the author is the widget")
        let delay = displayed.timeIntervalSince(transaction.timestamp) * 1_000
        show("   the mark appeared \(delay.formatted(.number.precision(.fractionLength(1)))) ms after the save")
    }

    private func cancel() throws {
        narrator.begin("The widget reverts the change, and the mark is removed")
        try narrator.run("widget", "cancel", "Kyoto")
        let transaction = try narrator.readTransaction()
        let isDeleted = transaction.changes.contains { change in
            if case .delete(_ as any HistoryDelete<LivingAccommodation>) = change { true } else { false }
        }
        try expect(isDeleted, "a delete of the accommodation")
        try expectMarks([])
    }

    private func updateUnsigned() throws {
        narrator.begin("Another program writes to the store without an author")
        try narrator.writeUnsigned(#"UPDATE "Trip" SET destination = 'Alentejo' WHERE name = 'Lisbon'"#) { context in
            try context.trip(named: "Lisbon", starting: nil).destination = "Alentejo"
        }
        let transaction = try narrator.readTransaction()
        try expectUnsigned(transaction)
        guard case .update(let update as any HistoryUpdate<Trip>)? = transaction.changes.first else {
            throw Failure("expected an update of the trip")
        }
        try expect(update.containsAttribute(\.destination), "the destination changed")
        let app = try expectMarks([])
        try expect(app.output.contains("Alentejo"), "the app displays it without a mark")
    }

    private func travel() throws {
        guard stage.store.kind != .journal else {
            narrator.begin("A journal does not keep values, so the app cannot display the past")
            return try narrator.runFailing(1, "app", "undo")
        }
        narrator.begin("The history of a trip contains its values")
        let history = try narrator.run("app", "history", "Lisbon")
        try expect(history.output.contains("destination: Portugal → Alentejo"), "the destination before and after")

        let addition = ["add", "Paris", "France", "2027-09-01", "2027-09-05"]
        if stage.store.kind == .sqlite {
            narrator.begin("The app displays the trips as they were at a tag")
            try narrator.run("app", "tag", "plan")
            try narrator.run("app", addition)
            let past = try narrator.run("app", "show", "--as-of", "plan")
            try expect(past.output.contains("Lisbon") && !past.output.contains("Paris"), "the new trip is missing")
        } else {
            narrator.begin("The app adds a trip")
            try narrator.run("app", addition)
        }

        narrator.begin("The app takes back its own change, and not the later one of the widget")
        try narrator.run("widget", "confirm", "Lisbon")
        try narrator.run("app", "undo")
        let transactions = try narrator.readHistory()
        try expect(transactions.map(\.author) == ["app", "widget", "app"], "the undo is a transaction of the app")
        let app = try expectMarks(["Lisbon"])
        try expect(!app.output.contains("Paris"), "the trip is gone")
        try expect(app.output.contains("Pensão Central, confirmed"), "the change of the widget remains")
        try narrator.run("app", "view", "Lisbon")
    }

    private func deleteUnsigned() throws {
        narrator.begin("Another program deletes a trip, and the app reports it")
        try narrator.writeUnsigned(#"DELETE FROM "Trip" WHERE name = 'Oslo'"#) { context in
            context.delete(try context.trip(named: "Oslo", starting: nil))
        }
        let transaction = try narrator.readTransaction()
        try expectUnsigned(transaction)
        let names = transaction.changes.compactMap { change -> String? in
            guard case .delete(let delete as any HistoryDelete<Trip>) = change else { return nil }
            return delete.tombstone[\.name]
        }
        try expect(names == ["Oslo"], "the tombstone contains the name")
        let app = try expectMarks([])
        let report = "Oslo (2027-02-18 to 2027-02-22) was deleted elsewhere."
        try expect(app.output.contains(report), "the app reports the deleted trip from the tombstone")
        try expect(!(try expectMarks([])).output.contains("Oslo"), "the app reports it only once")
    }

    private func prune() throws {
        narrator.begin("The history is deleted before the app has read all of it")
        try narrator.run("widget", "book", "Kyoto", "Machiya Inn")
        try narrator.run("app", "prune", "--all")
        narrator.forgetHistory()
        try expect(try narrator.readHistory().isEmpty, "the history is empty")
        let app = try expectMarks([])
        try expect(app.output.contains("Starting over"), "the app's token is expired: it starts over")
        try expect(app.output.contains("Machiya Inn"), "all trips exist")

        narrator.begin("Afterwards, the app continues as before")
        try narrator.run("widget", "confirm", "Kyoto")
        try expect(try narrator.readTransaction().author == "widget", "the author is the widget")
        try expectMarks(["Kyoto"])
    }

    private func fail() throws {
        narrator.begin("Invalid commands are reported")
        try narrator.runFailing(1, "app", "view", "Atlantis")
        try narrator.runFailing(1, "widget", "confirm", "Atlantis")
        try narrator.runFailing(2, "app", "add", "Paris", "France", "2027-02-30", "2027-03-02")
        try narrator.runFailing(2, "widget", "confirmed")
        guard stage.store.url.isFileURL else {
            return try narrator.runFailing(1, "app", "list", store: TripStore("postgresql:///typo"))
        }
        try narrator.runFailing(1, "app", "list", store: TripStore(stage.directory.appending(path: "Typo.store")))
        let misnamed = try stage.copyUnderTheNameOfAnotherKind()
        try narrator.runFailing(1, "app", "list", store: misnamed)
        let isUnchanged = FileManager.default.contentsEqual(atPath: misnamed.url.path, andPath: stage.store.url.path)
        try expect(isUnchanged, "the file is unchanged")
    }
    private func inspect() throws {
        guard stage.store.kind == .sqlite else { return }
        narrator.begin("The command-line tool displays the history of the file, without the model classes")
        let log = try narrator.runTool("log")
        try expect(
            log.output.contains("widget") && log.output.contains("LivingAccommodation"), "the change of the widget")
        try expect(try narrator.runTool("verify").status == 0, "the file is healthy")
    }
}
