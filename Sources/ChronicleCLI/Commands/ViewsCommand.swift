import Chronicle
import Foundation

enum ViewsCommand {
    static let command = Command(
        name: "views", summary: "list the views of the history, install or remove them (changes the file)",
        discussion: """
            With --install, the file gets the views Trip_history and Trip_revisions for each entity Trip, so that sqlite3 and \
            other programs can query the history without Chronicle. Their columns are those of chronicle sql. A table, view or \
            index that has such a name is an error, and nothing is changed. With --remove, the views are dropped.

            The views belong to the file: a migration of the models, or a change of the schema of a tracked database, creates \
            them again, and chronicle untrack --delete-history removes them. Writers are not slowed. A query reads the whole \
            history of its entity. The views need SQLite 3.28 or later.

            While they are installed, SQLite refuses some changes of the schema by other programs: dropping a column, \
            replacing a table with a renamed one, and renaming anything after a table was dropped. Remove the views before a \
            program of a tracked database does so.

              chronicle views app.db --install
              sqlite3 app.db "SELECT date, author, value FROM Trip_history WHERE attribute = 'price'"
            """,
        options: [
            .init(name: "install", summary: "create the views, or create them again"),
            .init(name: "remove", summary: "drop the views"), .json,
        ], negativeResult: "there are no views to remove", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        guard !arguments.has("install") || !arguments.has("remove") else {
            throw UsageError("--install and --remove exclude each other")
        }
        if arguments.has("remove") { return try remove(arguments, console) }
        guard arguments.has("install") else {
            let file = try StoreFile.read(arguments, console)
            try write(file.sqliteStore("permanent views").historyViews(), arguments, console)
            return .success
        }
        let file = try StoreFile.write(arguments.operands["FILE"], console)
        let store = try file.sqliteStore("permanent views")
        try store.installHistoryViews()
        let views = try store.historyViews()
        if arguments.has("json") {
            try write(views, arguments, console)
        } else {
            try console.line("Installed \(NumberText.counted(views.count, "view")).")
        }
        if store.isTracked {
            console.message(
                "Note: remove the views before the program drops a column or a table, or replaces a table with a renamed one."
            )
        }
        return .success
    }

    private static func remove(_ arguments: Arguments, _ console: Console) throws -> ExitStatus {
        let store = try StoreFile.write(arguments.operands["FILE"], console).sqliteStore("permanent views")
        guard try store.removeHistoryViews() else {
            console.message("chronicle: the views are not installed")
            return .negative
        }
        if arguments.has("json") {
            try write(store.historyViews(), arguments, console)
        } else {
            try console.line("Removed the views.")
        }
        return .success
    }

    private static func write(
        _ views: [DefaultStore.HistoryView], _ arguments: Arguments, _ console: Console
    ) throws {
        if arguments.has("json") {
            for view in views {
                try console.line(
                    .members([
                        "view": .string(view.name), "entity": .string(view.entityName),
                        "state": .string(view.state.rawValue),
                    ]))
            }
        } else if views.isEmpty {
            try console.line("The file has no entities.")
        } else {
            let rows = views.map { [$0.name.escaped, text(of: $0.state)] }
            for line in TextLayout.table([["VIEW", "STATE"]] + rows) { try console.line(line) }
        }
    }

    private static func text(of state: DefaultStore.HistoryView.State) -> String {
        switch state {
        case .installed: "installed"
        case .notInstalled: "not installed"
        case .changed: "dropped or changed by another program"
        }
    }
}
